// The steps of the kernel that have several implementations, as tables of functions: one table per path.
//
// This file and native/core define the result of each step; all paths compute the same bits. A table is chosen at run
// time (paths.cpp). Types are defined here again, because files that rename the namespace `lookalike` also include this
// header (see avx512.cpp).
#pragma once

namespace lookalike_steps {

using Byte = unsigned char;
using Word = unsigned long long;

inline constexpr Word kPad = 64;    // zero bytes after a normalised text, which may be read
inline constexpr Word kSlack = 64;  // elements after tokens, windows and multipliers that may be accessed

// What a key contributes to the hash of a word of up to 16 bytes: a number per length, and one for all lengths. `a` and
// `b` are the key itself.
struct WordKeys {
    Word first[17], second, a, b;
};

using NearVectors = Word (*)(const float* x, const float* rows, const float* own, Word n, Word d, float bound,
                             unsigned* out, float* sums);

struct Steps {
    const char* name;

    // Copies the ASCII bytes at the start of s, optionally in lower case, and returns their number. Reads no byte after
    // the given n; may write kPad bytes after them.
    Word (*ascii)(const Byte* s, Word n, bool lower, Byte* out);

    // Hashes the words of a normalised text from `at` on, while it is ASCII; returns where it stopped, which may be
    // earlier. `open` is where the unfinished word starts, or ~0; hashes are written to `out`, which is advanced.
    Word (*words)(const Byte* text, Word n, Word at, Word* open, const WordKeys& keys, Word** out);

    // Writes the characters of a normalised text, one byte each, from `at` on, while it is ASCII; returns where it
    // stopped. `whitespace` is 0 to fold, 1 to drop, 2 to keep it; `gap` is the end of the last character that was not
    // a space. May write kPad bytes after the last character.
    Word (*characters)(const Byte* text, Word n, Word at, int whitespace, Word* gap, bool* has_text, Byte** out);

    // All n − k + 1 windows of k of n ≥ k tokens, optionally shortened to 32 bits.
    void (*windows)(const Word* tokens, Word n, Word k, bool shorten, Word* out);

    // The same for ASCII characters, with windows in any order. `entering` holds the hashes of all 128 characters,
    // `leaving` the same times BASEᵏ, and `bytes` the bytes of `entering`: the lowest of all 128, then the next. It is
    // aligned to 64 bytes. kPad bytes after the characters may be read, and the first of them must be ASCII.
    void (*character_windows)(const Byte* characters, Word n, Word k, const Word* entering, const Word* leaving,
                              const Byte* bytes, bool shorten, Word* out);

    void (*sketch_fast)(const Word* set, Word n, const Word* multipliers, unsigned t, Word* slots);
    void (*sketch_classic)(const Word* set, Word n, const Word* multipliers, const Word* offsets, unsigned t,
                           Word* slots);

    // Writes the numbers, ascending, of the rows of bits that differ from `bits` in at most `most` places; returns how
    // many there are. Each row has `words` words and one more, which is not read. Fastest with 1, 2, 4 or 8 words.
    Word (*near)(const Word* rows, Word n, Word words, const Word* bits, Word most, unsigned* out);

    // Writes the numbers, ascending, of the scores for which scores[i] + own[i] is at least `bar`; returns how many.
    Word (*above)(const float* scores, const float* own, Word n, float bar, unsigned* out);

    // Rotates 16 vectors of `size` coordinates, lane by lane: see rotate.h. The block must be aligned to a cache line.
    void (*rotate)(float* block, Word size, const unsigned* signs);

    // The vectors y, out of n, that are near to x, up to rounding; d, the number of coordinates, is a multiple of 16.
    // By kind: x·y is at least bound + own[y]; |x − y| is at most that; the sum of coordinate minima is at least that.
    // Their numbers are written to `out`, and x·y, |x − y|² or the sum of minima to `sums`, which have room for n.
    NearVectors near_vectors[3];

    // The signature of a weighted set from its darts of rank up to `limit`; returns true if they filled every slot.
    // `keys` are those of all blocks, `strip_steps` those of all strips, and `most` is the greatest weight.
    bool (*weighted)(const Word* set, const double* weights, Word n, Word state, const Word* keys,
                     const double* strip_steps, double limit, double most, unsigned t, Word* slots);
};

extern const Steps kPortable, kAvx2, kAvx512;

// The table in use: the best that the machine supports, unless another was forced.
const Steps& steps();

// Writes the tables that this machine can run, the best last; returns their number.
unsigned paths(const Steps** tables);

// Uses this path from now on, or the best one (null). Returns false if the machine does not support it.
bool force(const char* name);

}  // namespace lookalike_steps
