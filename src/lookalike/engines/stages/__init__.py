"""Stages shared by the engines that have a kernel: first pass, texts with the same words, comparisons, answer."""
