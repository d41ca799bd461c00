// Finds the scores that reach a bar.
#pragma once
#include "../../core/base.h"
#include "steps.h"

namespace lookalike {

// Writes the numbers, ascending, of the scores for which scores[i] + own[i] ≥ bar; returns how many there are. Few
// scores reach it, so that blocks are first tested as a whole, in a loop that compilers vectorise.
template <class T>
u64 above(const T* scores, const T* own, u64 n, T bar, u32* out) {
    constexpr u64 block = 64;
    u64 count = 0;
    for (u64 begin = 0; begin < n; begin += block) {
        const u64 end = begin + block < n ? begin + block : n;
        if (end - begin == block) {
            int any = 0;
            for (u64 i = begin; i < begin + block; ++i) any |= scores[i] + own[i] >= bar;
            if (!any) continue;
        }
        for (u64 i = begin; i < end; ++i)
            if (scores[i] + own[i] >= bar) out[count++] = static_cast<u32>(i);
    }
    return count;
}

}  // namespace lookalike
