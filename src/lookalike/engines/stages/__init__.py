"""What the engines built on the kernel share, stage by stage: the first pass, copies, checking, results."""
