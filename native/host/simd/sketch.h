// Set → signature, a register at a time. native/core/sketch.h defines the result.
//
// Two facts make it fast. A slot that is filled after one round never changes in a later one, so that later rounds need
// only the elements that fall into empty slots; a bitmap identifies these without access to the slots. And rounds after
// the one that fills the last slot change nothing, so that small sets may process a register of rounds at once.
#pragma once
#include "../../core/sketch.h"
#include "steps.h"

namespace lookalike {

inline constexpr u32 kMostWords = 4096 / 64;

// Sets one bit for each empty slot and returns their number. Only an empty slot has its highest bit set.
template <class V>
static inline u64 find_empty(const u64* slots, u32 t, u64* bits) {
    u64 count = 0;
    for (u32 word = 0; word * 64 < t; ++word) {
        u64 mask = 0;
        const u32 end = t - word * 64 < 64 ? t - word * 64 : 64;
        u32 i = 0;
        for (; i + V::size <= end; i += V::size) mask |= V::load(slots + word * 64 + i).highest_bits() << i;
        for (; i < end; ++i) mask |= static_cast<u64>(slots[word * 64 + i] == kNone) << i;
        bits[word] = mask;
        count += static_cast<u64>(__builtin_popcountll(mask));
    }
    return count;
}

// An offer to a slot, in one word: 48 bits of value, then the slot, then the round in the highest bits. The product of
// the upper half of x and t holds the slot and the upper 32 bits of the value next to each other, so that one shift
// puts both in position.
template <class V>
struct Offers {
    V scale, low16 = V(0xFFFF);

    explicit Offers(u32 t) : scale(static_cast<u64>(t) << 16) {}
    V of(V x) const { return x.template right<16>().within(low16, x.template right<32>().times32(scale)); }
};
inline constexpr u32 kSlotAt = 48, kRoundAt = 60;  // room for 4096 slots and 16 rounds
inline constexpr u64 kRounds = 16;

inline constexpr u64 kRoom = 512;  // offers that are collected before they are applied

// Applies offers to slots, without branches. Offers of round 0 are compared as whole words: offers to one slot differ
// only in value.
static inline u64 settle_first(const u64* offers, u64 count, u64* slots) {
    for (u64 i = 0; i < count; ++i) {
        u64* const slot = slots + (offers[i] >> kSlotAt);
        const u64 now = *slot;
        *slot = offers[i] < now ? offers[i] : now;
    }
    return 0;  // number of offers left
}

// The same for offers of round `first` or, if they contain a round, of `first` plus that round. Slots hold values.
template <bool names_round>
static inline u64 settle(const u64* offers, u64 count, u64 first, u64* slots) {
    const u64 base = first << 48;
    for (u64 i = 0; i < count; ++i) {
        const u64 offer = offers[i], round = names_round ? offer >> kRoundAt << 48 : 0;
        u64* const slot = slots + (names_round ? offer >> kSlotAt & 4095 : offer >> kSlotAt);
        const u64 value = (offer & kLow48) + round + base, now = *slot;
        *slot = value < now ? value : now;
    }
    return 0;
}

// Round 0 of a large set. Once the slots are filled, elements that cannot lower theirs are skipped, which is most
// elements of a long text. The more elements were processed, the less often the bounds are worth updating.
template <class V>
static inline void first_round(const u64* set, u64 n, u64 m, u32 t, u64* slots) {
    const Offers<V> offers(t);
    const V multiplier(m);
    alignas(64) u64 collected[kRoom + V::size];
    u64 count = 0;
    const u64 head = n < V::Bounds::head ? n : V::Bounds::head;
    for (u64 i = 0; i < head; i += V::size, count += V::size)
        // The last register overlaps the one before it: elements may repeat.
        offers.of(V::load(set + (head - i < V::size ? head - V::size : i)) * multiplier).store(collected + count);
    count = settle_first(collected, count, slots);
    for (u64 at = head, here; at < n; at += here) {
        here = at / 2 < kRoom ? at / 2 : kRoom;
        here = n - at < here ? n - at : here;
        const typename V::Bounds bounds(slots, t);
        for (u64 i = 0; i < here; i += V::size) {
            const V offer = offers.of(V::load(set + (here - i < V::size ? at + here - V::size : at + i)) * multiplier);
            count += offer.append(bounds.may_lower(offer), collected + count);
        }
        count = settle_first(collected, count, slots);
    }
    for (u32 i = 0; i < t; ++i) slots[i] = slots[i] == kNone ? kNone : slots[i] & kLow48;  // turns offers into values
}

// When to update the bitmap of empty slots: after this many offers, and then less and less often. An update waits for
// recent stores, which costs more than some offers to slots that have been filled since the last one.
struct Looks {
    u64 wait, grows, offers = 0;

    Looks(u64 first, u64 grows_by) : wait(first), grows(grows_by) {}
    bool due(u64 more) {
        offers += more;
        if (offers < wait) return false;
        offers = 0;
        wait += wait / grows;
        return true;
    }
};

// Processes a register of elements, round after round. Returns true if slots are still empty.
template <class V>
static inline bool rounds_of_many(const u64* set, u64 n, const u64* multipliers, u32 t, u64* slots, u64* bits) {
    first_round<V>(set, n, multipliers[0], t, slots);
    if (!find_empty<V>(slots, t, bits)) return false;
    typename V::Bits empty(bits, t);
    const Offers<V> offers(t);
    alignas(64) u64 collected[kRoom + V::size];
    u64 count = 0;
    Looks looks(t / 2, 4);
    for (u64 i = 1; i < t; ++i) {
        const V m(multipliers[i]);
        for (u64 e = 0; e < n; e += V::size) {
            const V offer = offers.of(V::load(set + (n - e < V::size ? n - V::size : e)) * m);
            count += offer.append(empty.at(offer), collected + count);
            if (count > kRoom - V::size) count = settle<false>(collected, count, i, slots);
        }
        count = settle<false>(collected, count, i, slots);
        if (!looks.due(n)) continue;
        if (!find_empty<V>(slots, t, bits)) return false;
        empty = typename V::Bits(bits, t);
    }
    return find_empty<V>(slots, t, bits);
}

// Processes a register of rounds, element after element. Returns true if slots are still empty.
template <class V>
static inline bool rounds_of_few(const u64* set, u64 n, const u64* multipliers, u32 t, u64* slots, u64* bits) {
    u64 left = find_empty<V>(slots, t, bits);
    typename V::Bits empty(bits, t);
    const Offers<V> offers(t);
    alignas(64) u64 collected[kRoom + V::size];
    u64 count = 0, first = 0;
    Looks looks(t, 2);
    for (u64 i = 0; i < t; i += V::size) {
        const V m = V::load(multipliers + i), round = (V::ascending() + V(i - first)).template left<kRoundAt>();
        const auto rounds = V::first_lanes(t - i < V::size ? t - i : V::size);
        const bool seldom = left * V::size < t;  // then most registers hold no offer to an empty slot
        for (u64 e = 0; e < n; ++e) {
            const V offer = offers.of(m * V(set[e])) | round;
            const auto hits = static_cast<typename V::Mask>(empty.at(offer) & rounds);
            if (seldom && !hits) continue;
            count += offer.append(hits, collected + count);
            if (count > kRoom - V::size) count = settle<true>(collected, count, first, slots);
        }
        const bool look = looks.due(n * V::size);
        if (!look && i + 2 * V::size - first <= kRounds) continue;
        count = settle<true>(collected, count, first, slots);
        first = i + V::size;
        if (!look) continue;
        left = find_empty<V>(slots, t, bits);
        if (!left) return false;
        empty = typename V::Bits(bits, t);
    }
    settle<true>(collected, count, first, slots);
    return find_empty<V>(slots, t, bits);
}

template <class V>
void fast(const u64* set, u64 n, const u64* multipliers, u32 t, u64* slots) {
    clear_slots(slots, t);
    if (n == 0) return;
    u64 bits[kMostWords + 8];  // words after those of the t slots are loaded, but not used
    const bool many = n >= V::size && n >= t / 4;
    if (!(many ? rounds_of_many<V>(set, n, multipliers, t, slots, bits)
               : rounds_of_few<V>(set, n, multipliers, t, slots, bits)))
        return;
    // Rounds t … 2t − 1: each empty slot takes its least value directly, a register of slots at a time. Filled slots
    // hold a smaller value and keep it.
    for (u32 i = 0; i < t; i += V::size) {
        if (!(bits[i / 64] >> i % 64 & ((1ull << V::size) - 1))) continue;
        const V m = V::load(multipliers + t + i);
        V least(kLow48);
        for (u64 e = 0; e < n; ++e) least = least.smaller48((m * V(set[e])).template right<16>());
        const V value = least | (V::ascending() + V(t + i)).template left<48>();
        if (i + V::size <= t) {
            V::load(slots + i).smaller(value).store(slots + i);
        } else {
            u64 values[V::size];
            value.store(values);
            for (u32 j = i; j < t; ++j) slots[j] = values[j - i] < slots[j] ? values[j - i] : slots[j];
        }
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
