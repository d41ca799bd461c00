"""Shows values to people: cards in notebooks and terminals, and the first rows of tables."""
