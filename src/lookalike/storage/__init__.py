"""Atomic writing of files and folders, durable parts, locks, temporary files, and the memory budget."""
