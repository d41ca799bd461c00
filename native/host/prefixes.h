// The rarest elements of each of some sets, rarest first, and a row of bits for each set.
//
// If two sets of sizes a and b share at least o elements, then the first shared element, at position i of one and j of
// the other, satisfies o ≤ a − i and o ≤ b − j, because no shared element comes before it. So only pairs with a common
// element among their first few, their prefixes, can be similar. Boilerplate that thousands of texts share is frequent,
// comes last in the order, and is in no prefix. No pair is missed, whatever the order; the order only determines the
// amount of work.
//
// The bits are a second test: every element of a set flips one of them. A bit that differs between two sets means an
// element that is in only one of them, so the number of differing bits is a lower bound on the number of elements that
// are not shared.
#pragma once
#include <functional>
#include <vector>

#include "sets.h"
#include "sorting.h"

namespace lookalike {

struct Posting {  // an element at a position of a record
    u64 key;
    u32 record, position;
};
inline u64 key_of(const Posting& posting) { return posting.key; }

struct FlippedBits {
    u64 words[8] = {};

    void flip(u64 element) {
        const u64 bit = element * 0x9E3779B97F4A7C15ull >> 55;  // any function of the element would do
        words[bit / 64] ^= 1ull << (bit % 64);
    }
    u64 differing(const FlippedBits& other) const {
        u64 bytes = 0;  // eight counts at once
        for (u32 i = 0; i < 8; ++i) {
            u64 x = words[i] ^ other.words[i];  // counted by hand: a portable binary cannot assume popcnt
            x -= (x >> 1) & 0x5555555555555555ull;
            x = (x & 0x3333333333333333ull) + ((x >> 2) & 0x3333333333333333ull);
            bytes += (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Full;
        }
        // Each byte holds up to 64, so their sum does not fit in one byte: add them in pairs.
        return ((bytes & 0x00FF00FF00FF00FFull) + ((bytes >> 8) & 0x00FF00FF00FF00FFull)) * 0x0001000100010001ull >> 48;
    }
};

struct Prefixes {
    std::vector<FlippedBits> bits;  // of each record
    std::vector<u32> first_shared;  // position of the first element that another record may contain
    std::vector<u64> starts{0};     // of each record in `postings`
    Buffer<Posting> postings;       // the elements from first_shared on, record by record

    // Record i is the set of rows[i]; `length(size)` is how many elements of a set of that size belong to its prefix.
    Prefixes(const Sets& sets, const u32* rows, u64 n, const std::function<u64(u64)>& length, int threads);
};

}  // namespace lookalike
