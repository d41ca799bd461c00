"""The work folder of a run: its manifest, and the texts kept for later stages."""
