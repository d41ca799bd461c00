// Sorting by 64-bit hashes: one scatter by the leading bits brings each nearly home; radix passes where they are not
// spread.
#pragma once
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

// Ascending by key; stable. `other` has room for n elements, `counts` grows as it must.
// Keys agree in all bits from `top` up; the sort looks at those below.
template <class T>
void sort_by_key(T* v, u64 n, T* other, Buffer<u64>& counts, u32 top = 64, bool spread = true) {
    constexpr u64 crowded = 48;  // more keys than this in one slot: they are not spread like hashes
    constexpr u64 most_at_once = 1 << 15;
    if (n <= 24) return insertion_sort(v, n);
    if (top == 0) return;  // all equal
    spread = spread && n <= most_at_once;
    const u32 bits = std::min<u32>(top, spread ? bits_of(n) - 1 : n > (1u << 22) ? 11 : 8);
    const u32 shift = top - bits;
    const u64 slots = 1ull << bits, mask = slots - 1;
    const u64 mine = counts.size();  // a recursion has its counts behind its caller's
    counts.resize(mine + slots);
    u64* const count = counts.data() + mine;
    std::fill_n(count, slots, 0ull);
    for (u64 i = 0; i < n; ++i) ++count[(key_of(v[i]) >> shift) & mask];
    u64 sum = 0, most = 0;
    for (u64 s = 0; s < slots; ++s) {
        const u64 here = count[s];
        most = std::max(most, here);
        count[s] = sum;
        sum += here;
    }
    if (spread && most > crowded) {
        counts.resize(mine);
        return sort_by_key(v, n, other, counts, top, false);
    }
    for (u64 i = 0; i < n; ++i) other[count[(key_of(v[i]) >> shift) & mask]++] = v[i];
    std::copy_n(other, n, v);
    if (spread) {
        insertion_sort(v, n);  // every element is a few steps from its place
    } else {
        for (u64 s = 0, begin = 0; s < slots; ++s) {
            const u64 end = counts[mine + s];  // the recursion may have moved the counts
            if (end - begin > 1) sort_by_key(v + begin, end - begin, other + begin, counts, shift);
            begin = end;
        }
    }
    counts.resize(mine);
}

}  // namespace lookalike
