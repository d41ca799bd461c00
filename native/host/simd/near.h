// Finds the rows of bits that differ from a given row in few places.
#pragma once
#include "steps.h"

namespace lookalike {

// Compares `fixed` words, unrolled; if that is 0, `words` words in a loop.
template <class Ones, u64 fixed>
static u64 near_rows(const u64* rows, u64 n, const u64* bits, u64 most, u32* out, u64 words = fixed) {
    u64 count = 0;
    if (fixed) words = fixed;
    for (u64 i = 0; i < n; ++i, rows += words + 1) {
        u64 differing = 0;
        for (u64 w = 0; w < words; ++w) differing += Ones()(rows[w] ^ bits[w]);
        if (differing <= most) out[count++] = static_cast<u32>(i);
    }
    return count;
}

template <class Ones>
u64 near(const u64* rows, u64 n, u64 words, const u64* bits, u64 most, u32* out) {
    switch (words) {
        case 1: return near_rows<Ones, 1>(rows, n, bits, most, out);
        case 2: return near_rows<Ones, 2>(rows, n, bits, most, out);
        case 4: return near_rows<Ones, 4>(rows, n, bits, most, out);
        case 8: return near_rows<Ones, 8>(rows, n, bits, most, out);
        default: return near_rows<Ones, 0>(rows, n, bits, most, out, words);
    }
}

struct CountedOnes {  // one instruction, in files compiled with popcnt
    u64 operator()(u64 x) const { return static_cast<u64>(__builtin_popcountll(x)); }
};

struct SummedOnes {  // adds bits in pairs, then in fours, then in eights
    u64 operator()(u64 x) const {
        x -= (x >> 1) & 0x5555555555555555ull;
        x = (x & 0x3333333333333333ull) + ((x >> 2) & 0x3333333333333333ull);
        return ((x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Full) * 0x0101010101010101ull >> 56;
    }
};

}  // namespace lookalike
