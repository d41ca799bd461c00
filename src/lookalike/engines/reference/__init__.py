"""The reference engine: carries out plans by the definitions, in plain Python. It has no options."""
