// UTF-8 → normalised UTF-8 → words or characters: docs/reference/format.md, section 1.
//
// Ill-formed UTF-8 is safe: each byte outside a well-formed sequence is read as U+FFFD.
#pragma once
#include "hash.h"
#include "unicode_tables.h"

namespace lookalike {

enum class Form { none, lower, keep, fold };  // unchanged · case folding only · NFKC · NFKC_Casefold
enum class Whitespace { fold, drop, keep };
enum WordClass : u8 { kOther, kSpace, kWord, kSolo, kMark };

inline constexpr u8 kSecond = 1;      // may compose with a character before it
inline constexpr u8 kFoldStarts = 2;  // under NFKC_Casefold, no earlier character affects this one
inline constexpr u8 kKeepStarts = 4;  // the same under NFKC

LK_FN const Character& character(u32 cp) { return kCharacters[kStage2[kStage1[cp / kBlock] * kBlock + cp % kBlock]]; }
LK_FN u8 word_class(u32 cp) { return cp < 128 ? kAsciiClass[cp] : character(cp).word_class; }

// Decoding and encoding

// The code point at s < end; `s` moves past it.
LK_FN u32 decode(const u8*& s, const u8* end) {
    const u32 c = *s++;
    if (c < 0x80) return c;
    const u32 length = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : 1;  // bytes that should follow
    if (c < 0xC2 || c > 0xF4 || static_cast<u64>(end - s) < length) return 0xFFFD;
    u32 cp = c & (0x3F >> length);
    for (u32 i = 0; i < length; ++i) {
        if ((s[i] & 0xC0) != 0x80) return 0xFFFD;
        cp = cp << 6 | (s[i] & 0x3F);
    }
    const u32 least = length == 1 ? 0x80 : length == 2 ? 0x800 : 0x10000;
    if (cp < least || cp > 0x10FFFF || (cp >= 0xD800 && cp < 0xE000)) return 0xFFFD;
    s += length;
    return cp;
}

// Writes 1 … 4 bytes and returns how many.
LK_FN u32 encode(u32 cp, u8* out) {
    if (cp < 0x80) {
        out[0] = static_cast<u8>(cp);
        return 1;
    }
    const u32 length = cp < 0x800 ? 1 : cp < 0x10000 ? 2 : 3;
    const u32 lead = length == 1 ? 0xC0 : length == 2 ? 0xE0 : 0xF0;
    out[0] = static_cast<u8>(lead | cp >> (6 * length));
    for (u32 i = 1; i <= length; ++i) out[i] = static_cast<u8>(0x80 | ((cp >> (6 * (length - i))) & 0x3F));
    return length + 1;
}

// The number of ASCII bytes at s before the first other byte, at most n.
LK_FN u64 ascii_prefix(const u8* s, u64 n) {
    u64 i = 0;
    while (i + 8 <= n && (load64(s + i) & 0x8080808080808080ull) == 0) i += 8;
    while (i < n && s[i] < 0x80) ++i;
    return i;
}

LK_FN u8 ascii_lower(u8 c) { return static_cast<u8>(c + (static_cast<u8>(c - 'A') < 26 ? 32 : 0)); }

// Normalising

// A code point of a segment that is not yet ordered and composed, with the source code points it comes from.
struct Unit {
    u32 cp, ccc;
    u64 order;       // position in the segment: breaks ties between equal combining classes
    u64 first, end;  // source code points first … end
};

LK_FN bool comes_after(const Unit& a, const Unit& b) { return a.ccc != b.ccc ? a.ccc > b.ccc : a.order > b.order; }

LK_FN void sift_down(Unit* units, u64 root, u64 n) {
    const Unit moved = units[root];
    for (u64 child = 2 * root + 1; child < n; child = 2 * root + 1) {
        if (child + 1 < n && comes_after(units[child + 1], units[child])) ++child;
        if (!comes_after(units[child], moved)) break;
        units[root] = units[child];
        root = child;
    }
    units[root] = moved;
}

// Puts marks into canonical order. Real texts have runs of one to three marks; a hostile text may have millions, which
// is why a heap is used.
LK_FN void order_marks(Unit* units, u64 n) {
    if (n > 32) {
        for (u64 i = n / 2; i-- > 0;) sift_down(units, i, n);
        for (u64 last = n - 1; last > 0; --last) {
            const Unit greatest = units[0];
            units[0] = units[last];
            units[last] = greatest;
            sift_down(units, 0, last);
        }
        return;
    }
    for (u64 i = 1; i < n; ++i) {
        const Unit moved = units[i];
        u64 j = i;
        for (; j > 0 && units[j - 1].ccc > moved.ccc; --j) units[j] = units[j - 1];
        units[j] = moved;
    }
}

// The composite of two code points, or 0.
LK_FN u32 compose_pair(u32 first, u32 second) {
    if (!(character(second).flags & kSecond)) return 0;
    if (second - 0x1161u < 21)
        return first - 0x1100u < 19 ? 0xAC00 + ((first - 0x1100) * 21 + second - 0x1161) * 28 : 0;
    if (second - 0x11A8u < 27)
        return first - 0xAC00u < 11172 && (first - 0xAC00) % 28 == 0 ? first + second - 0x11A7 : 0;
    const u64 wanted = static_cast<u64>(first) << 32 | second;
    u64 low = 0, high = sizeof(kPairs) / sizeof(kPairs[0]);
    while (low < high) {
        const u64 middle = (low + high) / 2;
        if (kPairs[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sizeof(kPairs) / sizeof(kPairs[0]) && kPairs[low] == wanted ? kComposites[low] : 0;
}

// Orders and composes one segment in place; returns how many units are left.
LK_FN u64 compose(Unit* units, u64 n) {
    for (u64 i = 0; i < n;) {
        u64 j = i;
        while (j < n && units[j].ccc) ++j;
        if (j - i > 1) order_marks(units + i, j - i);
        i = j + 1;
    }
    u64 size = 0, starter = n;  // no starter yet
    u32 last = 0;               // combining class of the last unit kept after the starter
    for (u64 i = 0; i < n; ++i) {
        const Unit unit = units[i];
        if (starter < size && (starter + 1 == size || last < unit.ccc)) {
            Unit& base = units[starter];
            if (const u32 composite = compose_pair(base.cp, unit.cp)) {
                base.cp = composite;
                if (unit.first < base.first) base.first = unit.first;
                if (unit.end > base.end) base.end = unit.end;
                continue;
            }
        }
        if (unit.ccc == 0) starter = size;
        last = unit.ccc;
        units[size++] = unit;
    }
    return size;
}

// Normalises a text in one pass, without lookahead. Most characters do not interact with their neighbours: such a
// character is held back until the next one turns out to start a new segment, and then its composed mapping is written.
// Only where marks follow (or Hangul vowels and the like) is a segment collected, ordered and composed.
//
//   Sink   ascii(s, n, lower, source)   n ASCII bytes that need no more than lower-casing
//          put(cp, first, end)          one code point, and which source code points it stems from
//   Units  a growable array of Unit: push, data, size, clear
template <class Sink, class Units>
class Normalizer {
  public:
    LK_FN Normalizer(Form form, Sink& sink, Units& units) : form_(form), sink_(sink), units_(units) {}

    LK_FN void run(const u8* s, u64 n) {
        const u8* end = s + n;
        const bool lower = form_ == Form::fold || form_ == Form::lower;
        const bool composes = form_ == Form::fold || form_ == Form::keep;
        for (u64 source = 0; s < end;) {
            if (const u64 run = ascii_prefix(s, static_cast<u64>(end - s))) {
                if (composes) flush();
                const bool hold = composes && s + run < end;  // a mark may follow the last byte
                sink_.ascii(s, run - hold, lower, source);
                s += run;
                source += run;
                if (hold) this->hold(s[-1], source - 1);
            } else {
                const u32 cp = decode(s, end);
                if (composes)
                    add(cp, source);
                else if (lower)
                    put_mapped(cp, character(cp).lower, source);
                else
                    sink_.put(cp, source, source + 1);
                ++source;
            }
        }
        flush();
    }

  private:
    LK_FN void hold(u32 cp, u64 source) {
        held_ = cp;
        held_source_ = source;
        holds_ = true;
    }

    LK_FN void add(u32 cp, u64 source) {
        const Character& c = character(cp);
        const u16 mapping = form_ == Form::fold ? c.fold : c.keep;
        if (mapping && kSequences[mapping] == 0) return;  // ignorable: skipped
        if (c.flags & (form_ == Form::fold ? kFoldStarts : kKeepStarts)) {
            flush();
            hold(cp, source);
            return;
        }
        if (holds_) {
            const Character& h = character(held_);
            collect(held_, form_ == Form::fold ? h.fold : h.keep, held_source_);
            holds_ = false;
        }
        collect(cp, mapping, source);
    }

    LK_FN void collect(u32 cp, u16 mapping, u64 source) {
        const u32 length = mapping ? kSequences[mapping] : 1;
        for (u32 i = 0; i < length; ++i) {
            const u32 part = mapping ? kSequences[mapping + 1 + i] : cp;
            units_.push(Unit{part, character(part).ccc, units_.size(), source, source + 1});
        }
    }

    LK_FN void put_mapped(u32 cp, u16 mapping, u64 source) {
        if (!mapping) return sink_.put(cp, source, source + 1);
        for (u32 i = 1; i <= kSequences[mapping]; ++i) sink_.put(kSequences[mapping + i], source, source + 1);
    }

    LK_FN void flush() {
        if (holds_) {
            const Character& h = character(held_);
            put_mapped(held_, form_ == Form::fold ? h.folded : h.kept, held_source_);
            holds_ = false;
        } else if (const u64 collected = units_.size()) {
            const u64 n = compose(units_.data(), collected);
            for (u64 i = 0; i < n; ++i) sink_.put(units_.data()[i].cp, units_.data()[i].first, units_.data()[i].end);
            units_.clear();
        }
    }

    Form form_;
    Sink& sink_;
    Units& units_;
    u32 held_ = 0;
    u64 held_source_ = 0;
    bool holds_ = false;
};

// Cutting

// True for punctuation that is never a token of `symbols`: it separates words but does not change what they mean.
LK_FN bool is_punctuation(u32 cp) {
    if (cp < 0x80) return cp == '"' || cp == '\'' || cp == ',' || cp == '.' || cp == ':' || cp == ';' || cp == '`';
    return cp == 0xA1 || cp == 0xAB || cp == 0xB7 || cp == 0xBB || cp == 0xBF || cp == 0x60C || cp == 0x61B ||
           cp == 0x61F || cp == 0x6D4 || cp == 0x964 || cp == 0x965 || (cp >= 0x2013 && cp <= 0x201F) || cp == 0x2022 ||
           cp == 0x2039 || cp == 0x203A || cp == 0x3001 || cp == 0x3002 || (cp >= 0x300C && cp <= 0x300F);
}

// True if the character `cp`, which ends at `next`, is a token of `symbols`. "!" and "?" at the end of a phrase are
// not.
LK_FN bool is_symbol(u32 cp, const u8* next, const u8* end) {
    if (cp != '!' && cp != '?') return !is_punctuation(cp);
    if (next >= end) return false;
    const u32 following = decode(next, end);
    return following != '!' && following != '?' && word_class(following) != kSpace && !is_punctuation(following);
}

// The unfinished word at some position of a text: the class of its first character, and where it starts.
struct OpenWord {
    enum { closed, by_word, by_solo } by = closed;
    u64 start = 0;
};

// Calls word(start, end) with the byte range of every word of a normalised text that ends between `at` and `until`
// (if `until` is inside a character, that character is read to its end). With kSymbols, each symbol is a word, too.
// Returns where it stopped.
template <bool kSymbols = false, class Word>
LK_FN u64 cut_words(const u8* s, u64 n, u64 at, u64 until, OpenWord& open, Word&& word) {
    while (at < until) {
        const u64 here = at;
        if (s[at] < 0x80 && kAsciiClass[s[at]] == kWord) {
            do ++at;
            while (at < until && s[at] < 0x80 && kAsciiClass[s[at]] == kWord);
            if (open.by == OpenWord::by_word) continue;
            if (open.by == OpenWord::by_solo) word(open.start, here);
            open.start = here;
            open.by = OpenWord::by_word;
            continue;
        }
        const u8* next = s + at;
        const u32 cp = decode(next, s + n);
        const u8 kind = word_class(cp);
        at = static_cast<u64>(next - s);
        if (kind == kMark) {
            if (open.by == OpenWord::closed) open.start = here, open.by = OpenWord::by_word;
            continue;
        }
        if (kind == kWord && open.by == OpenWord::by_word) continue;
        if (open.by != OpenWord::closed) word(open.start, here);
        open.by = kind == kWord ? OpenWord::by_word : kind == kSolo ? OpenWord::by_solo : OpenWord::closed;
        open.start = here;
        if constexpr (kSymbols)
            if (kind == kOther && is_symbol(cp, next, s + n)) word(here, at);
    }
    return at;
}

// Calls word(start, end) with the byte range of every word of a normalised text; with kSymbols, of every symbol, too.
template <bool kSymbols = false, class Word>
LK_FN void each_word(const u8* s, u64 n, Word&& word) {
    OpenWord open;
    cut_words<kSymbols>(s, n, 0, n, open, word);
    if (open.by != OpenWord::closed) word(open.start, n);
}

// Calls token(start, end) with the byte range of every stretch without white space; the text is not normalised.
template <class Token>
LK_FN void each_stretch(const u8* s, u64 n, Token&& token) {
    const u8* const end = s + n;
    const u8* start = end;  // none open
    for (const u8* at = s; at < end;) {
        const u8* const here = at;
        if (word_class(decode(at, end)) != kSpace) {
            if (start == end) start = here;
        } else if (start != end) {
            token(static_cast<u64>(start - s), static_cast<u64>(here - s));
            start = end;
        }
    }
    if (start != end) token(static_cast<u64>(start - s), n);
}

// What the treatment of a character depends on: the characters before it.
struct OpenGap {
    bool has_text = false;  // a character other than white space was seen
    u64 start = 0;          // where the run of white space before this place starts
};

// Calls token(cp, start, end) with every character of a normalised text that begins between `at` and `until`, white
// space treated as asked, and its byte range. Returns where it stopped.
template <class Token>
LK_FN u64 cut_characters(const u8* s, u64 n, u64 at, u64 until, Whitespace whitespace, OpenGap& gap, Token&& token) {
    while (at < until) {
        const u64 here = at;
        const u8* next = s + at;
        const u32 cp = decode(next, s + n);
        at = static_cast<u64>(next - s);
        const bool space = word_class(cp) == kSpace;
        if (space && whitespace != Whitespace::keep) continue;
        if (whitespace == Whitespace::fold && gap.has_text && gap.start < here)
            token(static_cast<u32>(' '), gap.start, here);
        token(cp, here, at);
        gap.start = at;
        gap.has_text |= !space;
    }
    return at;
}

// The same for every character of the text. Returns true if any of them is not white space.
template <class Token>
LK_FN bool each_character(const u8* s, u64 n, Whitespace whitespace, Token&& token) {
    OpenGap gap;
    cut_characters(s, n, 0, n, whitespace, gap, token);
    return gap.has_text;
}

}  // namespace lookalike
