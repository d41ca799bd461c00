// Band keys and sets → the candidate pairs that reach the threshold, or the components they form.
#pragma once
#include "buckets.h"
#include "sets.h"

namespace lookalike {

struct SimilarPairs {
    Array<Pair> pairs;
    i64 candidates = 0;  // distinct candidate pairs, −1 where buckets are so large that nobody counted
    u64 in_large = 0;    // pairs of large buckets, some of them more than once: what decides whether anybody counts
    u64 checked = 0;
};
// More pairs than `most` are refused with std::overflow_error as soon as they are known to be there.
SimilarPairs similar_pairs(const Keys& keys, const Sets& sets, const Threshold& threshold, int threads,
                           u64 most = ~0ull, const Share& share = {});

struct Components {
    Array<i64> labels;
    u64 checked = 0;
};
// `known` (if given) names for each row another one that it is known to hang together with, or itself. With
// `stars_only` members of buckets are compared with the first ones alone, which needs no index; what is apart then may
// still be similar.
Components similar_components(const Keys& keys, const Sets& sets, const Threshold& threshold, int threads,
                              const Share& share = {}, const i64* known = nullptr, bool stars_only = false);

// Buckets of more members than this have all threads to themselves.
inline constexpr u64 kGiantBucket = 4096;

// Candidate pairs are counted only while no bucket has more members, and all large ones no more pairs, than these.
inline constexpr u64 kMostCounted = 1 << 14, kMostPairsCounted = 1 << 26;

void check_tables(const Keys& keys, const Sets& sets);

// 1 for every row without a single element: such a row is similar to none.
Array<u8> without_elements(const Sets& sets);

// Whether all pairs of the bucket met in one earlier band already.
bool repeats_earlier_bucket(const Keys& keys, const u32* rows, u64 n, u64 band);

}  // namespace lookalike
