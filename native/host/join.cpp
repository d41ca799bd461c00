#include "join.h"

#include <atomic>
#include <numeric>

#include "threads.h"

namespace lookalike {

BucketJoin::BucketJoin(const Sets& sets, const Threshold& threshold, const u32* rows, u64 n, const u32* groups,
                       int threads)
    : threshold_(threshold),
      members_(n),
      rows_(n),
      sizes_(n),
      groups_(n),
      parities_(n),
      starts_(n + 1),
      first_shared_(n) {
    std::iota(members_.begin(), members_.end(), 0u);
    std::stable_sort(members_.begin(), members_.end(),
                     [&](u32 a, u32 b) { return sets.size(rows[a]) < sets.size(rows[b]); });
    for (u64 i = 0; i < n; ++i) {
        rows_[i] = rows[members_[i]];
        sizes_[i] = sets.size(rows_[i]);
        if (groups) groups_[i] = groups[members_[i]];
    }
    Buffer<Posting> prefixes;
    order_elements(sets, threads, prefixes);
    index_elements(prefixes);
}

void BucketJoin::order_elements(const Sets& sets, int threads, Buffer<Posting>& prefixes) {
    constexpr u64 at_once = 64;
    const u64 n = rows_.size();
    u64 total = 0;
    for (const u64 size : sizes_) total += size;
    // Count how often each element occurs in the bucket. Elements that share a slot are counted together: a count that
    // is too high moves an element towards the end of the order, which costs a little time and misses no pair.
    u64 slots = 1024;
    while (slots < 2 * total && slots < (1u << 26)) slots *= 2;
    std::vector<u32> counts(slots);
    parallel_for(n, at_once, threads, [&](u32, u64 begin, u64 end) {
        for (u64 r = begin; r < end; ++r) {
            const u64* const set = sets.set(rows_[r]);
            for (u64 e = 0; e < sizes_[r]; ++e) {
                std::atomic_ref<u32>(counts[set[e] & (slots - 1)]).fetch_add(1, std::memory_order_relaxed);
                parities_[r].flip(set[e]);
            }
        }
    });
    const bool exact_ones =
        total < (1ull << 32);  // counts cannot overflow: a count of one means that no other record contains it
    struct Element {
        u64 value;
        u32 count;
        bool operator<(const Element& o) const { return count != o.count ? count < o.count : value < o.value; }
    };
    std::vector<std::vector<Element>> scratch(workers_for(n, at_once, threads));
    std::vector<std::vector<u64>> parts(n / at_once + 1);
    parallel_for(n, at_once, threads, [&](u32 worker, u64 begin, u64 end) {
        std::vector<Element>& elements = scratch[worker];
        std::vector<u64>& part = parts[begin / at_once];
        for (u64 r = begin; r < end; ++r) {
            const u64 size = sizes_[r], prefix = size - threshold_.least_size(size) + 1;
            const u64* const set = sets.set(rows_[r]);
            elements.resize(size);
            for (u64 e = 0; e < size; ++e) elements[e] = {set[e], counts[set[e] & (slots - 1)]};
            if (prefix < size) std::nth_element(elements.begin(), elements.begin() + i64(prefix), elements.end());
            elements.resize(prefix);
            std::sort(elements.begin(), elements.end());
            u64 alone = 0;
            while (exact_ones && alone < prefix && elements[alone].count == 1) ++alone;
            first_shared_[r] = static_cast<u32>(alone);
            starts_[r + 1] = prefix - alone;
            for (u64 e = alone; e < prefix; ++e) part.push_back(elements[e].value);
        }
    });
    for (u64 r = 0; r < n; ++r) starts_[r + 1] += starts_[r];
    prefixes.reserve(starts_[n]);
    for (u64 p = 0; p < parts.size(); ++p) {
        u64 r = p * at_once;
        for (u64 e = 0; e < parts[p].size(); ++e) {
            const u64 at = prefixes.size();
            while (at >= starts_[r + 1]) ++r;
            const u32 position = first_shared_[r] + static_cast<u32>(at - starts_[r]);
            prefixes.push({parts[p][e], static_cast<u32>(r), position});
        }
        std::vector<u64>().swap(parts[p]);
    }
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
