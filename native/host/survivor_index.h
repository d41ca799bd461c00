// An index of survivors by their rarest elements. Survivors are added one by one, in order of preference.
//
// A row finds the survivors that may replace it through the prefixes of both (prefixes.h). If containment is required,
// the prefix of the removed row is shorter, in the extreme only its rarest element, and survivors are found through all
// of their elements.
#pragma once
#include "prefixes.h"
#include "survivors.h"

namespace lookalike {

class SurvivorIndex {
  public:
    // Records are these rows, which must be in order of preference. None of them can be found yet.
    SurvivorIndex(const Sets& sets, const Replaceable& replaceable, std::vector<u32> rows, int threads);

    u64 count() const { return rows_.size(); }
    u32 row(u32 record) const { return rows_[record]; }

    void add(u32 record) {
        for (u64 t = starts_[record]; t < starts_[record + 1]; ++t)
            if (runs_[t] != kNoRun) found_in_[ends_[runs_[t]]++] = {record, position(record, t)};
    }
    // Undoes the last call of add(), which was for this record.
    void remove(u32 record) {
        for (u64 t = starts_[record]; t < starts_[record + 1]; ++t)
            if (runs_[t] != kNoRun) --ends_[runs_[t]];
    }

    // Calls meet(other) for added records from `from` up to, but not including, `until` that may replace this one, some
    // of them repeatedly. meet() may reduce `until`. `is_new(other)` is called first, and may refuse a record.
    template <class IsNew, class Meet>
    void probe(u32 record, u32 from, const u32& until, IsNew&& is_new, Meet&& meet) const {
        const u64 a = sizes_[record];
        const u64 last = std::min<u64>(starts_[record + 1], starts_[record] + probed_[record]);
        for (u64 t = starts_[record]; t < last; ++t) {
            if (runs_[t] == kNoRun) continue;
            const u64 rest = a - position(record, t);
            const Found* found = found_in_.data() + begins_[runs_[t]];
            const Found* const end = found_in_.data() + ends_[runs_[t]];
            if (from > 0)
                found = std::lower_bound(found, end, from, [](const Found& f, u32 r) { return f.record < r; });
            for (; found < end && found->record < until; ++found) {
                const u32 other = found->record;
                const u64 b = sizes_[other], needed = replaceable_.overlap(a, b);
                // Enough elements of both sets must follow this one, if it is the first that they share.
                if (needed > rest || needed > b - found->position || !is_new(other)) continue;
                if (bits_[record].differing(bits_[other]) <= a + b - 2 * needed) meet(other);
            }
        }
    }

  private:
    static constexpr u32 kNoRun = ~0u;

    struct Found {
        u32 record, position;
    };

    u32 position(u32 record, u64 t) const { return first_shared_[record] + static_cast<u32>(t - starts_[record]); }

    Replaceable replaceable_;
    std::vector<u32> rows_;
    std::vector<u64> sizes_;
    std::vector<FlippedBits> bits_;
    std::vector<u64> starts_;         // of each record in runs_
    std::vector<u32> first_shared_;   // position of the first element that another record may contain
    std::vector<u32> probed_;         // how many elements from first_shared_ on are looked up
    std::vector<u32> runs_;           // for each such element: its list, or kNoRun if no other record has it
    std::vector<u64> begins_, ends_;  // of the lists in found_in_
    std::vector<Found> found_in_;
};

}  // namespace lookalike
