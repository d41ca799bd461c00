// Weighted set → signature, a register at a time: native/core/darts.h computes the same and says what.
//
// Most strips have no dart within reach, and how many do is what no processor can predict. So there are three loops,
// none of which has a branch that a set could mislead: a register has eight strips of 4 or 8 blocks, a byte each, and
// tells which of them may have a dart; these are looked at one by one; and of those that are left, darts are thrown at
// many side by side, the first of each, then the second of each …
#pragma once
#include "../../core/darts.h"
#include "steps.h"

namespace lookalike {

// fold() of native/core/hash.h, from four products of 32 bits.
template <class V>
static inline V folded(V a, V b) {
    const V low32(0xFFFFFFFFull), a_high = a.template right<32>(), b_high = b.template right<32>();
    const V low = a.times32(b), one = a_high.times32(b) + low.template right<32>();
    const V other = a.times32(b_high) + (one & low32);
    const V high = a_high.times32(b_high) + one.template right<32>() + other.template right<32>();
    return high ^ other.template left<32>() ^ (low & low32) ^ a ^ b;
}

// A whole number below 2⁵² as a double: it is the fraction of 2⁵² and so much.
template <class V>
static inline typename V::Doubles whole(V x) {
    using Doubles = typename V::Doubles;
    return Doubles(x | Doubles(0x1p52).bits()) - Doubles(0x1p52);
}

template <class V>
static inline typename V::Doubles exponentials(V h) {
    using Doubles = typename V::Doubles;
    const V one = Doubles(1.0).bits();
    const V rest = V(1ull << 53) - (h.template right<12>().template left<1>() | V(1));
    // Below 2⁵³, so that two halves are needed for a double; its exponent says how far it has to be shifted.
    const V bits = (whole(rest.template right<1>()) * Doubles(2.0) + Doubles(1.0)).bits();  // it is odd
    const V high = (bits & V((1ull << 52) - 1)) | one;
    const V halve = (Doubles(0x1.6A09E667F3BCDp0).bits() - high).template right<63>();
    const Doubles m(high - halve.template left<52>());
    const Doubles twos = whole(V(1076) - bits.template right<52>() - halve);
    const Doubles s = (m - Doubles(1.0)) / (m + Doubles(1.0)), square = s * s;
    Doubles sum(1.0 / 15);
    for (int i = 13; i > 0; i -= 2) sum = sum * square + Doubles(1.0 / i);
    return twos * Doubles(0x1.62E42FEFA39EFp-1) - Doubles(2.0) * s * sum;
}

inline constexpr u32 kRegisters = 16;  // of strips, of 64 bytes at most, that are collected before they are settled

// Strips that have darts within reach, and how far their darts so far have come.
struct Strips {
    static constexpr u64 enough = 256, most = enough + kRegisters * 64;
    alignas(64) u64 hash[most + 8];
    alignas(64) u64 step[most + 8], below[most + 8], sum[most + 8];  // bits of doubles
    u64 count = 0;

    void add(u64 h, double step_of, double below_of, bool is_wanted) {
        hash[count] = h;
        step[count] = bits_of(step_of);
        below[count] = bits_of(below_of);
        count += is_wanted;
    }
};

// Of numbers below 2⁶³: nothing where a < b, else all ones.
template <class V>
static inline V unless_less(V a, V b) {
    return (a - b).template right<63>() - V(1);
}

// All darts of the strips within reach, round by round; strips stay as long as they have another.
template <class V>
static inline void throw_all(Strips& strips, double limit, u32 t, u64* slots) {
    using Doubles = typename V::Doubles;
    const V beyond(bits_of(limit) + 1);
    alignas(64) u64 values[V::size], places[V::size];
    for (u64 g = 0; strips.count; ++g) {
        const u64 count = strips.count;
        for (u64 i = count; i % V::size; ++i) {  // the last register is filled up with strips that have no dart
            strips.step[i] = bits_of(__builtin_inf());
            strips.hash[i] = strips.sum[i] = 0;
        }
        strips.count = 0;
        for (u64 i = 0; i < count; i += V::size) {
            const V h = V::load(strips.hash + i), step = V::load(strips.step + i), below = V::load(strips.below + i);
            const Doubles sum = g == 0 ? exponentials(h)
                                       : Doubles(V::load(strips.sum + i)) + exponentials(mixed(h + V(2 * g * kGolden)));
            const V rank = (sum * Doubles(step)).bits();  // bits of positive numbers are in their order
            const V place = mixed(h + V((2 * g + 1) * kGolden));
            const V height = ((whole(place.template right<32>()) + Doubles(0.5)) * Doubles(0x1p-32)).bits();
            (rank | unless_less(rank, beyond) | unless_less(height, below)).store(values);
            place.times32(V(t)).template right<32>().store(places);
            for (u64 lane = 0; lane < V::size; ++lane) {
                u64& slot = slots[places[lane]];
                slot = values[lane] < slot ? values[lane] : slot;
            }
            const auto within = rank.less(beyond);
            h.append(within, strips.hash + strips.count);
            step.append(within, strips.step + strips.count);
            below.append(within, strips.below + strips.count);
            strips.count += sum.bits().append(within, strips.sum + strips.count);
        }
    }
}

template <class V, class Bytes>
bool weighted(const u64* set, const double* weights, u64 n, u64 state, const u64* keys, const double* steps,
              double limit, double most, u32 t, u64* slots) {
    constexpr u32 across = V::size * kBlockStrips;  // strips of a register
    Bounds bounds;
    const Reach reach(keys, steps, limit, Reach::highest_strip(most), bounds);
    Strips strips;
    alignas(64) u64 shared[kRegisters * V::size];
    struct {
        u32 first, top;  // strips
        double above;
    } whose[kRegisters];
    u16 places[kRegisters * across + 64];
    u16* next = places;
    u32 used = 0;
    const auto settle = [&] {
        for (const u16* place = places; place < next; ++place) {
            const auto& whom = whose[*place / across];
            const u32 strip = whom.first + *place % across;
            const u64 h = strip_hash(shared[*place / kBlockStrips], *place % kBlockStrips);
            strips.add(h, steps[strip], strip < whom.top ? 1.0 : whom.above, h <= bounds.hash[strip]);
        }
        next = places;
        used = 0;
        if (strips.count >= Strips::enough) throw_all<V>(strips, limit, t, slots);
    };
    clear_slots(slots, t);
    for (u64 e = 0; e < n; ++e) {
        if (!(weights[e] > 0)) continue;
        const Target target(state, set[e], weights[e], steps);
        const V base(target.base);
        constexpr int size = static_cast<int>(V::size);
        for (int last = static_cast<int>(target.top / kBlockStrips); last >= reach.lowest; last -= size) {
            const int first = last - size + 1;  // far above 0: see kLowestStrip
            const V hash = folded(base, V::load(keys + first));
            u64 found = hash.bytes_at_most(V::load(bounds.bytes + first));
            const u32 strip = static_cast<u32>(first) * kBlockStrips, own = target.top - strip + 1;
            if (own < across) found &= (1ull << own) - 1;  // not those above its weight
            if (first < reach.lowest) found &= ~0ull << (reach.lowest - first) * kBlockStrips;
            hash.store(shared + used * V::size);
            whose[used] = {strip, target.top, target.above};
            for (u32 half = 0; half < across; half += 32)
                next = Bytes::positions(found >> half & 0xFFFFFFFFull, used * across + half, next);
            if (++used == kRegisters) settle();
        }
    }
    settle();
    throw_all<V>(strips, limit, t, slots);
    return all_filled(slots, t);
}

}  // namespace lookalike
