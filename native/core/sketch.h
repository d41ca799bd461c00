// Set → signature → band keys: docs/reference/format.md, sections 3 and 4.
#pragma once
#include "hash.h"

namespace lookalike {

LK_FN u64 seed_state(u64 seed) { return mix(seed + kGolden); }
LK_FN u64 multiplier(u64 state, u64 i) { return mix(state + (i + 1) * kGolden) | 1; }
LK_FN u64 offset(u64 state, u64 i) { return mix(state ^ ((i + 1) * kBase)); }

LK_FN void clear_slots(u64* slots, u32 t) {
    for (u32 i = 0; i < t; ++i) slots[i] = kNone;
}

// Fast Similarity Sketching. `multipliers` holds M(0) … M(2t − 1). Elements may repeat: that does not change a minimum.
// Rounds are the outer loop, because large sets fill all slots in the first round.
LK_FN void sketch_fast(const u64* set, u64 n, const u64* multipliers, u32 t, u64* slots) {
    clear_slots(slots, t);
    if (n == 0) return;
    u32 empty = t;
    for (u64 i = 0; i < t && empty; ++i) {
        const u64 m = multipliers[i], round = i << 48;
        for (u64 e = 0; e < n; ++e) {
            const u64 x = set[e] * m;
            const u64 p = (x >> 32) * t;
            const u64 value = round | (p & 0xFFFFFFFFull) << 16 | ((x >> 16) & 0xFFFF);
            u64& slot = slots[p >> 32];
            if (value < slot) {
                empty -= slot == kNone;
                slot = value;
            }
        }
    }
    // Slots that are still empty take their least value directly. A filled slot already holds a smaller one.
    for (u64 i = t; i < 2ull * t && empty; ++i) {
        u64& slot = slots[i - t];
        if (slot != kNone) continue;
        u64 least = kNone;
        for (u64 e = 0; e < n; ++e) {
            const u64 value = (set[e] * multipliers[i]) >> 16;
            least = value < least ? value : least;
        }
        slot = i << 48 | least;
        --empty;
    }
}

// Classic MinHash with t functions a·M(i) + C(i).
LK_FN void sketch_classic(const u64* set, u64 n, const u64* multipliers, const u64* offsets, u32 t, u64* slots) {
    clear_slots(slots, t);
    for (u64 e = 0; e < n; ++e)
        for (u32 i = 0; i < t; ++i) {
            const u64 value = set[e] * multipliers[i] + offsets[i];
            slots[i] = value < slots[i] ? value : slots[i];
        }
}

LK_FN u64 band_key(const u64* slots, u32 rows, u64 band) { return mix(window_sum(slots, rows) + (band + 1) * kGolden); }

}  // namespace lookalike
