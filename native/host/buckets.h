// Band keys → buckets → candidate pairs.
#pragma once
#include <atomic>
#include <stdexcept>
#include <vector>

#include "../core/hash128.h"
#include "array.h"
#include "check.h"

namespace lookalike {

// `bands` keys per row, in row order.
struct Keys {
    u64 rows = 0, bands = 0;
    const u64* values = nullptr;

    void check() const {
        check_row_count(rows);
        require(bands >= 1 && bands <= 4096, "keys must have 1 … 4096 bands, got " + std::to_string(bands));
    }
    const u64* row(u64 i) const { return values + i * bands; }

    // True if two rows share a key in a band before this one. A pair is processed only in the first band in which its
    // rows share a key, so that no list of pairs already seen is needed.
    bool met_before(u64 a, u64 b, u64 band) const {
        const u64 *x = row(a), *y = row(b);
        for (u64 i = 0; i < band; ++i)
            if (x[i] == y[i]) return true;
        return false;
    }
};

// The candidate pairs that a call processes: those that first share a key in one of the bands first … last and, with a
// split, have one row before it and one at or after it. The shares of one table together cover every pair once.
struct Share {
    u64 first = 0, last = ~0ull, split = 0;

    void check(const Keys& keys) const {
        require(first <= std::min(last, keys.bands), "a share of the bands must not end before it begins");
        require(split <= keys.rows, "the split must be one of the rows, got " + std::to_string(split));
    }
    u64 last_of(u64 bands) const { return last < bands ? last : bands; }
    bool has(u32 a, u32 b) const { return split == 0 || (a < split) != (b < split); }
};

// The buckets of one band that have at least two members, each in ascending order.
struct Buckets {
    std::vector<u32> members;
    std::vector<u64> starts{0};  // one more than the number of buckets

    u64 count() const { return starts.size() - 1; }
    u64 size(u64 b) const { return starts[b + 1] - starts[b]; }
    const u32* bucket(u64 b) const { return members.data() + starts[b]; }
};

// The buckets of all bands; bands outside the share have none. Rows for which `left_out` (if given) is not zero are in
// no bucket.
std::vector<Buckets> group(const Keys& keys, const u8* left_out, int threads, const Share& share = {});

// The buckets of one band, from its keys only: key i belongs to row i or, if `rows` is given, to rows[i]. Members of a
// bucket keep their input order. Keys for which `left_out` (if given) is not zero are in no bucket.
Buckets buckets_of(const u64* keys, const u32* rows, const u8* left_out, u64 n);

// A unit of work on the buckets of one band: either the buckets first … last, or the members begin … end of the single
// bucket `first`, each paired with all members after it.
struct Stretch {
    u32 band;
    u64 first, last;
    u64 begin, end;
};

// All pairs of all buckets with `least` … `most` members, divided into stretches of similar cost.
std::vector<Stretch> stretches(const std::vector<Buckets>& bands, u64 least, u64 most);

// Calls pair(a, b) for every pair a < b of the stretch and the share that shared no key in an earlier band.
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
    u64 common;  // |A∩B|, if known
};

// The number of pairs that all workers have listed. Workers add in steps, because they share this counter.
class Listed {
  public:
    explicit Listed(u64 most) : most_(most) {}
    // Called after every pair that a worker adds to its list.
    void grown_to(u64 size) {
        constexpr u64 step = 1024;
        if (size % step == 0 && (total_ += step) > most_) throw std::overflow_error("too many pairs");
    }

  private:
    const u64 most_;
    std::atomic<u64> total_{0};
};

// The pairs that several workers found, merged and ordered by (left, right).
Array<Pair> in_order(std::vector<std::vector<Pair>>& found, u64 rows, int threads);

// Buckets with more members than this are joined by prefixes (join.h) instead of pair by pair.
inline constexpr u64 kSmallBucket = 64;

enum InBucket : u8 { kInBucket = 1, kInLarge = 2 };

// For each row, the bits of InBucket: does it share a bucket with another row, and is one of its buckets large? Rows
// that are left out have no bits.
Array<u8> bucketed(const Keys& keys, const u8* left_out, int threads);
// Throws std::overflow_error as soon as there are known to be more than `most` candidates.
Array<Pair> candidates(const Keys& keys, int threads, const Share& share = {}, u64 most = ~0ull);

// For each row, the first row with the same hash; for an empty row, the row itself.
Array<i64> copies(const Hash128* hashes, const u8* empty, u64 rows, int threads);

}  // namespace lookalike
