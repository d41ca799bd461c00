"""The options of each verb, declared once.

    shared.py  verbs.py  applications.py     the declarations: a TypedDict per verb, a field per option
    option.py                                the class of a declared option, and functions that read declarations
    verb.py                                  the decorator for verbs: checks, defaults, signature and docstring
    words.py                                 suggestions for misspelt option names, and for those of other libraries

The following are derived from a declaration: the types that checkers see (`Unpack`), the signature and docstring at run
time, the options of the command with their help (`cli/options.py`), the tables of docs/reference/python.md, and the
entries of the plan.
"""
