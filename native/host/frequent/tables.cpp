#include "tables.h"

#include "../sorting.h"

namespace lookalike::frequent {

namespace {

constexpr u64 kFree = ~0ull;  // no pair: left < right

struct ByPair : Ranked {};
struct ByCount : Ranked {};
u64 key_of(const ByPair& entry) { return entry.pair; }
u64 key_of(const ByCount& entry) { return u32{~entry.count}; }

u64 slots_for(u64 size) { return size + size / 2 + 20; }

}  // namespace

Array<Ranked> ranked(const u64* pairs, const u32* counts, u64 n) {
    Array<Ranked> all(n), other(n);
    u64 seen = 0;
    for (u64 k = 0; k < n; ++k) {
        all[k] = {pairs[k], counts[k]};
        seen |= pairs[k];
    }
    Buffer<u64> scratch;
    sort_by_key(static_cast<ByPair*>(all.begin()), n, static_cast<ByPair*>(other.begin()), scratch, bits_of(seen));
    sort_by_key(static_cast<ByCount*>(all.begin()), n, static_cast<ByCount*>(other.begin()), scratch, 32);
    return all;
}

Triangle::Triangle(u64 items, u32 copies) : items_(items), copies_(copies), counts_(places(items) * copies) {
    while (places(items) >> shift_ >= kShards) ++shift_;
}

void Triangle::finish(u64 support, Counted& out) {
    const u64 n = places(items_);
    for (u32 c = 1; c < copies_; ++c)
        for (u64 k = 0; k < n; ++k) counts_[k] += counts_[c * n + k];
    u64 k = 0;
    for (u64 left = 0; left < items_; ++left)
        for (u64 right = left + 1; right < items_; ++right, ++k) {
            out.candidates += counts_[k] != 0;
            if (counts_[k] < support) continue;
            out.pairs.push(pair_of(left, right));
            out.counts.push(counts_[k]);
        }
}

// A small table is not worth dividing into shards.
Triples::Triples(u64 limit) : limit_(std::max<u64>(limit, 4096)), shards_(limit < (1u << 20) ? 1 : kShards) {}

// Doubles while far below the limit; near it, doubling could exceed the limit by as much again.
void Triples::grow(Shard& shard) const {
    const bool has_room = shard.bytes() * shards_ * 4 < limit_;
    rebuild(shard, slots_for(has_room ? 2 * shard.size : shard.size), kAllHashes);
}

void Triples::add(Shard& shard, u64 pair, u32 count) const {
    if (shard.is_full()) grow(shard);
    const u64 slots = shard.pairs.size();
    u64 at = home(pair) * slots >> 32;
    while (shard.pairs[at] != pair && shard.pairs[at] != kFree)
        if (++at == slots) at = 0;
    shard.size += shard.pairs[at] == kFree;
    shard.pairs[at] = pair;
    shard.counts[at] += count;
}

// Rebuilds the table with this many slots, keeping the pairs whose hash is below `end`.
void Triples::rebuild(Shard& shard, u64 slots, u64 end) const {
    Shard old;
    std::swap(old, shard);
    shard.pairs.assign(slots, kFree);
    shard.counts.assign(slots, 0);
    for (u64 k = 0; k < old.pairs.size(); ++k)
        if (old.pairs[k] != kFree && hash(old.pairs[k]) < end) add(shard, old.pairs[k], old.counts[k]);
}

void Triples::take(u32 shard, const u64* pairs, u64 n) {
    for (u64 k = 0; k < n; ++k) add(tables_[shard], pairs[k], 1);
}

u64 Triples::bytes() const {
    u64 total = 0;
    for (const Shard& shard : tables_) total += shard.bytes();
    return total;
}

void Triples::settle() {
    peak_ = std::max(peak_, bytes());
    while (bytes() > limit_ - limit_ / 4 && end_ - begin_ > 1) {  // the rest is reserved for the next values
        end_ = begin_ + (end_ - begin_) / 2;
        for (Shard& shard : tables_) {
            u64 left = 0;
            for (const u64 pair : shard.pairs) left += pair != kFree && hash(pair) < end_;
            if (shard.size) rebuild(shard, slots_for(left), end_);
        }
    }
}

void Triples::finish(u64 support, Counted& out) {
    peak_ = std::max(peak_, bytes());
    for (Shard& shard : tables_) {
        out.candidates += shard.size;
        for (u64 k = 0; k < shard.pairs.size(); ++k)
            if (shard.pairs[k] != kFree && shard.counts[k] >= support) {
                out.pairs.push(shard.pairs[k]);
                out.counts.push(shard.counts[k]);
            }
        shard = Shard();
    }
}

}  // namespace lookalike::frequent
