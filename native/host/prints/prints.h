// Fingerprints that are not aligned. Each minutia is described by the places and directions of the minutiae around it,
// as seen from it: a set of cells. Prints whose minutiae have similar sets become candidates, and the candidates are
// aligned.
#pragma once
#include "../array.h"

namespace lookalike::prints {

// A set of cells has this many words, one bit per cell.
inline constexpr u64 kWords = 5;
inline constexpr u64 kMostCells = 64 * kWords;

// The minutiae of some prints: those of print p are offsets[p] … offsets[p + 1]. y grows upwards, and angles are in
// degrees, anticlockwise, from 0 to 360.
struct Minutiae {
    u64 prints;
    const i64* offsets;
    const double *x, *y, *angle, *cosine, *sine;
    u64 size() const { return static_cast<u64>(offsets[prints]); }
};

// Cells around a minutia: each combination of one of `places` and one of `sectors` directions. A neighbour is in all
// cells whose place is within `distance` of it, and whose direction within `turn` degrees of its own.
struct Cells {
    u64 places;
    const double *x, *y;
    u64 sectors;
    double distance, turn;
    u64 count() const { return places * sectors; }
};

// kWords words per minutia.
Array<u64> neighbourhoods(const Minutiae& minutiae, const Cells& cells, int threads);

// One key per minutia and band. A hash is the smallest rank of a cell of the set; `ranks` has one column per hash, of
// which `rows` belong to each band, and one row per cell. Sets without cells have no keys: theirs are 0.
Array<u32> band_keys(const u64* sets, u64 count, const u16* ranks, u64 cells, u64 bands, u64 rows, int threads);

struct Side {
    u64 prints;
    const i64* offsets;
    const u64* sets;
    const u32* keys;
    const double* angle;
};

struct Votes {
    Array<i64> left, right;  // sorted
    Array<i64> votes;
};

// The pairs of prints that have more than `least` votes. Two minutiae vote if they have the same key in some band and
// if their sets have a Jaccard similarity above numerator / denominator: with the difference, in units of kVote. Only
// votes of about the same rotation are added up. With `within`, the two sides are the same prints.
inline constexpr u64 kVote = 4096;
Votes votes(const Side& left, const Side& right, u64 bands, u64 numerator, u64 denominator, i64 least, bool within,
            int threads);

struct Tolerance {
    double distance, cosine;  // the cosine of the largest difference of directions
    u64 numerator, denominator;
    u64 tries;
};

// The best alignment of each pair of prints: the number of minutiae that coincide, the strength of the match, and the
// motion that moves the right print onto the left one.
struct Alignments {
    Array<double> strength, cosine, sine, x, y;
    Array<i64> paired;
};
Alignments align(const Minutiae& left, const u64* left_sets, const Minutiae& right, const u64* right_sets,
                 const i64* left_rows, const i64* right_rows, u64 count, const Tolerance& tolerance, int threads);

// The number of bits that are set in kWords words. Any x86-64 has these instructions, but not every one counts bits.
template <class Word>
u64 count_bits(Word&& word) {
    u64 bytes = 0;
    for (u64 i = 0; i < kWords; ++i) {
        u64 x = word(i);
        x -= (x >> 1) & 0x5555555555555555ull;
        x = (x & 0x3333333333333333ull) + ((x >> 2) & 0x3333333333333333ull);
        bytes += (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Full;
    }
    const u64 pairs = (bytes & 0x00FF00FF00FF00FFull) + ((bytes >> 8) & 0x00FF00FF00FF00FFull);
    return (pairs * 0x0001000100010001ull) >> 48;
}

inline u64 cells_of(const u64* set) {
    return count_bits([&](u64 i) { return set[i]; });
}

inline u64 shared_cells(const u64* one, const u64* two) {
    return count_bits([&](u64 i) { return one[i] & two[i]; });
}

}  // namespace lookalike::prints
