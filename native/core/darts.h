// Weighted set → signature: docs/reference/format.md, section 7. Each element has a board: weight is the vertical axis,
// rank the horizontal one. A slot keeps the least rank among the darts that land below the weights of the set.
#pragma once
#include "sketch.h"

namespace lookalike {

// Strip j of an element covers the weights from 2^(j − 1) to 2^j. The range suffices for weights from 10^-100 to 10^100
// and any number of elements.
inline constexpr int kLowestStrip = -1024, kHighestStrip = 511;
inline constexpr u32 kStrips = kHighestStrip - kLowestStrip + 1;

// A block is eight strips that share a hash. Each strip has one byte of it, and that byte rules most strips out.
inline constexpr int kBlockStrips = 8;
inline constexpr u32 kBlocks = kStrips / kBlockStrips;

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

LK_FN double power_of_two(int exponent) {  // every step is exact
    double x = 1;
    for (; exponent > 0; --exponent) x *= 2;
    for (; exponent < 0; ++exponent) x *= 0.5;
    return x;
}

LK_FN u64 block_key(u64 state, u32 block) { return mix(state + (block + 1ull) * kGolden); }

// The hash of a strip: its byte of the block's hash in the highest bits, then 56 bits specific to the strip.
LK_FN u64 strip_hash(u64 block_hash, u32 i) {
    return ((block_hash >> (8 * i)) << 56) | (mix(block_hash + (i + 1ull) * kGolden) >> 8);
}

// 2^(1 − j): converts units in which a strip has one dart on average into ranks.
LK_FN double strip_step(int j) { return power_of_two(1 - j); }

// 52 bits of a hash → an odd multiple of 2⁻⁵³, strictly between 0 and 1.
inline constexpr double kLeastShare = 0x1p-53;
LK_FN double share(u64 h) { return static_cast<double>(static_cast<i64>((h >> 12) * 2 + 1)) * kLeastShare; }

// −ln(1 − share(h)) to 13 digits, by the series of the inverse hyperbolic tangent. It uses only additions, products and
// one quotient, so that every machine rounds the same way; library logarithms do not guarantee that. Must be compiled
// without fused multiply-add.
LK_FN double exponential(u64 h) {
    const u64 rest = (1ull << 53) - ((h >> 12) * 2 + 1);  // (1 − share) · 2⁵³, exactly
    const u32 shift = leading_zeros(rest) - 11;           // to 2⁵² ≤ rest < 2⁵³
    const double high = static_cast<double>(static_cast<i64>(rest << shift)) * 0x1p-52;
    const bool halve = high > 0x1.6A09E667F3BCDp0;  // √2; no branch, because it would be unpredictable
    const double m = high * (halve ? 0.5 : 1.0);
    const double twos = static_cast<double>(static_cast<int>(shift) + (halve ? 0 : 1));
    const double s = (m - 1) / (m + 1), square = s * s;
    double sum = 1.0 / 15;
    for (int i = 13; i > 0; i -= 2) sum = sum * square + 1.0 / i;
    return twos * 0x1.62E42FEFA39EFp-1 - 2 * s * sum;
}

// Sets the highest bit of each byte of x that is at most the same byte of y, and clears all other bits.
inline constexpr u64 kHighBits = 0x8080808080808080ull;
LK_FN u64 bytes_at_most(u64 x, u64 y) {
    const u64 low = (y | kHighBits) - (x & ~kHighBits);
    return ((y & ~x) | (~(x ^ y) & low)) & kHighBits;
}

// Upper bounds on the hashes of strips that can have a dart of rank up to `limit`. Because −ln(1 − x) ≥ x, a strip
// whose first share exceeds limit / step has none. `hash` tests this per strip, without a logarithm; `bytes` tests the
// highest bytes of a whole block at once.
struct Bounds {
    u64 hash[kStrips];
    u64 bytes[kBlocks];
};

struct Reach {
    const u64* keys;      // per block
    const double* steps;  // per strip
    double limit;
    Bounds& bounds;
    int lowest;  // the lowest block with a strip that can have such a dart

    LK_FN Reach(const u64* block_keys, const double* strip_steps, double rank, int top, Bounds& room)
        : keys(block_keys), steps(strip_steps), limit(rank), bounds(room) {
        int block = (top - kLowestStrip) / kBlockStrips;
        for (; block >= 0 && kLeastShare * steps[block * kBlockStrips + kBlockStrips - 1] <= limit; --block) {
            u64 bytes = 0;
            for (int j = (block + 1) * kBlockStrips - 1; j >= block * kBlockStrips; --j) {
                const double least = limit / steps[j] * (1 + 0x1p-38);  // a margin for rounding
                bounds.hash[j] = least < 1 ? static_cast<u64>(least * 0x1p52) << 12 | 0xFFF : ~0ull;
                bytes = bytes << 8 | bounds.hash[j] >> 56;
            }
            bounds.bytes[block] = bytes;
        }
        lowest = block + 1;
    }

    // Visits the strips, from number `top` down, that may have a dart within reach: visit(hash, number). `base` is the
    // element, mixed with the seed.
    template <class Visit>
    LK_FN void each_strip(u64 base, u32 top, Visit&& visit) const {
        u64 within = ~0ull >> (8 * (kBlockStrips - 1 - top % kBlockStrips));
        for (int block = static_cast<int>(top / kBlockStrips); block >= lowest; --block) {
            const u64 shared = fold(base, keys[block]);
            for (u64 left = bytes_at_most(shared, bounds.bytes[block]) & within; left; left &= left - 1) {
                const u32 i = (63 - leading_zeros(left & (0 - left))) / 8;
                const u32 strip = static_cast<u32>(block * kBlockStrips) + i;
                const u64 h = strip_hash(shared, i);
                if (h <= bounds.hash[strip]) visit(h, strip);
            }
            within = ~0ull;
        }
    }

    // Throws all darts of a strip that are within reach. Those that land below the weight lower their slots.
    LK_FN void throw_darts(u64 h, double step, double below, u32 t, u64* slots) const {
        double sum = exponential(h);
        for (u64 g = 0; sum * step <= limit; sum += exponential(mix(h + 2 * ++g * kGolden))) {
            const u64 place = mix(h + (2 * g + 1) * kGolden);
            const double height = (static_cast<double>(static_cast<i64>(place >> 32)) + 0.5) * 0x1p-32;
            const u64 value = height < below ? bits_of(sum * step) : kNone;  // positive doubles compare like their bits
            u64& slot = slots[((place & 0xFFFFFFFFull) * t) >> 32];
            slot = value < slot ? value : slot;  // always written: a branch would be unpredictable
        }
    }

    static LK_FN int highest_strip(double weight) {  // 2^(j − 1) ≤ weight < 2^j
        return static_cast<int>(bits_of(weight) >> 52) - 1022;
    }
};

// An element of a set, prepared for darts. Only a part of its highest strip lies below its weight.
struct Target {
    u64 base;
    u32 top;
    double above;

    LK_FN Target(u64 state, u64 element, double weight, const double* steps)
        : base(mix(element ^ state)), top(static_cast<u32>(Reach::highest_strip(weight) - kLowestStrip)) {
        above = weight * steps[top] - 1;
    }
    LK_FN double below(u32 strip) const { return strip < top ? 1.0 : above; }
};

// True if every slot was hit by a dart within reach. The signature then does not depend on the limit.
LK_FN bool all_filled(const u64* slots, u32 t) {
    for (u32 i = 0; i < t; ++i)
        if (slots[i] == kNone) return false;
    return true;
}

LK_FN bool sketch_weighted(const u64* set, const double* weights, u64 n, u64 state, const Reach& reach, u32 t,
                           u64* slots) {
    clear_slots(slots, t);
    for (u64 e = 0; e < n; ++e) {
        if (!(weights[e] > 0)) continue;
        const Target target(state, set[e], weights[e], reach.steps);
        reach.each_strip(target.base, target.top, [&](u64 h, u32 strip) {
            reach.throw_darts(h, reach.steps[strip], target.below(strip), t, slots);
        });
    }
    return all_filled(slots, t);
}

}  // namespace lookalike
