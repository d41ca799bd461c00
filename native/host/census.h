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

    // For documents that were added before their rows were known, with batch << bits as `start`: starts[batch] is their
    // first row.
    void place(const i64* starts, u64 batches, u32 bits);

    // Notes the elements of sets, which are all rows of the collection.
    void add(const Sets& sets, int threads);

    // The memory of the elements, without those in the file.
    u64 bytes() const { return bytes_; }

    // From now on, keeps at most about `most` bytes of elements in memory, and the others in a file, which must stay
    // open. They are read back in pieces of about that size.
    void spill(int file, u64 most);

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
        i64 at = -1;    // the position of the entries in the file; -1 if they are in memory
        u32 first = 0;  // the first of the entries that are in memory

        const u32* entries(u64 partition) const { return block.entries.data.get() + block.starts[partition] - first; }
    };

    template <class Elements>
    void note(u64 rows, u64 block_rows, u64 start, int threads, Elements&& elements);
    static Block dealt_out(const Buffer<u64>& sampled);
    static Block joined(Block* first, Block* last);
    void hold(Group group);
    void store(Group& group);
    void load(Group& group, u64 from, u64 to) const;
    u64 stored() const;
    template <class Visit>
    void each_entry(u64 partition, Visit&& visit) const;
    std::vector<Array<u16>> count_unique(const Array<u8>& kept, int threads);
    void keep(const Array<u8>& kept, int threads);

    u64 bound_;
    std::vector<Group> groups_;
    u64 bytes_ = 0;
    int file_ = -1;
    u64 most_ = ~0ull, written_ = 0;  // bytes in memory, and in the file
    std::mutex adding_;
};

// Sets → for each, 1 if it can have a partner, and the sets that can. Copies of another set make its elements look
// shared.
std::pair<Array<u8>, ShingleTable> prune_sets(const Sets& sets, const Threshold& threshold, int threads);

}  // namespace lookalike
