// The passes: blocks of baskets in, one after the other, counts out. The answer is the same for any threads and any
// blocks.
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
    // `limit`: bytes for the dictionary; `waiting`: bytes for pairs on their way to their buckets.
    // `tables` bucket counts of 2^bits counters of `width` bytes, each under a hash function of its own.
    FirstPass(u64 limit, u64 waiting, u32 tables, u32 bits, u32 width);
    template <class Block>
    void take(const Block& block, int threads);

    Items frequent(u64 support) const;  // of the items counted in this reading
    // Where the dictionary outgrew its limit, some items are yet to be counted: then the baskets have to be read again.
    bool has_more() const { return dictionary_.end() < kAllHashes; }
    void next();

    std::vector<Buckets> buckets;
    u64 baskets = 0, items = 0, pairs = 0, largest = 0;  // pairs and largest basket: without repetitions
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

// Counts pairs of frequent items: those that all bitmaps let through.
class PairPass {
  public:
    // Items are numbered in the order given. `limit` are bytes for the table of pairs, `waiting` for pairs on their
    // way.
    PairPass(const u8* text, const i64* offsets, u64 items, std::vector<Bitmap>&& bitmaps, u64 limit, u64 waiting);
    void count_triangle(int threads);
    void count_triples();
    void count_buckets(Bucketing bucketing, u32 width);
    template <class Block>
    void take(const Block& block, int threads);

    Counted finish(u64 support);  // the frequent pairs of this reading, or of a triangle all
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
    u64 buffers_peak = 0, baskets = 0;  // baskets: of this reading

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
    u64 private_ = 0;  // threads that have a triangle of their own
};

}  // namespace lookalike::frequent
