// Weighted set → signature: docs/reference/format.md, section 7. Darts are thrown at a board that has every element's
// weight upwards and rank to the right; a slot keeps the least rank of a dart that lands below the weights of the set.
#pragma once
#include "sketch.h"

namespace lookalike {

// Strip j of an element is the weights from 2^(j − 1) up to 2^j. Weights of 10^±100 and any number of elements fit.
inline constexpr int kLowestStrip = -1024, kHighestStrip = 511;
inline constexpr u32 kStrips = kHighestStrip - kLowestStrip + 1;

// A block is eight strips that share a hash: each has one byte of it, which rules most of them out.
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

LK_FN double power_of_two(int exponent) {  // by steps, all of them exact
    double x = 1;
    for (; exponent > 0; --exponent) x *= 2;
    for (; exponent < 0; ++exponent) x *= 0.5;
    return x;
}

LK_FN u64 block_key(u64 state, u32 block) { return mix(state + (block + 1ull) * kGolden); }

// The hash of a strip: its byte of the block's hash on top, then 56 bits of its own.
LK_FN u64 strip_hash(u64 block_hash, u32 i) {
    return ((block_hash >> (8 * i)) << 56) | (mix(block_hash + (i + 1ull) * kGolden) >> 8);
}

// 2^(1 − j): from units in which a strip has one dart on average to ranks.
LK_FN double strip_step(int j) { return power_of_two(1 - j); }

// 52 bits of a hash → an odd multiple of 2⁻⁵³, strictly between 0 and 1.
inline constexpr double kLeastShare = 0x1p-53;
LK_FN double share(u64 h) { return static_cast<double>(static_cast<i64>((h >> 12) * 2 + 1)) * kLeastShare; }

// −ln(1 − share(h)) to 13 digits, by the series of the inverse hyperbolic tangent: additions, products and one
// quotient, so that every machine rounds alike. No library's logarithm promises that. To be compiled without fused
// products.
LK_FN double exponential(u64 h) {
    const u64 rest = (1ull << 53) - ((h >> 12) * 2 + 1);  // (1 − share) · 2⁵³, exactly
    const u32 shift = leading_zeros(rest) - 11;           // to 2⁵² ≤ rest < 2⁵³
    const double high = static_cast<double>(static_cast<i64>(rest << shift)) * 0x1p-52;
    const bool halve = high > 0x1.6A09E667F3BCDp0;  // √2; no branch, as nobody could foresee it
    const double m = high * (halve ? 0.5 : 1.0);
    const double twos = static_cast<double>(static_cast<int>(shift) + (halve ? 0 : 1));
    const double s = (m - 1) / (m + 1), square = s * s;
    double sum = 1.0 / 15;
    for (int i = 13; i > 0; i -= 2) sum = sum * square + 1.0 / i;
    return twos * 0x1.62E42FEFA39EFp-1 - 2 * s * sum;
}

// Which bytes of x are at most those of y: their highest bits are set, all others are not.
inline constexpr u64 kHighBits = 0x8080808080808080ull;
LK_FN u64 bytes_at_most(u64 x, u64 y) {
    const u64 low = (y | kHighBits) - (x & ~kHighBits);
    return ((y & ~x) | (~(x ^ y) & low)) & kHighBits;
}

// Bounds of the strips for darts of rank up to `limit`. As −ln(1 − x) ≥ x, a strip whose first share is above limit /
// step has none. `hash` says so of its hash, without a logarithm, and `bytes` of the highest bytes of a whole block at
// once.
struct Bounds {
    u64 hash[kStrips];
    u64 bytes[kBlocks];
};

struct Reach {
    const u64* keys;      // of blocks
    const double* steps;  // of strips
    double limit;
    Bounds& bounds;
    int lowest;  // block that has a strip with darts so near

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

    // The strips, from number `top` down, that may have a dart within reach: their hashes and numbers. `base` is the
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

    // Of a strip, all darts within reach; those in its part below the weight lower their slots.
    LK_FN void throw_darts(u64 h, double step, double below, u32 t, u64* slots) const {
        double sum = exponential(h);
        for (u64 g = 0; sum * step <= limit; sum += exponential(mix(h + 2 * ++g * kGolden))) {
            const u64 place = mix(h + (2 * g + 1) * kGolden);
            const double height = (static_cast<double>(static_cast<i64>(place >> 32)) + 0.5) * 0x1p-32;
            const u64 value =
                height < below ? bits_of(sum * step) : kNone;  // bits of positive numbers are in their order
            u64& slot = slots[((place & 0xFFFFFFFFull) * t) >> 32];
            slot = value < slot ? value : slot;  // always written: a branch could not be foreseen
        }
    }

    static LK_FN int highest_strip(double weight) {  // 2^(j − 1) ≤ weight < 2^j
        return static_cast<int>(bits_of(weight) >> 52) - 1022;
    }
};

// An element of a set, ready to be thrown at. Its highest strip is below its weight in part.
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

// Whether the darts within reach came to every slot. The signature then depends on the weights alone.
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
