"""File formats, one module each. Each reads files as rows, which can be read again by range."""
