"""For teaching: four indexes for sets of high similarity, each built on the one before. No run uses them."""
