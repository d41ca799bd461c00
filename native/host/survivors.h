// Keys, sets and an order of preference → which rows survive, and the survivor that replaces each of the others.
//
// Rows are taken in order of preference. A row that is similar to a survivor before it is removed, and the most
// preferred such survivor replaces it; otherwise it survives. So every removed row is similar to its survivor, and no
// two survivors are similar. No list of pairs is made, and a row is compared with survivors only: a hundred thousand
// copies of one text take a hundred thousand comparisons.
#pragma once
#include <utility>
#include <vector>

#include "buckets.h"
#include "sets.h"

namespace lookalike {

// When a row may be replaced by another one: the Jaccard similarity reaches a threshold and, optionally, a share of the
// removed set is contained in the kept one.
struct Replaceable {
    Threshold similarity;
    Threshold contained;
    bool needs_containment = false;

    // The least |A∩B| with which a set of size a may be replaced by one of size b.
    u64 overlap(u64 a, u64 b) const {
        const u64 similar = similarity.overlap(a, b);
        return needs_containment ? std::max(similar, contained.least_size(a)) : similar;
    }
    // The least |A∩B| of a set of size a and any set that may replace it.
    u64 least_overlap(u64 a) const {
        const u64 similar = similarity.least_size(a);
        return needs_containment ? std::max(similar, contained.least_size(a)) : similar;
    }
};

struct Preference {
    const i64* order;     // all rows, the most preferred first
    u64 always_kept = 0;  // the first so many survive, whatever they are similar to
};

using RowPair = std::pair<u32, u32>;  // in ascending order

struct Survivors {
    Array<i64> survivor;  // of each row: the row that replaces it, or the row itself
    Array<i64> common;    // |A∩B| of a removed row and its survivor; 0 for a survivor
    u64 checked = 0;      // pairs whose sets were compared
};

// Only rows that share a key in some band can be similar. `different` lists pairs that never are, in any order.
Survivors choose_survivors(const Keys& keys, const Sets& sets, const Replaceable& replaceable,
                           const Preference& preference, std::vector<RowPair> different, int threads);

// The same from a list of all similar pairs: for each row, the number of the pair that removes it, or −1. Throws
// std::invalid_argument as above.
Array<i64> removing_pairs(u64 rows, const i64* left, const i64* right, u64 count, const Preference& preference);

// The place of each row in the order of preference. The order must contain every row once.
std::vector<u32> places_of(const Preference& preference, u64 rows);

}  // namespace lookalike
