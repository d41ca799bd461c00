// ASCII characters → the rolling sums of their windows. What a character adds when it enters a window, and subtracts
// when it leaves, is looked up, so that a window of any length costs one multiplication.
#pragma once
#include "../../core/hash.h"

namespace lookalike {

// `entering` holds the hash of each of the 128 characters, `leaving` the same times BASEᵏ. The sum of a window depends
// on the one before it; several stretches of the text are processed in parallel, because they are independent.
static inline void roll(const u8* s, u64 count, u64 k, const u64* entering, const u64* leaving, u64* out) {
    constexpr u64 stretches = 4;
    const u64 each = count / stretches;
    u64 sums[stretches] = {};
    for (u64 i = 0; i < k; ++i)
        for (u64 j = 0; j < stretches; ++j) sums[j] = sums[j] * kBase + entering[s[j * each + i]];
    for (u64 i = 0; i < each; ++i)
        for (u64 j = 0; j < stretches; ++j) {
            const u8* const first = s + j * each + i;
            out[j * each + i] = sums[j];
            sums[j] = sums[j] * kBase + (entering[first[k]] - leaving[first[0]]);
        }
    // The remaining windows continue the last stretch.
    for (u64 i = stretches * each; i < count; ++i) {
        out[i] = sums[stretches - 1];
        sums[stretches - 1] = sums[stretches - 1] * kBase + (entering[s[i + k]] - leaving[s[i]]);
    }
}

// Works in blocks of windows, so that `finish(begin, count)` finds their sums in the cache. A block must be much longer
// than a window, since every stretch of it starts with a complete one.
template <class Finish>
static inline void roll_blocks(const u8* s, u64 count, u64 k, const u64* entering, const u64* leaving, u64* out,
                               Finish&& finish) {
    const u64 block = k < 64 ? 1024 : 16 * k;
    for (u64 at = 0; at < count; at += block) {
        const u64 here = count - at < block ? count - at : block;
        roll(s + at, here, k, entering, leaving, out + at);
        finish(out + at, here);
    }
}

}  // namespace lookalike
