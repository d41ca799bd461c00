// Rows of bits in groups of equal rows, so that a join compares each distinct row once.
#pragma once
#include "vectors.h"

namespace lookalike::vectors {

struct DistinctBits {
    u64 words = 0, split = 0;  // the number of groups on the left
    Array<u64> values;         // one row per group
    Array<u64> starts;         // where the rows of each group start in `members`, and the end
    Array<u32> members;        // the rows of each group, ascending

    u64 size() const { return starts.size - 1; }
    u64 members_of(u64 group) const { return starts[group + 1] - starts[group]; }
    Bits bits() const { return {size(), words, values.data.get()}; }
};

DistinctBits distinct_bits(const Bits& bits, int threads);

// The groups of both sides, those on the left first.
DistinctBits distinct_bits(const Bits& left, const Bits& right, int threads);

}  // namespace lookalike::vectors
