// The greatest value in any slot: an offer of that much lowers none.
#pragma once
#include "../../core/base.h"

namespace lookalike {

inline constexpr u64 kLow48 = 0xFFFFFFFFFFFFull;  // a value, without its round

static inline u64 greatest(const u64* slots, u32 t) {
    u64 bound = 0;
    for (u32 i = 0; i < t; ++i) bound = slots[i] > bound ? slots[i] : bound;
    return bound <= kLow48 ? bound : kLow48 + 1;  // any value is less than an empty slot
}

}  // namespace lookalike
