// Sets → groups, such that similar sets are in the same group. The sets need not be in memory together.
//
// The rarest elements of a set are its prefix, and similar sets share an element of their prefixes. So sets whose
// prefixes share an element are put into one group, unless their sizes or their parity show that they differ too much.
// Most groups have few sets, so that an exact join of one group after another takes little memory.
#pragma once
#include <atomic>
#include <vector>

#include "../sets.h"
#include "measures.h"

namespace lookalike {

class Groups {
  public:
    // For `rows` sets with about this many elements in all. Takes at most about `most` bytes, besides 8 per set and
    // what `add` notes.
    Groups(const Threshold& threshold, u64 rows, u64 elements, u64 most);

    // Counts the elements of some sets, from which the order of elements follows. Call it once for all sets, in any
    // order, before `add`. Rough counts only make groups larger.
    void count(const Sets& sets, int threads);

    // Notes the prefixes of some sets, which follow those that were added before.
    void add(const Sets& sets, int threads);

    u64 bytes() const;

    // Moves the noted prefixes to a file, which must stay open, if they exceed `most` bytes; also those of later calls.
    void spill(int file, u64 most);

    // For each set, the first set of its group. Nothing can be added afterwards.
    Array<i64> labels(int threads);

  private:
    struct Block {                // the prefixes of the sets of one call
        Array<u64> entries;       // by partition
        std::vector<u64> starts;  // of each partition in `entries`
        i64 at = -1;              // the position of the entries in the file; -1 if they are in memory
    };

    void store(Block& block);
    void take(u64 partition, Buffer<u64>& entries) const;
    void join(const u64* begin, const u64* end, Buffer<u64>& by_size);
    bool near(u32 a, u32 b) const;
    u32 find(u32 row);
    void unite(u32 a, u32 b);

    Measure measure_;
    u64 rows_, added_ = 0, words_ = 1;
    u32 shift_;
    Array<u16> counts_;  // of the elements in each slot; 65,535 also for more
    Array<u32> sizes_;
    Array<u64> parities_;  // `words_` per set
    std::vector<Block> blocks_;
    std::vector<std::atomic<u32>> parents_;
    u64 held_ = 0, most_ = ~0ull, written_ = 0;  // bytes of entries in memory, and in the file
    int file_ = -1;
};

}  // namespace lookalike
