// Set → signature, a register at a time: native/core/sketch.h computes the same and says what.
//
// Two facts make it quick. A slot that is filled after a round never changes in a later one, so that later rounds need only
// those elements that fall into empty slots: a bitmap of these tells, without touching the slots. And rounds beyond the
// one that fills the last slot change nothing, so that small sets may take a register of rounds at once.
#pragma once
#include "../../core/sketch.h"
#include "steps.h"

namespace lookalike {

inline constexpr u64 kLow48 = 0xFFFFFFFFFFFFull;
inline constexpr u32 kMostWords = 4096 / 64;

// Which slots are still empty: one bit each. Returns whether there is any.
template <class V>
static inline bool find_empty(const u64* slots, u32 t, u64* bits) {
    u64 any = 0;
    for (u32 word = 0; word * 64 < t; ++word) {
        u64 mask = 0;
        const u32 end = t - word * 64 < 64 ? t - word * 64 : 64;
        u32 i = 0;
        for (; i + V::size <= end; i += V::size) mask |= V::load(slots + word * 64 + i).all_ones() << i;
        for (; i < end; ++i) mask |= static_cast<u64>(slots[word * 64 + i] == kNone) << i;
        bits[word] = mask;
        any |= mask;
    }
    return any != 0;
}

// Slot and value of one hash, without the round: the slot in the upper 16 bits, 48 bits of value below.
template <class V>
static inline V slot_and_value(V x, V t) {
    return x.template right<32>().times32(t).template left<16>() | (x.template right<16>() & V(0xFFFF));
}

// Round 0. Slots hold slot and value together while it runs: entries of one slot compare like their values.
template <class V>
static inline void first_round(const u64* set, u64 n, u64 m, u32 t, u64* slots) {
    constexpr u64 block = 512;
    u64 found[block + V::size];
    const V multiplier(m), wide_t(t), low(kLow48);
    for (u64 at = 0; at < n; at += block) {
        const u64 here = n - at < block ? n - at : block;
        u64 count = 0;
        u64 bound = 0;  // an element of this value or more changes nothing
        for (u32 i = 0; at && i < t; ++i) {
            const u64 value = slots[i] == kNone ? kLow48 + 1 : slots[i] & kLow48;
            bound = value > bound ? value : bound;
        }
        const V limit(bound);
        for (u64 i = 0; i < here; i += V::size) {
            // The last register overlaps the one before it: an element may come twice.
            const u64 from = here - i < V::size ? here - V::size + at : at + i;
            const V entry = slot_and_value(V::load(set + from) * multiplier, wide_t);
            if (at) {
                count += entry.append((entry & low).less(limit), found + count);
            } else {
                entry.store(found + count);
                count += V::size;
            }
        }
        for (u64 i = 0; i < count; ++i) {
            u64& slot = slots[found[i] >> 48];
            slot = found[i] < slot ? found[i] : slot;
        }
    }
    for (u32 i = 0; i < t; ++i) slots[i] = slots[i] == kNone ? kNone : slots[i] & kLow48;
}

static inline void settle(const u64* where, const u64* values, u64 count, u64* slots) {
    for (u64 i = 0; i < count; ++i) {
        u64& slot = slots[where[i]];
        slot = values[i] < slot ? values[i] : slot;
    }
}

// Elements side by side, round after round.
template <class V>
static inline bool rounds_of_many(const u64* set, u64 n, const u64* multipliers, u32 t, u64* slots, u64* bits) {
    constexpr u64 room = 512;
    u64 where[room + V::size], values[room + V::size];
    first_round<V>(set, n, multipliers[0], t, slots);
    const V wide_t(t), low(0xFFFF), low32(0xFFFFFFFF);
    for (u64 i = 1; i < t; ++i) {
        if (!find_empty<V>(slots, t, bits)) return false;
        const typename V::Bits empty(bits, t);
        const V m(multipliers[i]), round(i << 48);
        u64 count = 0;
        for (u64 e = 0; e < n; e += V::size) {
            const V x = V::load(set + (n - e < V::size ? n - V::size : e)) * m;
            const V p = x.template right<32>().times32(wide_t);
            const V slot = p.template right<32>();
            const auto hits = empty.at(slot);
            const V value = round | (p & low32).template left<16>() | (x.template right<16>() & low);
            value.append(hits, values + count);
            count += slot.append(hits, where + count);
            if (count > room - V::size) {
                settle(where, values, count, slots);
                count = 0;
            }
        }
        settle(where, values, count, slots);
    }
    return find_empty<V>(slots, t, bits);
}

// Rounds side by side, element after element.
template <class V>
static inline bool rounds_of_few(const u64* set, u64 n, const u64* multipliers, u32 t, u64* slots, u64* bits) {
    constexpr u64 room = 512;
    u64 where[room + V::size], values[room + V::size];
    const V wide_t(t), low(0xFFFF), low32(0xFFFFFFFF);
    for (u64 i = 0; i < t; i += V::size) {
        if (!find_empty<V>(slots, t, bits)) return false;
        const typename V::Bits empty(bits, t);
        const V m = V::load(multipliers + i), round = (V::ascending() + V(i)).template left<48>();
        const auto rounds = V::first_lanes(t - i < V::size ? t - i : V::size);
        u64 count = 0;
        for (u64 e = 0; e < n; ++e) {
            const V x = m * V(set[e]);
            const V p = x.template right<32>().times32(wide_t);
            const V slot = p.template right<32>();
            const auto hits = static_cast<typename V::Mask>(empty.at(slot) & rounds);
            const V value = round | (p & low32).template left<16>() | (x.template right<16>() & low);
            value.append(hits, values + count);
            count += slot.append(hits, where + count);
            if (count > room - V::size) {
                settle(where, values, count, slots);
                count = 0;
            }
        }
        settle(where, values, count, slots);
    }
    return find_empty<V>(slots, t, bits);
}

template <class V>
void fast(const u64* set, u64 n, const u64* multipliers, u32 t, u64* slots) {
    clear_slots(slots, t);
    if (n == 0) return;
    u64 bits[kMostWords + V::size] = {};
    const bool many = n >= V::size && n >= t / 2;
    if (!(many ? rounds_of_many<V>(set, n, multipliers, t, slots, bits)
               : rounds_of_few<V>(set, n, multipliers, t, slots, bits)))
        return;
    // Rounds t … 2t − 1: each empty slot takes its least value directly; slots side by side.
    for (u32 i = 0; i < t; i += V::size) {
        if (!(bits[i / 64] >> i % 64 & ((1ull << V::size) - 1))) continue;
        const V m = V::load(multipliers + t + i);
        V least(kLow48);
        for (u64 e = 0; e < n; ++e) least = least.smaller48((m * V(set[e])).template right<16>());
        u64 values[V::size];
        least.store(values);
        for (u32 j = i; j < t && j < i + V::size; ++j)
            if (slots[j] == kNone) slots[j] = static_cast<u64>(t + j) << 48 | values[j - i];
    }
}

template <class V>
void classic(const u64* set, u64 n, const u64* multipliers, const u64* offsets, u32 t, u64* slots) {
    u32 i = 0;
    for (; i + 2 * V::size <= t; i += 2 * V::size) {
        const V m0 = V::load(multipliers + i), m1 = V::load(multipliers + i + V::size);
        const V c0 = V::load(offsets + i), c1 = V::load(offsets + i + V::size);
        V least0(kNone), least1(kNone);
        for (u64 e = 0; e < n; ++e) {
            const V a(set[e]);
            least0 = least0.smaller(a * m0 + c0);
            least1 = least1.smaller(a * m1 + c1);
        }
        least0.store(slots + i);
        least1.store(slots + i + V::size);
    }
    sketch_classic(set, n, multipliers + i, offsets + i, t - i, slots + i);
}

}  // namespace lookalike
