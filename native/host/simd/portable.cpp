// The path that every machine has: native/core as it stands.
#include "../../core/sketch.h"
#include "../../core/text.h"
#include "near.h"
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

// No short cut: what these leave, the caller reads code point by code point.
Word words(const Byte*, Word, Word at, Word*, Word**) { return at; }
Word characters(const Byte*, Word, Word at, int, const Word*, Word*, bool*, Word**) { return at; }

void windows(const Word* tokens, Word n, Word k, bool shortened, Word* out, Word* sums) {
    hash_windows(tokens, n, k, out);
    Fingerprint fingerprint;
    for (u64 i = 0; i < n - k + 1; ++i) {
        if (shortened) out[i] = shorten(out[i]);
        fingerprint.add(out[i]);
    }
    sums[0] = fingerprint.sum;
    sums[1] = fingerprint.product;
}

}  // namespace

const Steps kPortable{"portable", ascii, words, characters, windows, sketch_fast, sketch_classic, near<SummedOnes>};

}  // namespace lookalike_steps
