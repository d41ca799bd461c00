// Sets → records: distinct sets, ordered by size, each with its rarest elements.
//
// A join needs a common order of all elements, rare ones first, and is correct with any order. So elements are not
// looked up exactly: each is hashed to one of a few million slots, slots are ranked by how many elements they received,
// and the rank (`code`) represents the element. Elements that share a slot are confused, which makes sets look more
// similar, never less: it costs a comparison of the two sets and misses no pair. (Regard a set as pairs of code and
// occurrence number: elements that two sets really share, they also share in that form.)
//
// An element that is alone in its slot is in no other set. Such elements come first in the order and are only counted.
#pragma once
#include <utility>
#include <vector>

#include "../sets.h"
#include "memory.h"
#include "ranks.h"

namespace lookalike {

inline constexpr u64 kParityWords = 8;

struct Parity {  // a row of bits: each element of a set flips one
    u64 words[kParityWords];
};

// Slots and their codes: 0, 1, … from the rarest that can be shared to the most frequent.
class Codes {
  public:
    static constexpr u32 kOwn = ~0u;  // the code of elements that are in no other set

    // With `right`, an element is shared if both collections contain it.
    Codes(const Sets& left, const Sets* right, int threads);

    u64 count() const { return count_; }
    u32 of(u64 x) const { return codes_[x >> shift_]; }  // x is the element, spread
    void skip(const u64*, u64) const {}

  private:
    u32 shift_;
    u64 count_ = 0;
    Array<u32> codes_;
};

struct RankedSide {  // a collection whose elements have been ranked
    const Ranks& ranks;
    const Ranks::Side& side;
};

// A collection, ordered by size and then by first row. A record is a distinct set; the rows with that set are its
// copies.
class Records {
  public:
    Records(const Sets& sets, int threads);

    // The first `prefix(size)` elements of each record in the order of codes, except those that are in no other set.
    // The codes come from a table, or from the ranks of this collection.
    template <class CodesOrRanks, class Prefix>
    void cut(const CodesOrRanks& codes, int threads, Prefix&& prefix) {
        std::vector<Stretch> firsts(size_starts_.size() - 1);  // of the first record of each size
        u64 total = 0;
        first_cut_ = static_cast<u32>(count());
        for (u64 size = 0; size < firsts.size(); ++size) {
            const u64 records = size_starts_[size + 1] - size_starts_[size], wanted = records ? prefix(size) : 0;
            firsts[size] = {total, static_cast<u32>(wanted), 0};
            total += records * wanted;
            if (wanted > 0) first_cut_ = std::min(first_cut_, size_starts_[size]);
        }
        cut_prefixes(codes, firsts, total, threads);
    }

    u64 count() const { return sizes_.size(); }
    u64 size(u64 r) const { return sizes_[r]; }
    const u64* elements(u64 r) const { return sets_.set(rows_[first_[r]]); }
    const Parity& parity(u64 r) const { return parities_[r]; }

    const u32* copies(u64 r) const { return rows_.data() + first_[r]; }  // ascending
    u64 copy_count(u64 r) const { return first_[r + 1] - first_[r]; }
    u64 row_count() const { return rows_.size(); }
    u32 record(u64 row) const { return records_[row]; }

    // Codes of the prefix; the first of them is at position own(r) of the set.
    const u32* codes(u64 r) const { return codes_.data.get() + prefixes_[r].start; }
    u64 code_count(u64 r) const { return prefixes_[r].count; }
    u64 own(u64 r) const { return prefixes_[r].own; }
    u64 most_codes() const { return codes_.size; }  // of all records together
    u32 first_cut() const { return first_cut_; }    // no record before it has codes

    u64 largest() const { return size_starts_.size() - 2; }
    // The size of a record, given two sizes between which it lies; does not read the record.
    u64 size_between(u64 least, u64 most, u32 r) const {
        while (least < most) {
            const u64 middle = (least + most + 1) / 2;
            if (first_of_size(middle) <= r)
                least = middle;
            else
                most = middle - 1;
        }
        return least;
    }
    // The first record of at least this size.
    u32 first_of_size(u64 least) const { return size_starts_[std::min<u64>(least, size_starts_.size() - 1)]; }

  private:
    struct Stretch {  // of codes_
        u64 start;
        u32 count, own;
    };

    void make_room(u64 total);
    void cut_prefixes(const Codes& codes, const std::vector<Stretch>& firsts, u64 total, int threads);
    void cut_prefixes(const RankedSide& ranked, const std::vector<Stretch>& firsts, u64 total, int threads);
    template <class Reader>  // Codes or Ranks::Reader
    void cut_block(Reader&& codes, u64 begin, u64 end, const std::vector<Stretch>& firsts, Buffer<u32>& found);

    Sets sets_;
    std::vector<u32> rows_, first_, records_, sizes_, size_starts_;
    std::vector<u8> is_copy_;  // of a row before it
    u32 first_cut_ = 0;
    Array<Parity> parities_;
    Array<Stretch> prefixes_;
    Array<u32> codes_;
};

}  // namespace lookalike
