// Vectors: rows of single-precision coordinates, padded with zeros to a multiple of 16. Bits: rows of words.
#pragma once
#include <functional>

#include "../array.h"
#include "../check.h"

namespace lookalike::vectors {

struct Table {
    u64 rows = 0, width = 0;
    const float* values = nullptr;
    const float* own = nullptr;  // one number per row, used by `Nearness`; null: all 0

    void check() const {
        check_row_count(rows);
        require(width >= 16 && width % 16 == 0 && width <= 1 << 16,
                "vectors must be padded to a multiple of 16 coordinates, at most 65536, got " + std::to_string(width));
    }
    const float* row(u64 i) const { return values + i * width; }
    float own_of(u64 i) const { return own ? own[i] : 0; }
};

// When two vectors are near, up to single-precision rounding: x·y, or the sum of coordinate minima, is at least
// bound + own(x) + own(y); or |x − y| is at most that.
enum class Kind { products, differences, minima };

struct Nearness {
    Kind kind = Kind::products;
    float bound = 0;
};

// `bands` keys per row, stored band by band. Without bands, all rows share one bucket.
struct Keys {
    u64 rows = 0, bands = 0;
    const u32* values = nullptr;

    const u32* band(u64 i) const { return values + i * rows; }
};

// A pair is processed only in the first band in which its rows share a key, so that no list of pairs seen is needed.
inline bool met_before(const Keys& keys, u64 a, u64 b, u64 band) {
    for (u64 i = 0; i < band; ++i)
        if (keys.band(i)[a] == keys.band(i)[b]) return true;
    return false;
}

// Keys from bands × rows hash functions. Each is a coordinate of a random rotation: its sign (a random hyperplane) or,
// if `width` is not zero, the bin of that width that contains it (a random line).
struct Functions {
    u64 bands = 0, rows = 0, seed = 0;
    double width = 0;
};

u64 rotated_width(u64 width);
Array<u32> keys(const Table& table, const Functions& functions, int threads);

// Strings of bits, `words` words per row, and the number of places in which two near rows may differ: for a pair, the
// number of its first row.
struct Bits {
    u64 rows = 0, words = 0;
    const u64* values = nullptr;
    u64 most = 0;
    const u32* most_of = nullptr;  // one number per row, instead of one for all

    void check() const {
        check_row_count(rows);
        require(words >= 1 && words <= 1 << 16, "rows of bits must have 1 … 65536 words, got " + std::to_string(words));
    }
    const u64* row(u64 i) const { return values + i * words; }
    u64 limit(u64 i) const { return most_of ? most_of[i] : most; }
};

struct Pair {
    u32 left, right;
};

// The greatest number of pairs. When more pairs than that may be near, `sieve` moves those that are to the front, in
// order, and returns their number; without a sieve, all of them count. Each thread calls it separately.
struct Limit {
    u64 most;
    std::function<u64(Pair* pairs, u64 count)> sieve = nullptr;
};

struct Near {
    Array<i64> left, right;
    u64 checked = 0;  // vectors that were measured, or bits that were compared
};

// Pairs left < right that share a key and are near, in order. Throws std::overflow_error beyond the limit.
//
// `sketches` are bits of further hyperplanes. With them, pairs that differ in too many bits are skipped. A near pair is
// skipped with a small probability, which the caller takes into account.
Near near(const Table& table, const Nearness& nearness, const Bits* sketches, const Keys& keys, int threads,
          const Limit& limit);
Near near(const Bits& bits, const Keys& keys, int threads, const Limit& limit);

// Keys of bits: each hash function is one of the first `size` bits, drawn at random.
Array<u32> keys(const Bits& bits, u64 size, u64 bands, u64 rows, u64 seed, int threads);

// A sum over the coordinates of two rows in double precision: eight sums of every eighth term, added in a fixed order.
enum class Term { product, squared_difference, minimum, maximum };

template <class T>
double measured(Term term, const T* x, const T* y, u64 d);

// The same for pairs of rows; both sides have `d` coordinates per row.
template <class T>
void measure(Term term, const T* left_values, const T* right_values, u64 d, const i64* left, const i64* right,
             u64 count, int threads, double* out);

// For each pair of rows, the number of bits set in both.
void common_ones(const Bits& one, const Bits& two, const i64* left, const i64* right, u64 count, int threads, i64* out);

}  // namespace lookalike::vectors
