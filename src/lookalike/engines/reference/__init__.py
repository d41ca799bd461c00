"""The reference engine: every definition in plain Python. The other engines are tested against it."""
