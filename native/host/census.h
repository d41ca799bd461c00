// Documents → those that can have a similar document. All others are left out before any sets are compared.
//
// If A and B have a similarity of at least t, they share at least ⌈t·|A|⌉ elements. So at most |A| − ⌈t·|A|⌉ elements
// of A are in no other document. A document with more of them has no partner, and most documents are of that kind. To
// find them, a census counts whether each element occurs once or more often.
//
// Whatever makes an element look shared keeps a document that could have been left out, and never loses a pair. So the
// census may be rough: it counts every occurrence, and not sets; elements that meet in one slot of its table are
// counted together (slots.h); and it looks only at a sample of all possible elements, those whose hash is below a
// bound.
#pragma once
#include <mutex>
#include <vector>

#include "documents.h"
#include "sets.h"

namespace lookalike {

class Cutter;

class Census {
  public:
    // `share` is the share of all possible elements that are counted, in (0, 1].
    explicit Census(double share);

    // Cuts documents, the first of which is row `start` of the collection, and notes their elements. Several threads
    // may call it at once. The table has no keys.
    SketchTable add(const Documents& documents, const Shingling& shingling, u64 start, int threads);

    u64 bytes() const { return bytes_; }

    // One byte per row: 1 if the document can have a partner. `windows` are at least the sizes of the sets. Rows in
    // `left_out` are not counted and get 0; copies of another row must be left out, because they would make all its
    // elements look shared. The census is empty afterwards.
    Array<u8> can_match(const u32* windows, const u8* left_out, u64 rows, const Threshold& threshold, int threads);

  private:
    struct Block {           // the sampled elements of some documents
        Array<u32> entries;  // by partition; see census.cpp
        Array<u32> starts;   // of each partition in `entries`
    };
    struct Group {  // consecutive documents
        u64 start = 0, rows = 0;
        Block block;
    };

    static Block dealt_out(const Buffer<u64>& sampled);
    static Block joined(Block* first, Block* last);
    template <class Visit>
    void each_entry(u64 partition, Visit&& visit) const;
    std::vector<Array<u16>> count_unique(const Array<u8>& kept, int threads) const;
    void keep(const Array<u8>& kept, int threads);

    u64 bound_;
    std::vector<Group> groups_;
    u64 bytes_ = 0;
    std::mutex adding_;
};

}  // namespace lookalike
