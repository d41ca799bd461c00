// All similar pairs of one large bucket, exactly, without comparing every pair.
//
// The elements of every set are put in one order, those that are rare within the bucket first. If two sets of sizes a
// and b share at least o elements, then the first shared element, at position i of one and j of the other, satisfies o
// ≤ a − i and o ≤ b − j, because no shared element comes before it. So it is enough to index the first few elements of
// each set, its prefix, and only pairs with a common element in their prefixes are considered. Boilerplate that
// thousands of texts share is frequent, comes last in the order, and is in no prefix. No pair is missed, whatever the
// order; the order only determines the amount of work.
//
// Before the sets of such a pair are compared, one more test is made. Each set has a row of bits, in which every
// element flips one bit. A bit that differs between two sets means an element that is in only one of them; so the
// number of differing bits is a lower bound on the number of elements that are not shared.
#pragma once
#include <vector>

#include "sets.h"
#include "sorting.h"

namespace lookalike {

struct Posting {  // an element at a position of a record
    u64 key;
    u32 record, position;
};
inline u64 key_of(const Posting& posting) { return posting.key; }

class BucketJoin {
  public:
    // Records are the n rows ordered by size. With `groups` (one number per row), pairs within a group are left out,
    // because they are already in one component; group 0 is no group.
    BucketJoin(const Sets& sets, const Threshold& threshold, const u32* rows, u64 n, const u32* groups, int threads);

    u64 count() const { return rows_.size(); }
    u32 row(u64 record) const { return rows_[record]; }
    u32 member(u64 record) const { return members_[record]; }  // its position among the given rows

    // One per thread; `seen` holds, for each record, the last record that considered it.
    struct Visitor {
        std::vector<u32> seen;
    };
    Visitor visitor() const { return {std::vector<u32>(rows_.size(), ~0u)}; }

    // Calls meet(other) once for each earlier record that may be similar to this one; `may_reach` remains to be tested.
    template <class Meet>
    void probe(u32 record, Visitor& visitor, Meet&& meet) const {
        const u64 a = sizes_[record], least = threshold_.least_size(a);
        const u32 from = static_cast<u32>(std::lower_bound(sizes_.begin(), sizes_.end(), least) - sizes_.begin());
        for (u64 t = starts_[record]; t < starts_[record + 1]; ++t) {
            if (runs_[t] == kNoRun) continue;
            const u64 position = first_shared_[record] + (t - starts_[record]);
            // The largest set for which this element can still be the first of enough common elements.
            const u64 reach = (threshold_.p + threshold_.q) * (a - position) / threshold_.p;
            if (reach < a + least) break;  // later positions reach even less
            for (u64 s = run_starts_[runs_[t]]; s < run_starts_[runs_[t] + 1]; ++s) {
                const Segment& segment = segments_[s];
                if (segment.group == 0 || segment.group != groups_[record])
                    scan(segment, record, from, a, reach - a, visitor, meet);
            }
        }
    }

    // True if the bits of two records differ in so few places that the records may be similar.
    bool may_reach(u32 a, u32 b) const {
        const u64 may_differ = sizes_[a] + sizes_[b] - 2 * threshold_.overlap(sizes_[a], sizes_[b]);
        return differing_bits(parities_[a], parities_[b]) <= may_differ;
    }

  private:
    static constexpr u32 kNoRun = ~0u;

    struct Met {
        u32 record, position;
    };
    struct Segment {  // the records of one group that contain an element, ascending
        u32 group;
        u64 begin, end;
    };

    template <class Meet>
    void scan(const Segment& segment, u32 record, u32 from, u64 a, u64 most, Visitor& visitor, Meet&& meet) const {
        const Met* met = met_.data() + segment.begin;
        const Met* const end = met_.data() + segment.end;
        met = std::lower_bound(met, end, from, [](const Met& m, u32 r) { return m.record < r; });
        for (; met < end && met->record < record; ++met) {
            const u64 b = sizes_[met->record];
            if (b > most) return;
            if (visitor.seen[met->record] == record) continue;
            if (threshold_.p * (a + b) > (threshold_.p + threshold_.q) * (b - met->position)) continue;
            visitor.seen[met->record] = record;
            meet(met->record);
        }
    }

    struct Parity {
        u64 words[8] = {};

        void flip(u64 element) {
            const u64 bit = element * 0x9E3779B97F4A7C15ull >> 55;  // any function of the element would do
            words[bit / 64] ^= 1ull << (bit % 64);
        }
    };
    static u64 differing_bits(const Parity& a, const Parity& b) {
        u64 bytes = 0;  // eight counts at once
        for (u32 i = 0; i < 8; ++i) {
            u64 x = a.words[i] ^ b.words[i];  // counted by hand: a portable binary cannot assume popcnt
            x -= (x >> 1) & 0x5555555555555555ull;
            x = (x & 0x3333333333333333ull) + ((x >> 2) & 0x3333333333333333ull);
            bytes += (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Full;
        }
        // Each byte holds up to 64, so their sum does not fit in one byte: add them in pairs.
        return ((bytes & 0x00FF00FF00FF00FFull) + ((bytes >> 8) & 0x00FF00FF00FF00FFull)) * 0x0001000100010001ull >> 48;
    }

    void order_elements(const Sets& sets, int threads, Buffer<Posting>& prefixes);
    void index_elements(Buffer<Posting>& prefixes);

    Threshold threshold_;
    std::vector<u32> members_, rows_;
    std::vector<u64> sizes_;
    std::vector<u32> groups_;
    std::vector<Parity> parities_;
    std::vector<u64> starts_;         // of each record in runs_
    std::vector<u32> first_shared_;   // position of the first element that another record may contain
    std::vector<u32> runs_;           // for each such element in a prefix: its run
    std::vector<u64> run_starts_{0};  // of each run of equal elements in segments_
    std::vector<Segment> segments_;
    std::vector<Met> met_;
};

}  // namespace lookalike
