"""Which rows `dedupe` keeps: survivor rules, protected rows, and decisions about single documents."""
