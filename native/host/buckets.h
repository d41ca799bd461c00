// Band keys → buckets → candidate pairs.
#pragma once
#include <atomic>
#include <stdexcept>
#include <vector>

#include "array.h"
#include "check.h"

namespace lookalike {

// `bands` keys a row, row after row.
struct Keys {
    u64 rows = 0, bands = 0;
    const u64* values = nullptr;

    void check() const {
        check_row_count(rows);
        require(bands >= 1 && bands <= 4096, "keys must have 1 … 4096 bands, got " + std::to_string(bands));
    }
    const u64* row(u64 i) const { return values + i * bands; }

    // Whether two rows met in a band before this one. A pair is dealt with in the first band in which it meets, so
    // that nothing needs to be remembered about it.
    bool met_before(u64 a, u64 b, u64 band) const {
        const u64 *x = row(a), *y = row(b);
        for (u64 i = 0; i < band; ++i)
            if (x[i] == y[i]) return true;
        return false;
    }
};

// Which candidate pairs a call deals with: those that meet for the first time in one of the bands first … last and,
// with a split, have one row before it and one from it on. All shares of one table together deal with every pair once.
struct Share {
    u64 first = 0, last = ~0ull, split = 0;

    void check(const Keys& keys) const {
        require(first <= std::min(last, keys.bands), "a share of the bands must not end before it begins");
        require(split <= keys.rows, "the split must be one of the rows, got " + std::to_string(split));
    }
    u64 last_of(u64 bands) const { return last < bands ? last : bands; }
    bool has(u32 a, u32 b) const { return split == 0 || (a < split) != (b < split); }
};

// The buckets of one band that have two members or more; members ascend.
struct Buckets {
    std::vector<u32> members;
    std::vector<u64> starts{0};  // one more than there are buckets

    u64 count() const { return starts.size() - 1; }
    u64 size(u64 b) const { return starts[b + 1] - starts[b]; }
    const u32* bucket(u64 b) const { return members.data() + starts[b]; }
};

// All bands; those that are not in the share have no buckets. Rows for which `left_out` (if given) is not zero are in
// none.
std::vector<Buckets> group(const Keys& keys, const u8* left_out, int threads, const Share& share = {});

// The buckets of one band, from its keys alone: key i is of row i or, where rows are given, of rows[i]. Members of a
// bucket are in the order in which they came. Keys for which `left_out` (if given) is not zero are in none.
Buckets buckets_of(const u64* keys, const u32* rows, const u8* left_out, u64 n);

// A stretch of work on buckets of one band: buckets first … last, or members begin … end of the one bucket `first`
// against all that follow them.
struct Stretch {
    u32 band;
    u64 first, last;
    u64 begin, end;
};

// All pairs of all buckets with `least` … `most` members, in stretches of similar cost.
std::vector<Stretch> stretches(const std::vector<Buckets>& bands, u64 least, u64 most);

// Calls pair(a, b) for every pair a < b of the stretch and the share that did not meet in an earlier band.
template <class Pair>
void each_pair(const Keys& keys, const std::vector<Buckets>& bands, const Stretch& stretch, const Share& share,
               Pair&& pair) {
    const Buckets& buckets = bands[stretch.band];
    for (u64 b = stretch.first; b < stretch.last; ++b) {
        const u32* const rows = buckets.bucket(b);
        const u64 n = buckets.size(b), end = stretch.end < n ? stretch.end : n;
        for (u64 i = stretch.begin; i < end; ++i)
            for (u64 j = i + 1; j < n; ++j)
                if (share.has(rows[i], rows[j]) && !keys.met_before(rows[i], rows[j], stretch.band))
                    pair(rows[i], rows[j]);
    }
}

struct Pair {
    u32 left, right;
    u64 common;  // |A∩B|, where it is known
};

// How many pairs all workers have listed, counted in steps, because this counter is everybody's.
class Listed {
  public:
    explicit Listed(u64 most) : most_(most) {}
    // After every pair that one of them adds to its list.
    void grown_to(u64 size) {
        constexpr u64 step = 1024;
        if (size % step == 0 && (total_ += step) > most_) throw std::overflow_error("too many pairs");
    }

  private:
    const u64 most_;
    std::atomic<u64> total_{0};
};

// The pairs that several workers found, in one order: by (left, right).
Array<Pair> in_order(std::vector<std::vector<Pair>>& found, u64 rows, int threads);

// Buckets of more members than this are joined by prefixes instead of pair by pair.
inline constexpr u64 kSmallBucket = 64;

enum InBucket : u8 { kInBucket = 1, kInLarge = 2 };

// For each row the bits of InBucket: whether it shares a bucket with another, and a large one. Those left out do not.
Array<u8> bucketed(const Keys& keys, const u8* left_out, int threads);
// More candidates than `most` are refused with std::overflow_error as soon as they are known to be there.
Array<Pair> candidates(const Keys& keys, int threads, const Share& share = {}, u64 most = ~0ull);

// For each row the first row with the same fingerprint (two numbers a row); an empty row is its own.
Array<i64> copies(const u64* fingerprints, const u8* empty, u64 rows);

}  // namespace lookalike
