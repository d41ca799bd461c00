// Finds the vectors y, out of n, that are near to x by product, distance or sum of minima. Sums are in single precision
// and in any order: the caller uses a slightly wider bound than it needs and measures the results again.
#pragma once
#include "steps.h"

namespace lookalike {

typedef float Sums16 __attribute__((vector_size(64), aligned(4)));  // unaligned
typedef float Sums8 __attribute__((vector_size(32), aligned(4)));
typedef float Sums4 __attribute__((vector_size(16), aligned(4)));

static inline const Sums16& sixteen(const float* p) { return *reinterpret_cast<const Sums16*>(p); }

static inline void fold_to_four(const Sums16& sums, Sums4& out) {
    const auto* const halves = reinterpret_cast<const Sums8*>(&sums);
    const Sums8 eight = halves[0] + halves[1];
    const auto* const quarters = reinterpret_cast<const Sums4*>(&eight);
    out = quarters[0] + quarters[1];
}

// Adds up the lanes of four registers: lane k of the result is the sum of the k-th.
static inline void add_up(const Sums16& p, const Sums16& q, const Sums16& r, const Sums16& s, float* out) {
    Sums4 a, b, c, d;
    fold_to_four(p, a);
    fold_to_four(q, b);
    fold_to_four(r, c);
    fold_to_four(s, d);
    const Sums4 ab = __builtin_shufflevector(a, b, 0, 4, 1, 5) + __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const Sums4 cd = __builtin_shufflevector(c, d, 0, 4, 1, 5) + __builtin_shufflevector(c, d, 2, 6, 3, 7);
    const Sums4 all = __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    *reinterpret_cast<Sums4*>(out) = all;
}

// The term that is summed over the coordinates, and the test of the sum: `bound` comes from x, `own` from y.
struct Products {
    static void add(Sums16& sum, const Sums16& x, const Sums16& y) { sum += x * y; }
    static bool near(float sum, float bound, float own) { return sum >= bound + own; }
};

struct Differences {
    static void add(Sums16& sum, const Sums16& x, const Sums16& y) {
        const Sums16 apart = x - y;
        sum += apart * apart;
    }
    static bool near(float sum, float bound, float own) { return sum <= (bound + own) * (bound + own); }
};

struct Minima {
    static void add(Sums16& sum, const Sums16& x, const Sums16& y) { sum += x < y ? x : y; }
    static bool near(float sum, float bound, float own) { return sum >= bound + own; }
};

// d is a multiple of 16. Four vectors at a time give four independent chains of additions.
template <class Kind>
u64 near_vectors(const float* x, const float* rows, const float* own, u64 n, u64 d, float bound, u32* out,
                 float* found) {
    u64 count = 0;
    for (u64 i = 0; i < n; i += 4) {
        const float* y[4];
        for (u64 k = 0; k < 4; ++k) y[k] = rows + (i + k < n ? i + k : n - 1) * d;
        Sums16 p = {}, q = {}, r = {}, s = {};
        for (u64 j = 0; j < d; j += 16) {
            const Sums16& here = sixteen(x + j);
            Kind::add(p, here, sixteen(y[0] + j));
            Kind::add(q, here, sixteen(y[1] + j));
            Kind::add(r, here, sixteen(y[2] + j));
            Kind::add(s, here, sixteen(y[3] + j));
        }
        float sums[4];
        add_up(p, q, r, s, sums);
        for (u64 k = 0; k < 4 && i + k < n; ++k)
            if (Kind::near(sums[k], bound, own[i + k])) {
                out[count] = static_cast<u32>(i + k);
                found[count++] = sums[k];
            }
    }
    return count;
}

}  // namespace lookalike
