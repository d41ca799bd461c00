"""Files written whole or not at all, durable parts, locks, temporary files, and the memory budget."""
