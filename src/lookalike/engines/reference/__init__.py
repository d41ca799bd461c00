"""The reference engine: carries out plans in plain Python, directly from the definitions. It has no options."""
