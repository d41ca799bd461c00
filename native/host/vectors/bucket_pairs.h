// Compares the rows of a bucket, and keeps the pairs within a distance.
#pragma once
#include <atomic>
#include <stdexcept>

#include "../simd/steps.h"
#include "bit_blocks.h"

namespace lookalike::vectors {

inline constexpr u64 kGathered = 128;  // rows per block of comparisons

// Distinct rows of bits, those on the left first. Without a right side, all rows are on both.
struct BitTask {
    Bits bits;
    u64 split = 0;  // the number of rows on the left
    bool within = true;
    u64 distance = 0;
    const u64* starts = nullptr;  // row i stands for starts[i + 1] − starts[i] equal rows
    u64 most = 0;                 // the greatest number of pairs of the rows that they stand for
    std::atomic<u64> pairs{0};

    u64 members(u64 row) const { return starts[row + 1] - starts[row]; }
    double pairs_of(u64 left, u64 count) const {
        const double l = static_cast<double>(left), n = static_cast<double>(count);
        return within ? n * (n - 1) / 2 : l * (n - l);
    }
    void add(u64 found) {
        if ((pairs += found) > most) throw std::overflow_error("too many pairs");
    }
};

// A combination of blocks in which the rows of a bucket agree, within a bucket of the level above.
struct Level {
    const Level* above = nullptr;
    const std::vector<Block>* blocks = nullptr;
    const std::vector<u32>* combination = nullptr;  // numbers of blocks, ascending

    // A pair is found only in the first combination in which it agrees, on every level: in the blocks with the lowest
    // numbers. Rows with equal keys need not agree, because keys are hashes.
    bool is_first(const u64* a, const u64* b) const {
        if (above && !above->is_first(a, b)) return false;
        u64 next = 0;
        for (u32 block = 0; next < combination->size(); ++block) {
            const bool chosen = block == (*combination)[next];
            if (agree(a, b, (*blocks)[block]) != chosen) return false;
            next += chosen;
        }
        return true;
    }
};

// Rows of a bucket in ascending order; `left` of them are on the left.
struct Bucket {
    const u64* rows;
    u64 count, left;
};

// The work of one thread.
class BucketPairs {
  public:
    explicit BucketPairs(BitTask& task) : task_(task) {}

    // Compares rows number begin … end of the left side with the right side or, within one collection, with all later
    // rows.
    void compare(const Bucket& bucket, u64 begin, u64 end, const Level* level);

    std::vector<Pair> found;
    u64 checked = 0;

  private:
    void gather(const Bucket& bucket, u64 begin, u64 end, Buffer<u64>& to) const;
    void compare_row(const u64* row, u64 number, const u64* others, const u64* numbers, u64 count);

    BitTask& task_;
    const Level* level_ = nullptr;
    const lookalike_steps::Steps& steps_ = lookalike_steps::steps();
    Buffer<u64> one_, two_;
    u64 waiting_ = 0;  // pairs not yet added to the task
    u32 hits_[kGathered];
};

}  // namespace lookalike::vectors
