// Weighted set → signature: docs/reference/format.md, section 7. Darts are thrown at a board that has every element's
// weight upwards and rank to the right; a slot keeps the least rank of a dart that lands below the weights of the set.
#pragma once
#include "sketch.h"

namespace lookalike {

// Strip j of an element is the weights from 2^(j − 1) up to 2^j. Weights of 10^±100 and any number of elements fit.
inline constexpr int kLowestStrip = -1024, kHighestStrip = 511;
inline constexpr u32 kStrips = kHighestStrip - kLowestStrip + 1;

struct Strip {
    u64 key;
    double step;  // 2^(1 − j): from units of one dart on average to ranks
};

LK_FN u32 leading_zeros(u64 x) {
#if defined(__CUDA_ARCH__) || defined(__CUDACC_RTC__)
    return static_cast<u32>(__clzll(static_cast<i64>(x)));
#else
    return static_cast<u32>(__builtin_clzll(x));
#endif
}

LK_FN u64 bits_of(double x) {
#if defined(__CUDA_ARCH__) || defined(__CUDACC_RTC__)
    return static_cast<u64>(__double_as_longlong(x));
#else
    return __builtin_bit_cast(u64, x);
#endif
}

LK_FN double power_of_two(int exponent) {  // by steps, all of them exact
    double x = 1;
    for (; exponent > 0; --exponent) x *= 2;
    for (; exponent < 0; ++exponent) x *= 0.5;
    return x;
}

LK_FN Strip strip(u64 state, int j) {
    return {mix(state + static_cast<u64>(j - kLowestStrip + 1) * kGolden), power_of_two(1 - j)};
}

// 52 bits of a hash → an odd multiple of 2⁻⁵³, strictly between 0 and 1.
inline constexpr double kLeastShare = 0x1p-53;
LK_FN double share(u64 h) { return static_cast<double>(static_cast<i64>((h >> 12) * 2 + 1)) * kLeastShare; }

// −ln(1 − share(h)) to 13 digits, by the series of the inverse hyperbolic tangent: additions, products and one quotient,
// so that every machine rounds alike. No library's logarithm promises that. To be compiled without fused products.
LK_FN double exponential(u64 h) {
    const u64 rest = (1ull << 53) - ((h >> 12) * 2 + 1);  // (1 − share) · 2⁵³, exactly
    double top, bottom, twos = 0;
    if (rest >= 0x16A09E667F3BCDull) {  // at least √½: near 1, where the share itself is the exact difference
        top = -share(h);
        bottom = 2 - share(h);
    } else {
        const u32 shift = leading_zeros(rest) - 11;  // to 2⁵² ≤ rest < 2⁵³
        double m = static_cast<double>(static_cast<i64>(rest << shift)) * 0x1p-52;
        twos = static_cast<double>(static_cast<int>(shift) + 1);
        if (m > 0x1.6A09E667F3BCDp0) {
            m *= 0.5;
            twos -= 1;
        }
        top = m - 1;
        bottom = m + 1;
    }
    const double s = top / bottom, square = s * s;
    double sum = 1.0 / 15;
    for (int i = 13; i > 0; i -= 2) sum = sum * square + 1.0 / i;
    return twos * 0x1.62E42FEFA39EFp-1 - 2 * s * sum;
}

// Darts up to a rank, in strips up to the highest of a set. As −ln(1 − x) ≥ x, a strip whose first hash has a share above
// limit / step has none; `bounds` says so without a logarithm, which nearly all of the low strips then do without.
struct Reach {
    const Strip* strips;
    double limit;
    u64* bounds;
    int lowest;

    LK_FN Reach(const Strip* all, double rank, int highest, u64* room) : strips(all), limit(rank), bounds(room) {
        int j = highest;
        for (; j >= kLowestStrip && kLeastShare * strips[j - kLowestStrip].step <= limit; --j) {
            const double least = limit / strips[j - kLowestStrip].step * (1 + 0x1p-38);  // a margin for rounding
            bounds[j - kLowestStrip] = least < 1 ? static_cast<u64>(least * 0x1p52) << 12 | 0xFFF : ~0ull;
        }
        lowest = j + 1;
    }

    // All of them that land below the weight. `base` is the element, mixed with the seed.
    template <class Land>
    LK_FN void throw_darts(u64 base, double weight, Land&& land) const {
        const int top = highest_strip(weight);
        const double above = weight * strips[top - kLowestStrip].step - 1;  // the part of its highest strip below it
        for (int j = top; j >= lowest; --j) {
            const Strip& s = strips[j - kLowestStrip];
            const u64 h = fold(base, s.key);
            if (h > bounds[j - kLowestStrip]) continue;
            double sum = exponential(h);
            for (u64 g = 0; sum * s.step <= limit; sum += exponential(mix(h + 2 * ++g * kGolden))) {
                const u64 place = mix(h + (2 * g + 1) * kGolden);
                if (j < top || (static_cast<double>(static_cast<i64>(place >> 32)) + 0.5) * 0x1p-32 < above)
                    land(place & 0xFFFFFFFFull, sum * s.step);
            }
        }
    }

    static LK_FN int highest_strip(double weight) {  // 2^(j − 1) ≤ weight < 2^j
        return static_cast<int>(bits_of(weight) >> 52) - 1022;
    }
};

LK_FN u64 weighted_element(u64 state, u64 element) { return mix(element ^ state); }

// Whether the darts within reach came to every slot. The signature then depends on the weights alone.
LK_FN bool sketch_weighted(const u64* set, const double* weights, u64 n, u64 state, const Reach& reach, u32 t,
                           u64* slots) {
    clear_slots(slots, t);
    u32 empty = t;
    for (u64 e = 0; e < n; ++e) {
        if (!(weights[e] > 0)) continue;
        reach.throw_darts(weighted_element(state, set[e]), weights[e], [&](u64 place, double rank) {
            u64& slot = slots[(place * t) >> 32];
            const u64 value = bits_of(rank);  // ranks are positive, so their bits are in the same order
            if (value < slot) {
                empty -= slot == kNone;
                slot = value;
            }
        });
    }
    return empty == 0;
}

}  // namespace lookalike
