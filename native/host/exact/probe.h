// One set against an index → the records that may be similar to it.
//
// The first element that two similar sets share, in the order of codes, is in the prefixes of both, so the index finds
// the pair there. Three tests follow, cheapest first: the bits in the posting, the position (enough elements of both
// sets must remain from this element on), and all bits of the parity. The tests are valid for the first shared element
// and stricter at later ones, so records that failed need not be remembered.
#pragma once
#include <vector>

#include "../simd/steps.h"
#include "index.h"
#include "measures.h"

namespace lookalike {

struct Counters {
    u64 met = 0;         // postings read
    u64 candidates = 0;  // distinct pairs that passed all tests
};

// The number of bits that may differ between sets of these sizes.
inline u64 most_differing(const Measure& measure, u64 a, u64 b) {
    const u64 needed = measure.needed(a, b);
    return a + b > 2 * needed ? a + b - 2 * needed : 0;
}

// The threshold that a partner must reach, when it is fixed.
struct Fixed {
    const Measure& measure;

    const Measure& threshold() const { return measure; }
    // True if neither this record nor a later one of its size can qualify with at most this many common elements.
    bool hopeless(u32, u64) const { return false; }
};

class Probe {  // one per thread
  public:
    Probe(const Index& index, const Records& indexed, u64 codes, bool only_before)
        : index_(index),
          indexed_(indexed),
          next_(only_before ? index.begin : index.end),
          seen_(scattered<u32>(index.end - index.begin)),
          lists_(scattered<List>(codes)) {
        std::fill_n(seen_.begin(), seen_.size, 0u);
        for (u64 c = 0; c < codes; ++c) lists_[c] = {index.starts[c], index.starts[only_before ? c : c + 1]};
    }

    // Calls check(other) once for each record of the index (optionally only those before r) that may be similar to
    // record r of `probes`. The limit may rise meanwhile. Records must ascend from call to call, and so must
    // `least_ever`, the size below which no partner will be needed again.
    template <class Limit, class Check>
    void run(const Records& probes, u32 r, u64 least_ever, const Limit& limit, Counters& counters, Check&& check) {
        const u64 a = probes.size(r);
        const Measure& measure = limit.threshold();
        ++turn_;
        let_in(r);
        ask_for_lists(probes, r + 1);
        if (probes.code_count(r) == 0) return;
        fold(probes.parity(r), index_.words, bits_);
        const u32 ever_from = indexed_.first_of_size(least_ever);
        for (u64 position = 0; position < probes.code_count(r); ++position) {
            const List list = moved_on(lists_[probes.codes(r)[position]], ever_from);
            if (list.begin == list.end) continue;
            const u64 left = a - probes.own(r) - position;
            const u64 least = measure.least_size(a), most = std::min(measure.most_size(a, left), indexed_.largest());
            if (most < least) break;  // later positions reach even less
            const u32 from = indexed_.first_of_size(least), to = indexed_.first_of_size(most + 1);
            for (u64 i = list.begin, n; i < list.end && index_.record(i) < to; i += n) {
                if (limit.hopeless(index_.record(i), left)) {
                    n = of_this_size(i, list.end);
                    continue;
                }
                n = std::min<u64>(list.end - i, kBlock);
                if (index_.record(i + n - 1) < from) continue;
                counters.met += n;
                u64 small = least, large = most;
                if (n > kShort) {
                    small = indexed_.size_between(least, most, index_.record(i));
                    large = indexed_.size_between(small, most, index_.record(i + n - 1));
                }
                // The number of bits that may differ is greatest for the smallest or the largest set, up to a rounding
                // error of one.
                const u64 most_bits =
                    1 + std::max(most_differing(measure, a, small), most_differing(measure, a, large));
                u32 near[kBlock];
                const u64 count = steps_.near(index_.posting(i), n, index_.words, bits_, most_bits, near);
                for (u64 k = 0; k < count; ++k) {
                    const u64 met = i + near[k];
                    const u32 other = index_.record(met);
                    if (other < from || other >= to || seen_[other - index_.begin] == turn_) continue;
                    const u64 b = indexed_.size(other), needed = std::max<u64>(1, measure.needed(a, b));
                    if (needed > left || needed > index_.rest(met)) continue;
                    seen_[other - index_.begin] = turn_;
                    if (!near_enough(probes.parity(r), indexed_.parity(other), a + b - 2 * needed)) continue;
                    ++counters.candidates;
                    check(other);
                }
            }
        }
    }

  private:
    static constexpr u64 kShort = 16, kBlock = 32;

    // The active part of a list: sets before `begin` will never be large enough, those from `end` on are not yet added.
    struct List {
        u32 begin, end;
    };

    // Lists grow as records are added, so that their ends need not be searched for.
    void let_in(u32 before) {
        for (; next_ < std::min(before, index_.end); ++next_) {
            const u32* const codes = indexed_.codes(next_);
            for (u64 i = 0, count = index_.taken(indexed_, next_); i < count; ++i) ++lists_[codes[i]].end;
        }
    }

    List moved_on(List& list, u32 from) const {
        while (list.begin < list.end && index_.record(list.begin) < from) ++list.begin;
        return list;
    }

    // The number of postings, from here on, of records of the same size.
    u64 of_this_size(u64 i, u64 end) const {
        const u32 next = indexed_.first_of_size(indexed_.size(index_.record(i)) + 1);
        u64 same = i + 1, other = end;
        while (same < other) {
            const u64 middle = (same + other) / 2;
            if (index_.record(middle) < next)
                same = middle + 1;
            else
                other = middle;
        }
        return same - i;
    }

    // Prefetches the data of the next record while this one is processed.
    void ask_for_lists(const Records& probes, u32 r) const {
        if (r < probes.count())
            for (u64 i = 0; i < probes.code_count(r); ++i) {
                const List& list = lists_[probes.codes(r)[i]];
                const u64* const stop = index_.posting(std::min<u64>(list.begin + kBlock, list.end));
                for (const u64* line = index_.posting(list.begin); line < stop; line += 8) __builtin_prefetch(line);
            }
        if (r + 1 < probes.count())
            for (u64 i = 0; i < probes.code_count(r + 1); ++i) __builtin_prefetch(&lists_[probes.codes(r + 1)[i]]);
    }

    bool near_enough(const Parity& x, const Parity& y, u64 most) const {
        u32 one;
        return steps_.near(x.words, 1, kParityWords, y.words, most, &one) > 0;
    }

    const Index& index_;
    const Records& indexed_;
    const lookalike_steps::Steps& steps_ = lookalike_steps::steps();
    u32 next_;         // the first record that was not yet added to the lists
    Array<u32> seen_;  // the turn in which each record was last seen
    u32 turn_ = 0;
    Array<List> lists_;  // one per code
    u64 bits_[kParityWords];
};

}  // namespace lookalike
