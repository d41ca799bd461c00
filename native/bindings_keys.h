// Band keys as an argument of the bindings.
#pragma once
#include "bindings.h"
#include "host/buckets.h"

namespace bindings {

inline Keys keys_of(const Input& keys) {
    const auto values = view<u64>(keys, "keys", 2);
    return {values.size, values.columns, values.data};
}

}  // namespace bindings
