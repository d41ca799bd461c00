// Weighted set → signature, a register at a time. native/core/darts.h defines the result.
//
// Most strips have no dart within reach, and which ones do is unpredictable. So there are three loops without
// data-dependent branches. The first holds eight strips of 4 or 8 blocks in a register, one byte each, and selects
// those that may have a dart. The second tests these one by one. The third throws the darts of the remaining strips in
// parallel: the first dart of each strip, then the second of each, and so on.
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

// A whole number below 2⁵² as a double: it becomes the fraction of 2⁵² + x, from which 2⁵² is subtracted.
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
    // The number is below 2⁵³, so it is converted without its lowest bit, which is 1. The exponent is the shift needed.
    const V bits = (whole(rest.template right<1>()) * Doubles(2.0) + Doubles(1.0)).bits();  // rest is odd
    const V high = (bits & V((1ull << 52) - 1)) | one;
    const V halve = (Doubles(0x1.6A09E667F3BCDp0).bits() - high).template right<63>();
    const Doubles m(high - halve.template left<52>());
    const Doubles twos = whole(V(1076) - bits.template right<52>() - halve);
    const Doubles s = (m - Doubles(1.0)) / (m + Doubles(1.0)), square = s * s;
    Doubles sum(1.0 / 15);
    for (int i = 13; i > 0; i -= 2) sum = sum * square + Doubles(1.0 / i);
    return twos * Doubles(0x1.62E42FEFA39EFp-1) - Doubles(2.0) * s * sum;
}

inline constexpr u32 kRegisters =
    16;  // registers of strips (up to 64 bytes each) that are collected before they are processed

// Strips with darts within reach, and the sum of the exponentials of their darts so far.
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

// 0 where a < b, otherwise all ones, for numbers below 2⁶³.
template <class V>
static inline V unless_less(V a, V b) {
    return (a - b).template right<63>() - V(1);
}

// Throws all darts of the strips within reach, round by round. A strip is kept while it has another dart within reach.
template <class V>
static inline void throw_all(Strips& strips, double limit, u32 t, u64* slots) {
    using Doubles = typename V::Doubles;
    const V beyond(bits_of(limit) + 1);
    alignas(64) u64 values[V::size], places[V::size];
    for (u64 g = 0; strips.count; ++g) {
        const u64 count = strips.count;
        for (u64 i = count; i % V::size; ++i) {  // pads the last register with strips without darts
            strips.step[i] = bits_of(__builtin_inf());
            strips.hash[i] = strips.sum[i] = 0;
        }
        strips.count = 0;
        for (u64 i = 0; i < count; i += V::size) {
            const V h = V::load(strips.hash + i), step = V::load(strips.step + i), below = V::load(strips.below + i);
            const Doubles sum = g == 0 ? exponentials(h)
                                       : Doubles(V::load(strips.sum + i)) + exponentials(mixed(h + V(2 * g * kGolden)));
            const V rank = (sum * Doubles(step)).bits();  // positive doubles compare like their bits
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
    constexpr u32 across = V::size * kBlockStrips;  // strips per register
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
            const int first = last - size + 1;  // never negative: see kLowestStrip
            const V hash = folded(base, V::load(keys + first));
            u64 found = hash.bytes_at_most(V::load(bounds.bytes + first));
            const u32 strip = static_cast<u32>(first) * kBlockStrips, own = target.top - strip + 1;
            if (own < across) found &= (1ull << own) - 1;  // excludes strips above the weight
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
