"""What can be asked: each verb's options, declared once.

    shared.py  verbs.py  applications.py     the declarations: a TypedDict per verb, a field per option
    option.py                                what a declaration says of an option, and how to read declarations
    verb.py                                  the decorator of verbs: checks, defaults, signature and docstring
    words.py                                 what a misspelt or foreign option name was meant to be
    plan.py                                  the plan that a verb's options ask for

From a declaration follow the types that checkers see (`Unpack`), the signature and docstring at run time, the options
of the command with their help (`cli/options.py`), the tables of docs/reference/python.md, and the plan's entries.
"""
