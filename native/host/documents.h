// Documents → shingle sets; or documents → band keys, without a table of sets in between.
#pragma once
#include <functional>

#include "../core/text.h"
#include "array.h"
#include "hasher128.h"
#include "signatures.h"

namespace lookalike {

// A column of texts, or of lists of tokens, in Arrow's layout. Nothing is copied.
struct Documents {
    u64 rows = 0;
    const u8* data = nullptr;  // UTF-8
    u64 bytes = 0;
    const i64* strings = nullptr;  // offsets of texts (or of tokens) into data: string_count + 1
    u64 string_count = 0;
    const i64* lists = nullptr;    // offsets of lists into the tokens: rows + 1; null for a column of texts
    const u8* validity = nullptr;  // one bit per token; null if none is missing
    u64 validity_bits = 0, validity_start = 0;

    void check() const;
    // The length of document i: the characters of a text, or the tokens of a list.
    i64 length(u64 i) const;
    // The hash of the bytes of document i. In a list, each token follows its length; a missing token has length 2⁶⁴
    // − 1.
    Hash128 raw_hash(u64 i) const;
    // The size of document i in bytes.
    i64 size(u64 i) const { return lists ? strings[lists[i + 1]] - strings[lists[i]] : strings[i + 1] - strings[i]; }
    bool has_token(u64 i) const {
        const u64 bit = validity_start + i;
        return !validity || (validity[bit / 8] >> (bit % 8) & 1);
    }
};

enum class Kind { words, chars, tokens, stopwords, symbols };

// How a text becomes a set: the values of `lookalike.flow.Shingling`.
struct Shingling {
    Kind kind = Kind::words;
    Form form = Form::fold;
    Whitespace whitespace = Whitespace::fold;
    u64 k = 5;
    bool bag = false, short_hashes = false;
    const u64* stopwords = nullptr;  // token hashes, ascending
    u64 stopword_count = 0;
    const u64* ignored = nullptr;  // shingles to leave out of every set
    u64 ignored_count = 0;
    TokenKey key;  // keys the hashes of tokens, so that nobody can prepare texts with equal hashes

    void check() const;
};

enum Flag : u8 { kEmpty = 1, kShort = 2, kFallback = 4 };

struct ShingleTable {
    Array<i64> offsets;
    Array<u64> values;
};
ShingleTable shingle(const Documents& documents, const Shingling& shingling, int threads);
// The windows of each document in reading order, with repetitions, and with ignored ones.
ShingleTable windows(const Documents& documents, const Shingling& shingling, int threads);
// One of `parts` parts of each set. Equal elements of two documents are in the same part, so sets that are too large to
// be in memory can be compared part by part.
ShingleTable shingle_part(const Documents& documents, const Shingling& shingling, u64 part, u64 parts, int threads);

struct SketchTable {
    Array<Hash128> words, bytes;  // the hashes of the words in their order, and of the raw bytes
    Array<u8> flags;
    Array<u64> keys;  // `bands` per row
    Array<i64> lengths, sizes;
    Array<u32> windows;  // an upper bound on the size of the set

    SketchTable() = default;
    SketchTable(u64 rows, u64 bands)
        : words(rows), bytes(rows), flags(rows), keys(rows * bands), lengths(rows), sizes(rows), windows(rows) {}
};
// Cuts document i into elements, and fills in everything about it except its keys.
void describe(const Documents& documents, u64 i, class Cutter& cutter, SketchTable& table);
// The same for a huge document of which no bag is made. Calls `visit` for each block of elements, which are then the
// windows of the cutter.
void describe_in_blocks(const Documents& documents, u64 i, Cutter& cutter, SketchTable& table,
                        const std::function<void()>& visit);
SketchTable sketch(const Documents& documents, const Shingling& shingling, const Sketch& sketch, const Banding& banding,
                   int threads);
// Everything that is needed to find copies: like `sketch`, with one key of zero per row, and without counting windows.
// If `raw`, `words` are the hashes of the raw bytes, and the only flag is that of an empty document.
SketchTable hash_texts(const Documents& documents, const Shingling& shingling, bool raw, int threads);

// The normalised text, as UTF-8.
Buffer<u8> normalize(const u8* text, u64 bytes, Form form);

// Tokens as ranges of code points of the original text, and their hashes.
struct Tokens {
    Buffer<i64> starts, ends;
    Buffer<u64> hashes;
};
Tokens tokens(const u8* text, u64 bytes, const Shingling& shingling);

}  // namespace lookalike
