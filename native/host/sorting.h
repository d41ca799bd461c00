// Sorting by 64-bit hashes: two radix passes over the leading 16 bits, then small sorts. Keys that are not evenly
// spread take more passes.
#pragma once
#include <utility>

#include "array.h"

namespace lookalike {

inline u64 key_of(u64 value) { return value; }

struct Entry {  // a hash and where it was seen
    u64 key;
    u32 row;
};
inline u64 key_of(const Entry& entry) { return entry.key; }

inline u32 bits_of(u64 n) { return n ? 64 - static_cast<u32>(__builtin_clzll(n)) : 0; }

template <class T>
void insertion_sort(T* v, u64 n) {
    for (u64 i = 1; i < n; ++i) {
        const T moved = v[i];
        u64 j = i;
        for (; j > 0 && key_of(v[j - 1]) > key_of(moved); --j) v[j] = v[j - 1];
        v[j] = moved;
    }
}

// Two passes by the leading 16 of `top` bits, the lower eight first; then keys that agree in all 16 are sorted. Returns
// false if more than a few agree, since the keys are then not spread like hashes. Stable in both cases.
template <class T>
bool sort_spread(T* v, u64 n, T* other, u32 top) {
    const u32 high_shift = top - 8, low_shift = top - 16;
    u32 low[256] = {}, high[256] = {};
    for (u64 i = 0; i < n; ++i) {
        ++low[key_of(v[i]) >> low_shift & 255];
        ++high[key_of(v[i]) >> high_shift & 255];
    }
    u32 low_sum = 0, high_sum = 0;
    for (u32 s = 0; s < 256; ++s) {
        low_sum += std::exchange(low[s], low_sum);
        high_sum += std::exchange(high[s], high_sum);
    }
    for (u64 i = 0; i < n; ++i) other[low[key_of(v[i]) >> low_shift & 255]++] = v[i];
    for (u64 i = 0; i < n; ++i) v[high[key_of(other[i]) >> high_shift & 255]++] = other[i];
    u64 moves = 0;
    for (u64 i = 1; i < n; ++i) {
        const T moved = v[i];
        u64 j = i;
        for (; j > 0 && key_of(v[j - 1]) > key_of(moved); --j) v[j] = v[j - 1];
        v[j] = moved;
        moves += i - j;
        if (moves > 8 * n) return false;
    }
    return true;
}

// Sorts by key, ascending; stable. `other` must have room for n elements; `counts` grows as needed. All keys must agree
// in the bits from `top` up.
template <class T>
void sort_by_key(T* v, u64 n, T* other, Buffer<u64>& counts, u32 top = 64) {
    constexpr u64 most_at_once = 1 << 15;
    if (n <= 24) return insertion_sort(v, n);
    if (top == 0) return;  // all equal
    if (n <= most_at_once && top >= 16 && sort_spread(v, n, other, top)) return;
    const u32 bits = std::min<u32>(top, n > (1u << 22) ? 11 : 8);
    const u32 shift = top - bits;
    const u64 slots = 1ull << bits, mask = slots - 1;
    const u64 mine = counts.size();  // the counts of a recursive call follow those of its caller
    counts.resize(mine + slots);
    u64* const count = counts.data() + mine;
    std::fill_n(count, slots, 0ull);
    for (u64 i = 0; i < n; ++i) ++count[(key_of(v[i]) >> shift) & mask];
    u64 sum = 0;
    for (u64 s = 0; s < slots; ++s) sum += std::exchange(count[s], sum);
    for (u64 i = 0; i < n; ++i) other[count[(key_of(v[i]) >> shift) & mask]++] = v[i];
    std::copy_n(other, n, v);
    for (u64 s = 0, begin = 0; s < slots; ++s) {
        const u64 end = counts[mine + s];  // the recursion may have moved the counts
        if (end - begin > 1) sort_by_key(v + begin, end - begin, other + begin, counts, shift);
        begin = end;
    }
    counts.resize(mine);
}

}  // namespace lookalike
