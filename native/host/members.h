// How many shingles of each document are members of given sets, such as the stop words of several languages.
#pragma once
#include "documents.h"

namespace lookalike {

struct Members {
    Array<i64> counts;   // one row per document, and one column per set
    Array<i64> windows;  // all shingles of the document
    Array<u8> flags;
};
// Shingles count as often as they occur, and `bag` and ignored ones have no effect. Row i of `sets`, with `set_count`
// columns, has a 1 for every set that `values[i]` is a member of, and 0 otherwise.
Members members(const Documents& documents, const Shingling& shingling, const u64* values, u64 count, const u8* sets,
                u64 set_count, int threads);

}  // namespace lookalike
