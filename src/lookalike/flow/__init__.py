"""The nouns, in the order in which they flow: documents → shingles → signatures → candidates.

Pairs and clusters, the last two, are what a run returns: they are in `results/`, with all that comes back.
"""

from lookalike.flow.candidates import Candidates
from lookalike.flow.documents import Documents
from lookalike.flow.shingles import Auto, Chars, Shingles, Shingling, Stopwords, Tokens, Words, parse_shingling
from lookalike.flow.signatures import Signatures

__all__ = [
    "Auto",
    "Candidates",
    "Chars",
    "Documents",
    "Shingles",
    "Shingling",
    "Signatures",
    "Stopwords",
    "Tokens",
    "Words",
    "parse_shingling",
]
