// What is lost if a document is removed and another one is kept in its place.
#pragma once
#include "documents.h"

namespace lookalike {

struct Losses {
    Array<u8> identical;  // whether the two documents have the same bytes
    Array<i64> lost;      // characters (of a list: tokens) of the first in shingles that the second lacks
};
// Both are rows of the documents, one pair each. Pairs with the same kept document should be adjacent.
Losses losses(const Documents& documents, const Shingling& shingling, const i64* removed, const i64* kept, u64 pairs,
              int threads);

}  // namespace lookalike
