// Measures of two sets, in integers: a and b are the sizes of the sets, o is the size of their overlap.
//
// Everything a join needs to know about a measure follows from one function: `needed`, the least o for which sets of
// these sizes qualify. It increases with b (and, except for containment, with a), so it can be inverted: given the
// number of elements that remain of a set, how large can its partner be?
#pragma once
#include <algorithm>
#include <cmath>

#include "../../core/base.h"

namespace lookalike {

__extension__ using u128 = unsigned __int128;

struct Measure {
    enum class Kind { jaccard, dice, cosine, overlap, containment, hamming };

    Kind kind = Kind::jaccard;
    u64 p = 1, q = 1;        // threshold p/q; for cosine, its square; for overlap and hamming, the count p
    bool symmetric = false;  // containment of either set in the other qualifies

    static constexpr u64 kAny = 1ull << 32;  // larger than any set

    static u64 up(u128 x, u128 y) { return down(x + y - 1, y); }
    static u64 down(u128 x, u128 y) {
        const bool narrow = (x | y) >> 64 == 0;  // nearly always true, and several times faster
        return capped(narrow ? u128(static_cast<u64>(x) / static_cast<u64>(y)) : x / y);
    }
    static u64 capped(u128 x) { return x < kAny ? static_cast<u64>(x) : kAny; }

    // The least overlap for which the pair qualifies; more than the smaller size if no overlap is enough. 0 only if
    // disjoint sets are close enough (hamming); an empty set is similar to nothing.
    u64 needed(u64 a, u64 b) const {
        switch (kind) {
            case Kind::jaccard: return std::max<u64>(1, up(u128(p) * (a + b), p + q));
            case Kind::dice: return std::max<u64>(1, up(u128(p) * (a + b), u128(2) * q));
            case Kind::cosine: return std::max<u64>(1, root_up(u128(p) * a, b, q));
            case Kind::overlap: return p;
            case Kind::containment: return std::max<u64>(1, up(u128(p) * (symmetric ? std::min(a, b) : a), q));
            case Kind::hamming: return a + b > p ? (a + b - p + 1) / 2 : 0;
        }
        return kAny;
    }
    bool reached(u64 a, u64 b, u64 o) const { return o >= needed(a, b); }

    // The largest b with needed(a, b) ≤ rest, or kAny.
    u64 most_size(u64 a, u64 rest) const {
        switch (kind) {
            case Kind::jaccard: return minus(down(u128(rest) * (p + q), p), a);
            case Kind::dice: return minus(down(u128(rest) * 2 * q, p), a);
            case Kind::cosine: return a ? down(u128(rest) * rest * q, u128(p) * a) : kAny;
            case Kind::overlap: return rest >= p ? kAny : 0;
            case Kind::containment: return rest >= needed(a, kAny) ? kAny : symmetric ? down(u128(rest) * q, p) : 0;
            case Kind::hamming: return minus(capped(u128(2) * rest + p), a);
        }
        return kAny;
    }

    // The least b with needed(a, b) ≤ b, but at least 1.
    u64 least_size(u64 a) const {
        switch (kind) {
            case Kind::jaccard: return std::max<u64>(1, up(u128(p) * a, q));
            case Kind::dice: return std::max<u64>(1, up(u128(p) * a, u128(2) * q - p));
            case Kind::cosine: return std::max<u64>(1, up(u128(p) * a, q));
            case Kind::overlap: return p;
            case Kind::containment: return symmetric ? 1 : needed(a, 0);
            case Kind::hamming: return a > p ? a - p : 1;
        }
        return kAny;
    }

    // True if only equal sets qualify.
    bool only_equal() const {
        return kind == Kind::hamming ? p == 0 : kind != Kind::overlap && kind != Kind::containment && p == q;
    }

    // True if a set of a elements can have a partner other than an equal set: a smaller one, one of the same size, or a
    // larger one.
    bool can_differ(u64 a) const { return least_size(a) < a || needed(a, a) < a || needed(a, a + 1) <= a; }

    // The length of the prefix: a partner must contain at least one of this many rarest elements, because the rest are
    // too few to qualify.
    u64 prefix(u64 a) const { return past(a, needed(a, least_size(a))); }
    // The same for partners that are at least as large.
    u64 prefix_among_larger(u64 a) const { return past(a, needed(a, a)); }
    // The same if a is the size of the second set and the first one may have any size.
    u64 prefix_of_second(u64 a) const { return kind == Kind::containment && !symmetric ? a : prefix(a); }

    // This measure, with the similarity of the given pair as its threshold.
    Measure at(u64 a, u64 b, u64 o) const {
        switch (kind) {
            case Kind::jaccard: return {kind, o, a + b - o, symmetric};
            case Kind::dice: return {kind, 2 * o, a + b, symmetric};
            case Kind::cosine: return {kind, o * o, a * b, symmetric};
            case Kind::overlap: return {kind, o, 1, symmetric};
            case Kind::containment: return {kind, o, a, symmetric};
            case Kind::hamming: return {kind, a + b - 2 * o, 1, symmetric};
        }
        return *this;
    }

  private:
    static u64 minus(u64 x, u64 y) { return x > y ? x - y : 0; }
    static u64 past(u64 a, u64 least) { return least > a ? 0 : a - std::max<u64>(least, 1) + 1; }

    // The least o with o²·q ≥ x·b: estimated in floating point, then corrected in integers.
    static u64 root_up(u128 x, u64 b, u64 q) {
        const u128 square = x * b;
        u64 o = static_cast<u64>(std::sqrt(static_cast<double>(square) / static_cast<double>(q)));
        while (u128(o) * o * q < square) ++o;
        while (o > 0 && u128(o - 1) * (o - 1) * q >= square) --o;
        return o;
    }
};

}  // namespace lookalike
