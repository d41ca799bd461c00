// All similar pairs of one large bucket, exactly, without comparing every pair: only pairs with a common element in
// their prefixes (prefixes.h), and of those only pairs whose bits differ in few places.
#pragma once
#include <vector>

#include "prefixes.h"

namespace lookalike {

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
        return bits_[a].differing(bits_[b]) <= may_differ;
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

    void index_elements(Buffer<Posting>& prefixes);

    Threshold threshold_;
    std::vector<u32> members_, rows_;
    std::vector<u64> sizes_;
    std::vector<u32> groups_;
    std::vector<FlippedBits> bits_;
    std::vector<u64> starts_;         // of each record in runs_
    std::vector<u32> first_shared_;   // position of the first element that another record may contain
    std::vector<u32> runs_;           // for each such element in a prefix: its run
    std::vector<u64> run_starts_{0};  // of each run of equal elements in segments_
    std::vector<Segment> segments_;
    std::vector<Met> met_;
};

}  // namespace lookalike
