"""`python -m lookalike` is `lookalike`."""

from lookalike.cli import main

if __name__ == "__main__":
    main()
