// Two ways to count pairs i < j of n items: a triangle with one counter for every pair, or triples (i, j, count) for
// the pairs that occur.
#pragma once
#include <vector>

#include "deal.h"

namespace lookalike::frequent {

struct Counted {        // frequent pairs, in no particular order
    Buffer<u64> pairs;  // left in the high half, right in the low half
    Buffer<u32> counts;
    u64 candidates = 0;  // pairs that occurred and were counted
};

inline u64 pair_of(u64 left, u64 right) { return left << 32 | right; }

// Orders by descending count, then by pair.
struct Ranked {
    u64 pair;
    u32 count;
};
Array<Ranked> ranked(const u64* pairs, const u32* counts, u64 n);

// Row by row: (0, 1), (0, 2) … (0, n − 1), (1, 2) … (MMDS, chapter 6, but counted from 0).
class Triangle {
  public:
    // `copies`: one triangle per thread if triangles are small; otherwise one triangle, in shards.
    Triangle(u64 items, u32 copies);
    static u64 places(u64 items) { return items * (items - (items > 0)) / 2; }
    u64 place(u64 left, u64 right) const { return left * (2 * items_ - left - 1) / 2 + right - left - 1; }
    u64 bytes() const { return counts_.size() * sizeof(u32); }
    u32* copy(u32 worker) { return counts_.data() + worker * places(items_); }
    u32 shard_shift() const { return shift_; }
    void take(u32 shard, const u32* places, u64 n) {
        u32* const counts = counts_.data() + (u64{shard} << shift_);
        for (u64 k = 0; k < n; ++k) ++counts[places[k]];
    }
    void finish(u64 support, Counted& out);

  private:
    u64 items_;
    u32 copies_, shift_ = 0;
    std::vector<u32> counts_;
};

// Hash tables of the pairs whose hash is in a range. When they exceed `limit` bytes, the upper half of the range is
// dropped, to be counted in another pass.
class Triples {
  public:
    explicit Triples(u64 limit);
    static u32 hash(u64 pair) { return static_cast<u32>(mix(pair) >> 32); }
    static u32 home(u64 pair) { return static_cast<u32>(mix(pair)); }
    bool takes(u32 hash) const { return hash >= begin_ && hash < end_; }
    u32 shard(u32 hash) const { return hash & (shards_ - 1); }
    void take(u32 shard, const u64* pairs, u64 n);
    void settle();
    u64 bytes() const;
    u64 peak() const { return peak_; }
    void finish(u64 support, Counted& out);
    bool has_more() const { return end_ < kAllHashes; }
    void next() {
        begin_ = end_;
        end_ = kAllHashes;
    }

  private:
    struct Shard {
        std::vector<u64> pairs;
        std::vector<u32> counts;
        u64 size = 0;
        bool is_full() const { return size + 1 > pairs.size() / 5 * 4; }
        u64 bytes() const { return pairs.capacity() * sizeof(u64) + counts.capacity() * sizeof(u32); }
    };
    void add(Shard& shard, u64 pair, u32 count) const;
    void grow(Shard& shard) const;
    void rebuild(Shard& shard, u64 slots, u64 end) const;

    u64 limit_, begin_ = 0, end_ = kAllHashes, peak_ = 0;
    u32 shards_;
    Shard tables_[kShards];
};

}  // namespace lookalike::frequent
