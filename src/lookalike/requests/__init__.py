"""The options of each verb, declared once.

    shared.py  verbs.py  applications.py  records.py  …  the declarations: a TypedDict per verb, a field per option
    option.py                                            the class of a declared option, and functions that read it
    verb.py                                              the decorator for verbs: checks, defaults and signature
    words.py                                             suggestions for misspelt option names, also of other libraries

The following are derived from a declaration: the types that checkers see (`Unpack`), the signature and docstring at run
time, the options of the command with their help (`cli/options.py`), the tables of docs/reference/python.md, and the
entries of the plan.
"""
