"""Stages shared by the engines that have a kernel: first pass, exact copies, comparisons, answer."""
