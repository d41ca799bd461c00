#include "join.h"

#include <numeric>

namespace lookalike {

BucketJoin::BucketJoin(const Sets& sets, const Threshold& threshold, const u32* rows, u64 n, const u32* groups,
                       int threads)
    : threshold_(threshold), members_(n), rows_(n), sizes_(n), groups_(n) {
    std::iota(members_.begin(), members_.end(), 0u);
    std::stable_sort(members_.begin(), members_.end(),
                     [&](u32 a, u32 b) { return sets.size(rows[a]) < sets.size(rows[b]); });
    for (u64 i = 0; i < n; ++i) {
        rows_[i] = rows[members_[i]];
        sizes_[i] = sets.size(rows_[i]);
        if (groups) groups_[i] = groups[members_[i]];
    }
    Prefixes prefixes(sets, rows_.data(), n, [&](u64 size) { return size - threshold_.least_size(size) + 1; }, threads);
    bits_ = std::move(prefixes.bits);
    starts_ = std::move(prefixes.starts);
    first_shared_ = std::move(prefixes.first_shared);
    index_elements(prefixes.postings);
}

void BucketJoin::index_elements(Buffer<Posting>& prefixes) {
    const u64 total = prefixes.size();
    Buffer<Posting> other;
    Buffer<u64> counts;
    other.reserve(total);
    sort_by_key(prefixes.data(), total, other.data(), counts);
    runs_.assign(total, kNoRun);
    for (u64 begin = 0, end; begin < total; begin = end) {
        for (end = begin + 1; end < total && prefixes[end].key == prefixes[begin].key;) ++end;
        if (end - begin < 2) continue;
        const u64 first = met_.size();
        for (u64 i = begin; i < end; ++i) {
            const auto& [key, record, position] = prefixes[i];
            runs_[starts_[record] + position - first_shared_[record]] = static_cast<u32>(run_starts_.size() - 1);
            // The smaller record of a pair needs a shorter prefix than the larger one.
            const u64 size = sizes_[record];
            if (size - position >= threshold_.overlap(size, size)) met_.push_back({record, position});
        }
        std::stable_sort(met_.begin() + i64(first), met_.end(),
                         [&](const Met& a, const Met& b) { return groups_[a.record] < groups_[b.record]; });
        for (u64 i = first; i < met_.size(); ++i) {
            const u32 group = groups_[met_[i].record];
            if (i == first || segments_.back().group != group) segments_.push_back({group, i, i});
            segments_.back().end = i + 1;
        }
        run_starts_.push_back(segments_.size());
    }
}

}  // namespace lookalike
