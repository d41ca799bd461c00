// The size of the intersection of two ascending sets, and the threshold p/q in integers.
#pragma once
#include "base.h"

namespace lookalike {

// A threshold p/q with 0 < p ≤ q ≤ 10⁹. With sets of fewer than 2³² elements every product below fits in 64 bits.
struct Threshold {
    u64 p = 1, q = 1;

    // The least |A∩B| with which sets of these sizes reach the threshold: q·o ≥ p·(a + b − o).
    LK_FN u64 overlap(u64 a, u64 b) const { return (p * (a + b) + p + q - 1) / (p + q); }

    // True if sets of these sizes can reach the threshold, at best when one contains the other.
    LK_FN bool sizes_fit(u64 a, u64 b) const { return a < b ? q * a >= p * b : q * b >= p * a; }

    // The least size of a set that can be similar to one of this size.
    LK_FN u64 least_size(u64 a) const { return (p * a + q - 1) / q; }
};

// |A∩B| if it is at least `needed`; otherwise some number below `needed`, as soon as that is certain.
LK_FN u64 intersection(const u64* a, u64 na, const u64* b, u64 nb, u64 needed) {
    constexpr u64 stride = 8;  // steps between two tests for giving up
    u64 i = 0, j = 0, common = 0;
    while (na - i >= stride && nb - j >= stride) {
        const u64 left = na - i < nb - j ? na - i : nb - j;
        if (common + left < needed) return common;
        for (u64 step = 0; step < stride; ++step) {
            const u64 x = a[i], y = b[j];
            common += x == y;
            i += x <= y;
            j += y <= x;
        }
    }
    while (i < na && j < nb) {
        const u64 x = a[i], y = b[j];
        common += x == y;
        i += x <= y;
        j += y <= x;
    }
    return common;
}

}  // namespace lookalike
