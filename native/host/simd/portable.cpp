// The path for every machine: native/core without SIMD code.
#include "../../core/darts.h"
#include "../../core/sketch.h"
#include "../../core/text.h"
#include "above.h"
#include "near.h"
#include "products.h"
#include "rolling.h"
#include "rotate.h"
#include "steps.h"

namespace lookalike_steps {

namespace {

using namespace lookalike;

Word ascii(const Byte* s, Word n, bool lower, Byte* out) {
    const u64 length = ascii_prefix(s, n);
    if (lower)
        for (u64 i = 0; i < length; ++i) out[i] = ascii_lower(s[i]);
    else
        for (u64 i = 0; i < length; ++i) out[i] = s[i];
    return length;
}

// No fast path: the caller reads the text code point by code point.
Word words(const Byte*, Word, Word at, Word*, const WordKeys&, Word**) { return at; }

// Does not branch on spaces, because the ends of words are unpredictable.
Word characters(const Byte* text, Word n, Word at, int whitespace, Word* gap_end, bool* text_seen, Byte** out) {
    const bool keeps = whitespace == static_cast<int>(Whitespace::keep);
    const bool folds = whitespace == static_cast<int>(Whitespace::fold);
    u8* to = *out;
    u64 gap = *gap_end;
    bool has_text = *text_seen;
    for (; at < n && text[at] < 0x80; ++at) {
        const bool space = kAsciiClass[text[at]] == kSpace, taken = keeps | !space;
        *to = ' ';
        to += taken & folds & has_text & (gap < at);
        *to = text[at];
        to += taken;
        gap = taken ? at + 1 : gap;
        has_text |= !space;
    }
    *out = to;
    *gap_end = gap;
    *text_seen = has_text;
    return at;
}

void windows(const Word* tokens, Word n, Word k, bool shortened, Word* out) {
    hash_windows(tokens, n, k, out);
    if (shortened)
        for (u64 i = 0; i < n - k + 1; ++i) out[i] = shorten(out[i]);
}

void character_windows(const Byte* characters, Word n, Word k, const Word* entering, const Word* leaving, const Byte*,
                       bool shortened, Word* out) {
    roll_blocks(characters, n - k + 1, k, entering, leaving, out, [&](u64* w, u64 count) {
        for (u64 i = 0; i < count; ++i) {
            w[i] = finish_window(w[i], k);
            if (shortened) w[i] = shorten(w[i]);
        }
    });
}

bool weighted(const Word* set, const double* weights, Word n, Word state, const Word* keys, const double* strip_steps,
              double limit, double most, unsigned t, Word* slots) {
    Bounds bounds;
    const Reach reach(keys, strip_steps, limit, Reach::highest_strip(most), bounds);
    return sketch_weighted(set, weights, n, state, reach, t, slots);
}

}  // namespace

const Steps kPortable{
    "portable",   ascii,          words,
    characters,   windows,        character_windows,
    sketch_fast,  sketch_classic, near<SummedOnes>,
    above<float>, rotate,         {near_vectors<Products>, near_vectors<Differences>, near_vectors<Minima>},
    weighted};

}  // namespace lookalike_steps
