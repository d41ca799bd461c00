// Which of n vectors y have x·y − halves[y] ≥ least. In single precision and in any order: the caller asks for a little
// less than it wants, and looks again at what it gets.
#pragma once
#include "steps.h"

namespace lookalike {

typedef float Sums16 __attribute__((vector_size(64), aligned(4)));  // anywhere in memory
typedef float Sums8 __attribute__((vector_size(32), aligned(4)));
typedef float Sums4 __attribute__((vector_size(16), aligned(4)));

static inline const Sums16& sixteen(const float* p) { return *reinterpret_cast<const Sums16*>(p); }

static inline void fold_to_four(const Sums16& sums, Sums4& out) {
    const auto* const halves = reinterpret_cast<const Sums8*>(&sums);
    const Sums8 eight = halves[0] + halves[1];
    const auto* const quarters = reinterpret_cast<const Sums4*>(&eight);
    out = quarters[0] + quarters[1];
}

// The sums of four: lane k of the result is that of the k-th.
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

// d is a multiple of 16. Four vectors at a time: four chains of additions for the processor to overlap.
static u64 near_products(const float* x, const float* rows, const float* halves, u64 n, u64 d, float least, u32* out) {
    u64 count = 0;
    for (u64 i = 0; i < n; i += 4) {
        const float* y[4];
        for (u64 k = 0; k < 4; ++k) y[k] = rows + (i + k < n ? i + k : n - 1) * d;
        Sums16 p = {}, q = {}, r = {}, s = {};
        for (u64 j = 0; j < d; j += 16) {
            const Sums16& here = sixteen(x + j);
            p += here * sixteen(y[0] + j);
            q += here * sixteen(y[1] + j);
            r += here * sixteen(y[2] + j);
            s += here * sixteen(y[3] + j);
        }
        float sums[4];
        add_up(p, q, r, s, sums);
        for (u64 k = 0; k < 4 && i + k < n; ++k)
            if (sums[k] - halves[i + k] >= least) out[count++] = static_cast<u32>(i + k);
    }
    return count;
}

}  // namespace lookalike
