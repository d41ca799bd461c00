// The steps of the kernel that have more than one implementation, as a table of functions: one table a path.
//
// What a step computes is said here and in native/core; every path computes the same, bit for bit. Tables are chosen at
// run time (paths.cpp). Types are spelt out because this header is also read by files in which `lookalike` has another
// name (see avx512.cpp).
#pragma once

namespace lookalike_steps {

using Byte = unsigned char;
using Word = unsigned long long;

inline constexpr Word kPad = 64;    // bytes behind a normalised text that may be read; they are zero
inline constexpr Word kSlack = 64;  // elements behind tokens, windows and multipliers that may be read or written

using NearVectors = Word (*)(const float* x, const float* rows, const float* own, Word n, Word d, float bound,
                             unsigned* out);

struct Steps {
    const char* name;

    // Copies the ASCII bytes at the head of s, in lower case if asked, and says how many there are. Reads no byte
    // behind the n that are given; may write kPad bytes behind them.
    Word (*ascii)(const Byte* s, Word n, bool lower, Byte* out);

    // Hashes the words of a normalised text from `at` on, for as long as there is nothing but ASCII; says where it
    // stopped. `open` is where the word that is open began, or ~0; hashes go to `out`, which moves on.
    Word (*words)(const Byte* text, Word n, Word at, Word* open, Word** out);

    // The characters of a normalised text from `at` on, a byte each, for as long as there is nothing but ASCII; says
    // where it stopped. `whitespace` is 0 to fold it, 1 to drop it, 2 to keep it; `gap` is the end of the last
    // character that was no space. May write kPad bytes behind the last character.
    Word (*characters)(const Byte* text, Word n, Word at, int whitespace, Word* gap, bool* has_text, Byte** out);

    // All n − k + 1 windows of k of n ≥ k tokens, shortened to 32 bits if asked, and the two sums of the fingerprint.
    void (*windows)(const Word* tokens, Word n, Word k, bool shorten, Word* out, Word* sums);

    // The same of ASCII characters, windows in any order. `entering` has the hashes of all 128, `leaving` the same
    // times BASEᵏ; kPad bytes behind the characters may be read, and the first of them is ASCII too.
    void (*character_windows)(const Byte* characters, Word n, Word k, const Word* entering, const Word* leaving,
                              bool shorten, Word* out, Word* sums);

    void (*sketch_fast)(const Word* set, Word n, const Word* multipliers, unsigned t, Word* slots);
    void (*sketch_classic)(const Word* set, Word n, const Word* multipliers, const Word* offsets, unsigned t,
                           Word* slots);

    // Which of n rows of bits (each `words` words and one more, which is not read) differ from `bits` in at most so
    // many places: their numbers, ascending; says how many there are. Quickest with 1, 2, 4 or 8 words.
    Word (*near)(const Word* rows, Word n, Word words, const Word* bits, Word most, unsigned* out);

    // Turns 16 vectors of `size` coordinates, lane by lane: see rotate.h. The block begins with a cache line.
    void (*rotate)(float* block, Word size, const unsigned* signs);

    // Which of n vectors y, of d coordinates each (a multiple of 16), are near to x, up to rounding. By kind: x·y is at
    // least bound + own[y]; |x − y| is at most that; the sum of the lesser coordinates is at least that.
    NearVectors near_vectors[3];

    // The signature of a weighted set by its darts of rank up to `limit`; whether they came to every slot. `keys` and
    // `strip_steps` are those of all blocks and strips, `most` is the greatest of the weights.
    bool (*weighted)(const Word* set, const double* weights, Word n, Word state, const Word* keys,
                     const double* strip_steps, double limit, double most, unsigned t, Word* slots);
};

extern const Steps kPortable, kAvx2, kAvx512;

// The table in use: the best that the machine has, unless another was forced.
const Steps& steps();

// The tables that this machine can run, the best last; their number.
unsigned paths(const Steps** tables);

// Uses this path from now on, or the best one again (null). Says whether the machine has it.
bool force(const char* name);

}  // namespace lookalike_steps
