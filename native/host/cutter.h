// One document → its shingles. A cutter belongs to one thread and reuses its memory for every document.
#pragma once
#include <functional>

#include "documents.h"
#include "hasher128.h"
#include "simd/steps.h"
#include "sorting.h"

namespace lookalike {

using lookalike_steps::kPad;
using lookalike_steps::kSlack;
using lookalike_steps::Steps;

// Collects normalised text as UTF-8. The text is always followed by kPad zeros that may be read.
class Utf8Sink {
  public:
    void clear() { bytes_.clear(); }
    // Takes the ASCII bytes at the start of s; returns how many there are.
    u64 head(const Steps& steps, const u8* s, u64 n, bool lower) {
        bytes_.reserve(n + kPad);
        bytes_.resize(steps.ascii(s, n, lower, bytes_.data()));
        return bytes_.size();
    }
    void shrink(u64 n) { bytes_.resize(n); }
    void ascii(const u8* s, u64 n, bool lower, u64 /*source*/) {
        const u64 at = bytes_.size();
        bytes_.resize(at + n);
        u8* out = bytes_.data() + at;
        if (!lower)
            std::copy_n(s, n, out);
        else
            for (u64 i = 0; i < n; ++i) out[i] = ascii_lower(s[i]);
    }
    void put(u32 cp, u64 /*first*/, u64 /*end*/) {
        bytes_.reserve(bytes_.size() + 4);
        bytes_.resize(bytes_.size() + encode(cp, bytes_.data() + bytes_.size()));
    }
    // Must be called when the text is complete.
    void pad() {
        bytes_.reserve(bytes_.size() + kPad);
        std::fill_n(bytes_.data() + bytes_.size(), kPad, u8{0});
    }
    const u8* data() { return bytes_.data(); }
    u64 size() const { return bytes_.size(); }
    Buffer<u8>& bytes() { return bytes_; }

  private:
    Buffer<u8> bytes_;
};

// A set of hashes, with open addressing. The hashes are as good as random, so their low bits choose the slot.
class HashSet {
  public:
    HashSet(const u64* values, u64 count);
    bool has(u64 value) const;

  private:
    Array<u64> slots_;  // 0 is empty
    bool has_zero_ = false;
};

class Cutter {
  public:
    // `hashes_words` asks for the hash of the words, which sets do not need.
    explicit Cutter(const Shingling& shingling, bool hashes_words = false);

    // Cuts document i into its windows, including repetitions. Returns its flags.
    u8 cut(const Documents& documents, u64 i);

    // Cuts document i into its windows in their order, including repetitions, without ignored ones.
    u8 cut_in_order(const Documents& documents, u64 i);

    // Hashes the words of document i; makes no windows, except of huge texts. Returns its flags.
    u8 hash_words(const Documents& documents, u64 i);

    // True for a text whose windows are better not in memory all at once.
    bool is_huge(const Documents& documents, u64 i) const;
    // Cuts a huge document block by block. Calls `visit` when `windows` are those of a block, without ignored ones; it
    // may change them. Returns the flags of the document; the hash of its words is complete afterwards.
    u8 each_block(const Documents& documents, u64 i, const std::function<void()>& visit);
    // Like `cut` and `to_elements`, with one of `parts` parts of the elements, of about equal size. Equal elements of
    // two documents are in the same part.
    u8 cut_part(const Documents& documents, u64 i, u64 part, u64 parts);
    // Sorts the elements, and removes repetitions.
    void make_distinct();

    // The windows that `cut` found, in reading order; after `to_elements`, in any order.
    const u64* windows() { return windows_.data(); }
    u64 window_count() const { return windows_.size(); }
    // The hash of the words in their order; zero for an empty document.
    const Hash128& words() const { return words_; }

    // Turns the windows into elements and removes ignored ones. The result is good enough to be signed as a set: equal
    // elements may remain.
    void to_elements();
    // Turns the windows into a set, ascending and distinct.
    void to_set();
    // Scratch memory for the sets of several documents.
    Buffer<u64>& gathered() { return gathered_; }
    // Gives back the memory of the last document.
    void free();

  private:
    bool normalize(const u8* raw, u64 n);
    u8 cut_ascii();
    u8 cut_tokens();
    u8 window_tokens();
    void cut_windows(u64 k);
    bool cut_stopword_windows();
    void drop_ignored();
    void leave_out_ignored();
    void number_repetitions();
    void keep_part(u64 part, u64 parts);
    void free_text();
    void read_words();
    bool read_characters(Whitespace whitespace);
    // Both read tokens from `at` on, up to `limit` or somewhat further; they return where they stopped. The limit is
    // the end of the text or lies a multiple of 64 bytes after `at`.
    template <class Word>
    u64 words_until(u64 at, u64 limit, OpenWord& open, u64** out, Word&& word);
    u64 characters_until(u64 at, u64 limit, Whitespace whitespace, OpenGap& gap, u8** end, u64** out);
    u64 word_blocks(const std::function<void()>& visit);
    u64 character_blocks(const std::function<void()>& visit);
    void end_block(const std::function<void()>& visit);
    u8 cut_whole(const Documents& documents, u64 i, const std::function<void()>& visit);
    void sort_windows();

    const Shingling& shingling_;
    const Steps& steps_;
    const bool hashes_words_;
    bool makes_windows_ = true;
    HashSet stopwords_, ignored_;
    u64 entering_[128], leaving_[128];  // what an ASCII character adds to a window's sum, and subtracts
    alignas(64) u8 bytes_[8][128];      // byte b of `entering_`
    lookalike_steps::WordKeys keys_;

    Utf8Sink text_;
    Buffer<Unit> units_;
    Buffer<u8> characters_;  // after white space was processed, as UTF-8
    Buffer<u64> tokens_, windows_, other_, counts_, gathered_;
    WindowSums sums_;   // of a huge document with ignored windows
    Hasher128 hasher_;  // of a huge document
    Hash128 words_;
};

// Blocks of ASCII are hashed by the kernel's steps (simd/steps.h); text around other characters is read code point by
// code point.
inline constexpr u64 kBlockBytes = 64;

template <class Word>
u64 Cutter::words_until(u64 at, u64 limit, OpenWord& open, u64** out, Word&& word) {
    const u8* const text = text_.data();
    const u64 n = text_.size();
    if (shingling_.kind == Kind::symbols) return cut_words<true>(text, n, at, limit, open, word);
    if (open.by == OpenWord::by_solo && text[at] < 0x80) {  // no ASCII character joins such a word
        word(open.start, at);
        open.by = OpenWord::closed;
    }
    if (open.by != OpenWord::by_solo) {
        u64 start = open.by == OpenWord::by_word ? open.start : kNone;
        at = steps_.words(text, limit, at, &start, keys_, out);
        open.by = start == kNone ? OpenWord::closed : OpenWord::by_word;
        open.start = start;
    }
    return cut_words(text, n, at, std::min(n, at + kBlockBytes), open, word);
}

}  // namespace lookalike
