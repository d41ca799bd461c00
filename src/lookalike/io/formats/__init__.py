"""File formats, one module each: a file becomes rows that can be read again by range."""
