"""Stages shared by the engines that have a kernel: first pass, copies, checking, answer."""
