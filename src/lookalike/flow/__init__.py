"""The data that a run passes from stage to stage: documents → shingles → signatures → candidates.

Pairs and clusters, which a run returns, are in `results/`.
"""

from lookalike.flow.candidates import Candidates
from lookalike.flow.documents import Documents
from lookalike.flow.shingles import Auto, Chars, Shingles, Shingling, Stopwords, Symbols, Tokens, Words, parse_shingling
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
    "Symbols",
    "Tokens",
    "Words",
    "parse_shingling",
]
