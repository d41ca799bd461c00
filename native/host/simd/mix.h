// mix() of native/core/hash.h, a register at a time.
#pragma once
#include "../../core/hash.h"

namespace lookalike {

template <class V>
static inline V mixed(V x) {
    x = (x ^ x.template right<30>()) * V(0xBF58476D1CE4E5B9ull);
    x = (x ^ x.template right<27>()) * V(0x94D049BB133111EBull);
    return x ^ x.template right<31>();
}

}  // namespace lookalike
