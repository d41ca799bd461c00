"""The nouns, in the order in which they flow: documents → shingles → signatures → candidates → pairs → clusters."""

from lookalike.flow.candidates import Candidates
from lookalike.flow.clusters import Clusters
from lookalike.flow.documents import Documents
from lookalike.flow.joined import Joined
from lookalike.flow.pairs import Pairs
from lookalike.flow.shingles import Auto, Chars, Shingles, Shingling, Stopwords, Tokens, Words, parse_shingling
from lookalike.flow.signatures import Signatures
from lookalike.flow.summary import Summary

__all__ = [
    "Auto",
    "Candidates",
    "Chars",
    "Clusters",
    "Documents",
    "Joined",
    "Pairs",
    "Shingles",
    "Shingling",
    "Signatures",
    "Stopwords",
    "Summary",
    "Tokens",
    "Words",
    "parse_shingling",
]
