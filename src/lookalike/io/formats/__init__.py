"""File formats, one module each. Every format reads files as rows, which can be read again by range."""
