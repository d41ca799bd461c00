// The greatest value in any slot during round 0: an offer that is not below it changes no slot.
#pragma once
#include "../../core/base.h"

namespace lookalike {

inline constexpr u64 kLow48 = 0xFFFFFFFFFFFFull;  // a value, without its round

static inline u64 greatest(const u64* slots, u32 t) {
    u64 bound = 0;
    for (u32 i = 0; i < t; ++i) {
        const u64 value = slots[i] == kNone ? kLow48 + 1 : slots[i] & kLow48;  // any value is less than an empty slot
        bound = value > bound ? value : bound;
    }
    return bound;
}

}  // namespace lookalike
