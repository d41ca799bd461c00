#include "survivor_index.h"

namespace lookalike {

SurvivorIndex::SurvivorIndex(const Sets& sets, const Replaceable& replaceable, std::vector<u32> rows, int threads)
    : replaceable_(replaceable), rows_(std::move(rows)), sizes_(rows_.size()), probed_(rows_.size()) {
    for (u64 r = 0; r < rows_.size(); ++r) sizes_[r] = sets.size(rows_[r]);
    const auto probed = [&](u64 size) { return size ? size - replaceable_.least_overlap(size) + 1 : 0; };
    const auto indexed = [&](u64 size) { return replaceable_.needs_containment ? size : probed(size); };
    Prefixes prefixes(sets, rows_.data(), rows_.size(), indexed, threads);
    bits_ = std::move(prefixes.bits);
    starts_ = std::move(prefixes.starts);
    first_shared_ = std::move(prefixes.first_shared);
    for (u64 r = 0; r < rows_.size(); ++r) {
        const u64 wanted = probed(sizes_[r]), own = first_shared_[r];
        probed_[r] = static_cast<u32>(wanted > own ? wanted - own : 0);
    }
    Buffer<Posting>& postings = prefixes.postings;
    Buffer<Posting> other;
    Buffer<u64> counts;
    other.reserve(postings.size());
    sort_by_key(postings.data(), postings.size(), other.data(), counts);
    runs_.assign(postings.size(), kNoRun);
    u64 room = 0;
    for (u64 begin = 0, end; begin < postings.size(); begin = end) {
        for (end = begin + 1; end < postings.size() && postings[end].key == postings[begin].key;) ++end;
        if (end - begin < 2) continue;
        for (u64 i = begin; i < end; ++i) {
            const auto& [key, record, position] = postings[i];
            runs_[starts_[record] + position - first_shared_[record]] = static_cast<u32>(begins_.size());
        }
        begins_.push_back(room);
        room += end - begin;
    }
    ends_ = begins_;
    found_in_.resize(room);
}

}  // namespace lookalike
