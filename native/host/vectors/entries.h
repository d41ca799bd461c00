// Rows in the order of their keys of one band. An entry is a key and a row, 32 bits each.
#pragma once
#include "../array.h"
#include "../sorting.h"

namespace lookalike::vectors {

inline u32 row_of(u64 entry) { return static_cast<u32>(entry); }
inline u32 key_half(u64 entry) { return static_cast<u32>(entry >> 32); }

// Reusable scratch memory for sorting entries.
struct Sorter {
    Buffer<u64> other, counts;

    void sort(const u32* keys, u64 n, Buffer<u64>& entries) {
        entries.resize(n);
        other.resize(n);
        counts.clear();
        for (u64 i = 0; i < n; ++i) entries[i] = static_cast<u64>(keys[i]) << 32 | i;
        sort_by_key(entries.data(), n, other.data(), counts);
    }
};

}  // namespace lookalike::vectors
