// Band keys and sets → the candidate pairs that reach the threshold, or the components they form.
#pragma once
#include "buckets.h"
#include "sets.h"

namespace lookalike {

struct SimilarPairs {
    Array<Pair> pairs;
    i64 candidates = 0;  // distinct candidate pairs; −1 if not counted, because buckets are too large
    u64 in_large = 0;    // pairs of large buckets, with repetitions; decides whether candidates are counted
    u64 checked = 0;
};
// Throws std::overflow_error as soon as there are known to be more than `most` pairs.
SimilarPairs similar_pairs(const Keys& keys, const Sets& sets, const Threshold& threshold, int threads,
                           u64 most = ~0ull, const Share& share = {});

struct Components {
    Array<i64> labels;
    u64 checked = 0;
    Array<i64> left, right;  // the similar pairs that merged two components: a spanning forest, without what was known
};
// `known` (if given) holds, for each row, another row of the same component, or the row itself. With `stars_only`,
// members of a bucket are only compared with its first members, which needs no index; rows that are then unmerged may
// still be similar.
Components similar_components(const Keys& keys, const Sets& sets, const Threshold& threshold, int threads,
                              const Share& share = {}, const i64* known = nullptr, bool stars_only = false);

// Buckets with more members than this are processed one at a time, by all threads.
inline constexpr u64 kGiantBucket = 4096;

// Candidate pairs are not counted if a bucket has more members than this, or all large buckets together more pairs.
inline constexpr u64 kMostCounted = 1 << 14, kMostPairsCounted = 1 << 26;

void check_tables(const Keys& keys, const Sets& sets);

// 1 for every empty row: it is similar to no other.
Array<u8> without_elements(const Sets& sets);

// True if all members of the bucket share a key in an earlier band.
bool repeats_earlier_bucket(const Keys& keys, const u32* rows, u64 n, u64 band);

}  // namespace lookalike
