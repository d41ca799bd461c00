"""The lecture notes' applications: tools made of what the rest of lookalike offers, each a folder or a file."""
