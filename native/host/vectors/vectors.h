// Vectors: rows of single-precision coordinates, padded with zeros to a multiple of 16. Bits: rows of words.
#pragma once
#include <functional>

#include "../array.h"
#include "../check.h"

namespace lookalike::vectors {

struct Table {
    u64 rows = 0, width = 0;
    const float* values = nullptr;
    const float* own = nullptr;  // a number a row, which `Nearness` says the use of; none are zeros

    void check() const {
        check_row_count(rows);
        require(width >= 16 && width % 16 == 0 && width <= 1 << 16,
                "vectors must be padded to a multiple of 16 coordinates, at most 65536, got " + std::to_string(width));
    }
    const float* row(u64 i) const { return values + i * width; }
    float own_of(u64 i) const { return own ? own[i] : 0; }
};

// When two vectors are near, up to the rounding of single precision: if x·y, or the sum of the lesser coordinates, is
// at least bound + own(x) + own(y); or if |x − y| is at most that.
enum class Kind { products, differences, minima };

struct Nearness {
    Kind kind = Kind::products;
    float bound = 0;
};

// `bands` keys a row, all of one band after those of the band before. Without bands all rows share a bucket.
struct Keys {
    u64 rows = 0, bands = 0;
    const u32* values = nullptr;

    const u32* band(u64 i) const { return values + i * rows; }
};

// A pair at a time in the first band in which it meets, so that nothing needs to be remembered about it.
inline bool met_before(const Keys& keys, u64 a, u64 b, u64 band) {
    for (u64 i = 0; i < band; ++i)
        if (keys.band(i)[a] == keys.band(i)[b]) return true;
    return false;
}

// Keys of bands × rows hash functions, each a coordinate of a random rotation: its sign (a hyperplane), or, if `width`
// is not zero, the bin of that width in which it lies (a line).
struct Functions {
    u64 bands = 0, rows = 0, seed = 0;
    double width = 0;
};

u64 rotated_width(u64 width);
Array<u32> keys(const Table& table, const Functions& functions, int threads);

// Strings of bits, `words` words a row, and in how many places two may differ to be near: of a pair, the number that
// the row has which comes first.
struct Bits {
    u64 rows = 0, words = 0;
    const u64* values = nullptr;
    u64 most = 0;
    const u32* most_of = nullptr;  // a number a row, instead of one for all

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

// How many pairs there may be at most. Once more than that may be near, `sieve` is asked to leave those that are, in
// front and in order, and to say how many; without it, all that may be near count. Threads ask on their own.
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
// With `sketches`, bits of more hyperplanes, pairs that differ in too many of those are not looked at; a near pair is
// among these with a small probability, which the caller counts in.
Near near(const Table& table, const Nearness& nearness, const Bits* sketches, const Keys& keys, int threads,
          const Limit& limit);
Near near(const Bits& bits, const Keys& keys, int threads, const Limit& limit);

// Keys of bits: each function is a place that is drawn at random, of the first `size`.
Array<u32> keys(const Bits& bits, u64 size, u64 bands, u64 rows, u64 seed, int threads);

// A value of two rows in double precision: eight sums of every eighth term in order, then their sum in a fixed order.
enum class Term { product, squared_difference, minimum, maximum };

template <class T>
double measured(Term term, const T* x, const T* y, u64 d);

// The same of pairs of rows; both sides have `d` coordinates a row.
template <class T>
void measure(Term term, const T* left_values, const T* right_values, u64 d, const i64* left, const i64* right,
             u64 count, int threads, double* out);

// In how many places both rows of a pair have a one.
void common_ones(const Bits& one, const Bits& two, const i64* left, const i64* right, u64 count, int threads, i64* out);

}  // namespace lookalike::vectors
