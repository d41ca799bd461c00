"""The local engine: the native kernel on the cores of one machine, within a memory budget."""
