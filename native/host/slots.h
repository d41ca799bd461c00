// Which of many hashes occur more than once? Counted roughly: hashes that meet in one slot are counted together.
//
// A table for all of them would be far larger than a cache, and every count a cache miss. So hashes are first dealt out
// to partitions by some of their bits, and then each partition is counted in a small table of its own.
#pragma once
#include <algorithm>
#include <vector>

#include "../core/base.h"

namespace lookalike {

inline constexpr u64 kPartitions = 1024;
inline constexpr u32 kSlotBits = 23;

// Bits of one product decide everything: the low ones the partition and the slot, the high ones are left to the caller.
inline u64 spread(u64 hash) { return hash * 0x9E3779B97F4A7C15ull; }
inline u64 partition_of(u64 x) { return x % kPartitions; }
inline u32 slot_of(u64 x) { return static_cast<u32>(x / kPartitions) & ((1u << kSlotBits) - 1); }

// Two bits per slot: whether it was met, and whether it was met again.
class Slots {
  public:
    // For a partition of this many hashes: 16 slots for each, or more, so that few meet by chance.
    explicit Slots(u64 hashes) {
        u32 bits = 10;
        while ((1ull << bits) < 16 * hashes && bits < kSlotBits) ++bits;
        mask_ = (1u << bits) - 1;
        words_.resize((1ull << bits) / 32);
    }

    void clear() { std::fill(words_.begin(), words_.end(), 0ull); }
    // With `counts` 0, nothing is counted: a branch would cost more.
    void meet(u32 slot, u64 counts = 1) {
        u64& word = words_[(slot & mask_) / 32];
        const u64 bit = counts << 2 * (slot & mask_ & 31);
        word |= (word & bit) << 1 | bit;
    }
    bool met(u32 slot) const { return words_[(slot & mask_) / 32] >> 2 * (slot & mask_ & 31) & 1; }
    bool met_again(u32 slot) const { return words_[(slot & mask_) / 32] >> (2 * (slot & mask_ & 31) + 1) & 1; }

  private:
    u32 mask_;
    std::vector<u64> words_;
};

}  // namespace lookalike
