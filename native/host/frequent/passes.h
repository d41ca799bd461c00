// The passes over blocks of baskets that count items and pairs. The result does not depend on threads or block sizes.
#pragma once
#include <optional>

#include "../check.h"
#include "buckets.h"
#include "tables.h"

namespace lookalike::frequent {

struct Items {  // in no particular order
    Buffer<u8> text;
    Buffer<i64> offsets;
    Buffer<i64> counts;
};

// Counts every item exactly, and for PCY the buckets of all pairs.
class FirstPass {
  public:
    // `limit`: bytes for the dictionary; `waiting`: bytes for pairs that are not yet counted in buckets.
    // `tables`: number of bucket tables, each of 2^bits counters of `width` bytes and with a different hash function.
    FirstPass(u64 limit, u64 waiting, u32 tables, u32 bits, u32 width);
    template <class Block>
    void take(const Block& block, int threads);

    Items frequent(u64 support) const;  // of the items counted in this read
    // True if the dictionary exceeded its limit and some items are not yet counted: the baskets must be read again.
    bool has_more() const { return dictionary_.end() < kAllHashes; }
    void next();

    std::vector<Buckets> buckets;
    u64 baskets = 0, items = 0, pairs = 0, largest = 0;  // pairs and largest: repetitions not counted
    u64 distinct() const { return earlier_ + dictionary_.size(); }
    u64 dictionary_peak = 0, buffers_peak = 0;
    bool integers() const { return dictionary_.has_only_integers(); }

  private:
    void number_unknown();

    u64 limit_, earlier_ = 0;
    bool again_ = false;
    Dictionary dictionary_;
    std::vector<u32> counts_;
    std::vector<Stripe> stripes_;
    Dealer<u32> dealer_;
};

// Counts the pairs of frequent items that pass all bitmaps.
class PairPass {
  public:
    // Items are numbered in the given order. `limit`: bytes for the table of pairs; `waiting`: bytes for pairs that are
    // not yet counted.
    PairPass(const u8* text, const i64* offsets, u64 items, std::vector<Bitmap>&& bitmaps, u64 limit, u64 waiting);
    void count_triangle(int threads);
    void count_triples();
    void count_buckets(Bucketing bucketing, u32 width);
    template <class Block>
    void take(const Block& block, int threads);

    Counted finish(u64 support);  // the frequent pairs of this read; for a triangle, of all reads
    bool has_more() const { return triples_ && triples_->has_more(); }
    void next() {
        require(has_more(), "everything was counted");
        triples_->next();
        baskets = 0;
    }

    std::optional<Buckets> buckets;
    u64 table_peak() const {
        return triangle_ ? triangle_->bytes() : triples_ ? triples_->peak() : buckets ? buckets->bytes() : 0;
    }
    u64 dictionary_bytes() const { return dictionary_.bytes(); }
    u64 buffers_peak = 0, baskets = 0;  // baskets: in this read

  private:
    template <bool kFiltered>
    void count(int threads);
    template <bool kFiltered, class Found>
    void each(const Run& run, Found&& found) const;

    u64 limit_;
    Dictionary dictionary_;
    std::vector<Bitmap> bitmaps_;
    std::vector<Stripe> stripes_;
    Dealer<u32> places_;
    Dealer<u64> pairs_;
    std::optional<Triangle> triangle_;
    std::optional<Triples> triples_;
    u64 private_ = 0;  // number of threads with a private triangle
};

}  // namespace lookalike::frequent
