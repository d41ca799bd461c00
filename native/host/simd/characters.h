// ASCII text → its characters, 64 bytes at a time: masks select the bytes to keep, and the others are squeezed out.
#pragma once
#include "../../core/text.h"
#include "steps.h"

namespace lookalike {

template <class Bytes>
u64 characters(const u8* text, u64 n, u64 at, int whitespace, u64* gap_end, bool* text_seen, u8** out) {
    u8* to = *out;
    u64 gap = *gap_end;
    bool has_text = *text_seen;
    for (; at < n; at += 64) {
        Bytes bytes(text + at);
        if (!bytes.ascii()) break;
        const u64 here = n - at < 64 ? (1ull << (n - at)) - 1 : ~0ull;
        const u64 space = bytes.spaces() & here, other = ~space & here;
        u64 taken = here;
        if (whitespace == static_cast<int>(Whitespace::drop)) taken = other;
        if (whitespace == static_cast<int>(Whitespace::fold)) {
            if (!other) continue;
            // A run of spaces is represented by its last space, if a character follows. Leading spaces are dropped.
            *to = ' ';
            to += other & has_text & (gap < at);
            u64 last = space & other >> 1;
            if (!has_text) last &= ~((other & (0 - other)) - 1);
            taken = other | last;
            gap = at + 64 - static_cast<u64>(__builtin_clzll(other));
            bytes.blank();
        }
        has_text |= other != 0;
        to = bytes.squeeze(taken, to);
    }
    *out = to;
    *gap_end = gap;
    *text_seen = has_text;
    return at < n ? at : n;
}

}  // namespace lookalike
