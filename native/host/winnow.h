// Winnowing: which shingles of a document stand for its passages (docs/reference/index-format.md).
#pragma once
#include "documents.h"

namespace lookalike {

// For each document, the least shingle of each run of `run` consecutive ones, in the order of value · GOLDEN mod 2⁶⁴,
// and of all of them if there are fewer; ascending and distinct. With a run of 1, these are all shingles.
ShingleTable winnow(const Documents& documents, const Shingling& shingling, u64 run, int threads);

}  // namespace lookalike
