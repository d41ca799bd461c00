// ASCII text → hashes of its words, 64 bytes at a time.
//
// A mask has one bit per byte, set if the byte is part of a word. A word starts where the mask changes from 0 to 1 and
// ends where it changes back, so that starts and ends are two bit patterns, and the i-th start belongs to the i-th end.
// Offsets are collected for a few kilobytes of text and hashed in a second loop without data-dependent branches.
#pragma once
#include "../../core/hash.h"
#include "steps.h"

namespace lookalike {

// Ones in the first n of 16 bytes, as two words.
struct WordMasks {
    u64 low[17], high[17];
    constexpr WordMasks() : low{}, high{} {
        for (u32 n = 0; n <= 16; ++n) {
            low[n] = n == 0 ? 0 : n >= 8 ? ~0ull : ~0ull >> (64 - 8 * n);
            high[n] = n <= 8 ? 0 : ~0ull >> (128 - 8 * n);
        }
    }
};
static constexpr WordMasks kWordMasks;

// hash_bytes of a word; kPad bytes after it may be read.
static inline u64 hash_word(const u8* s, u64 n, const lookalike_steps::WordKeys& keys) {
    if (n > kChunk) return hash_bytes(s, n, n + lookalike_steps::kPad, TokenKey{keys.a, keys.b});
    u64 low, high;
    __builtin_memcpy(&low, s, 8);
    __builtin_memcpy(&high, s + 8, 8);
    return fold((low & kWordMasks.low[n]) ^ keys.first[n], (high & kWordMasks.high[n]) ^ keys.second);
}

template <class Bytes>
u64 words(const u8* text, u64 n, u64 at, u64* open, const lookalike_steps::WordKeys& keys, u64** out) {
    constexpr u64 most = 4096;  // bytes between two hashing loops: offsets fit in 16 bits, and the data in L1
    u16 starts[most / 2 + 66], ends[most / 2 + 66];
    u64 start = *open;
    u64* to = *out;
    bool ascii = true;
    while (ascii && at < n) {
        const u64 base = at, limit = n - at < most ? n : at + most;
        const bool was_open = start != kNone;
        u16 *next_start = starts + was_open, *next_end = ends;
        u64 inside = was_open;
        for (; at < limit; at += 64) {
            const Bytes bytes(text + at);
            if (!bytes.ascii()) {
                ascii = false;
                break;
            }
            const u64 word = bytes.words(), before = word << 1 | inside;
            inside = word >> 63;
            next_start = Bytes::positions(word & ~before, at - base, next_start);
            next_end = Bytes::positions(before & ~word, at - base, next_end);
        }
        const u64 count = static_cast<u64>(next_end - ends);
        u64 i = 0;
        if (was_open && count) {
            *to++ = hash_bytes(text + start, base + ends[0] - start, kChunk + base + ends[0] - start,
                               TokenKey{keys.a, keys.b});
            i = 1;
        }
        for (; i < count; ++i) *to++ = hash_word(text + base + starts[i], static_cast<u64>(ends[i] - starts[i]), keys);
        if (!inside)
            start = kNone;
        else if (count || !was_open)
            start = base + starts[count];
    }
    *open = start;
    *out = to;
    return at < n ? at : n;
}

}  // namespace lookalike
