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
    struct Batch {  // the documents of one call, in blocks of `block_rows` documents
        u64 start = 0, rows = 0, block_rows = 1;
        Array<u32> entries;  // by partition, and then by block; see census.cpp
        Array<u32> counts;   // of entries, for each partition and block
        Array<u64> starts;   // of each partition in `entries`

        u64 blocks() const { return (rows + block_rows - 1) / block_rows; }
    };

    void note(const Documents& documents, const Shingling& shingling, int threads, SketchTable& table, Batch& batch);
    void mark_unique(int threads);
    template <class Keep>
    void keep(int threads, Keep&& keeps);

    u64 bound_;
    std::vector<Batch> batches_;
    u64 bytes_ = 0;
    std::mutex adding_;
};

}  // namespace lookalike
