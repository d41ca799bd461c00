// Elements of large collections → codes, from rare to frequent, without a table that is larger than a cache.
//
// `Codes` (order.h) counts elements in a table of a few million slots. If there are many more elements, most slots are
// shared by chance, and every access is a cache miss. So here elements are dealt out to partitions first (../slots.h),
// each partition is counted on its own, and the codes are written next to the elements instead of being looked up.
#pragma once
#include <memory>
#include <vector>

#include "../sets.h"
#include "../slots.h"
#include "../threads.h"

namespace lookalike {

class Ranks {
  public:
    static constexpr u32 kOwn = ~0u;  // the code of elements that are in no other set

    // With `right`, an element is shared if both collections contain it; otherwise, if two sets do.
    Ranks(const Sets& left, const Sets* right, int threads);

    // True if it pays: the collections are large, and many elements are in one set only.
    static bool worth_it(const Sets& left, const Sets* right, int threads);

    u64 count() const { return count_; }

    // One collection. A block is some consecutive sets.
    class Side {
      public:
        Side(const Sets& sets, int threads);

        u64 blocks() const { return firsts_.size() - 1; }
        u64 first_row(u64 block) const { return firsts_[block]; }
        u64 entries() const { return entries_.size; }
        u32* partition(u64 p) { return entries_.begin() + starts_[p * blocks()]; }

      private:
        friend class Ranks;
        u64 begin(u64 block) const { return static_cast<u64>(sets_.offsets[firsts_[block]]); }
        std::vector<u64> places(u64 block) const;

        Sets sets_;
        std::vector<u64> firsts_;
        std::vector<u64> starts_;  // of each partition and block in entries_
        // The slots of elements, and later their ranks. Within a partition and block, they keep the order of the
        // elements.
        Array<u32> entries_;
    };
    const Side& left() const { return left_; }
    const Side& right() const { return *right_; }

    // Gives the codes of the elements of a block. All elements must be asked for or skipped, in order.
    class Reader {
      public:
        Reader(const Ranks& ranks, const Side& side, u64 block)
            : ranks_(ranks), entries_(side.entries_.data.get()), next_(side.places(block)) {}

        u32 of(u64 x) {  // x is the element, spread
            const u64 p = partition_of(x);
            const u32 rank = entries_[next_[p]++];
            return rank == kOwn
                       ? kOwn
                       : (ranks_.bases_[(rank >> kPlaceBits) * kPartitions + p] + (rank & kMostPlace)) >> ranks_.shift_;
        }

        void skip(const u64* set, u64 n) {
            for (u64 e = 0; e < n; ++e) ++next_[partition_of(spread(set[e]))];
        }

      private:
        const Ranks& ranks_;
        const u32* entries_;
        std::vector<u64> next_;
    };

  private:
    // A rank is a class of frequencies, and the place of an element among those of its class and partition.
    static constexpr u32 kPlaceBits = kSlotBits + 1, kMostPlace = (1u << kPlaceBits) - 1;
    static constexpr u32 kClasses = 96;
    static u32 class_of(u32 count);

    struct Scratch;
    void rank(u64 p, Scratch& scratch);

    Side left_;
    std::unique_ptr<Side> right_;
    std::vector<u32> bases_;  // the first code of each class and partition
    u64 count_ = 0;
    u32 shift_ = 0;
};

}  // namespace lookalike
