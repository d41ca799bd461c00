"""Files written whole or not at all, locks, scratch files, durable parts, and the memory budget of a process."""
