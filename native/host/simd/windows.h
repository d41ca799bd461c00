// Tokens → windows, a register of windows at a time.
//
// The polynomial of a window of 2m tokens is that of its first m tokens times BASEᵐ plus that of its last m tokens. So
// a window of k tokens takes about log₂ k multiplications: W₁ → W₂ → W₄ → W₅, or W₁ → W₂ → W₄ → W₈ → W₉.
#pragma once
#include "mix.h"
#include "rolling.h"
#include "steps.h"

namespace lookalike {

// Turns registers of tokens into registers of windows of k tokens, with a delay of `lag` registers.
template <class V, u64 k>
struct Doubling {
    static constexpr u64 m = k / 2, lag = Doubling<V, m>::lag + 1;
    Doubling<V, m> half;
    V last = V(0), shift = V(power(kBase, m));

    // Reads the first `lag` registers.
    void begin(const u64* tokens) {
        half.begin(tokens);
        last = half.push(tokens + half.lag * V::size);
    }

    // `tokens` points to the register to read; returns the windows that start `lag` registers earlier.
    V push(const u64* tokens) {
        const V next = half.push(tokens);
        V sum = last * shift + V::template slide<m>(last, next);
        if constexpr (k % 2) sum = sum * V(kBase) + V::load(tokens - lag * V::size + 2 * m);
        last = next;
        return sum;
    }
};

template <class V>
struct Doubling<V, 1> {
    static constexpr u64 lag = 0;
    void begin(const u64*) {}
    V push(const u64* tokens) { return V::load(tokens); }
};

// Finishes windows and writes them.
template <class V>
struct Finish {
    V length;
    bool shortened;

    Finish(u64 k, bool shorten) : length(k * kGolden), shortened(shorten) {}
    void add(V x, u64* out) const {
        x = mixed(x + length);
        if (shortened) x = mixed(x.template right<32>());
        x.store(out);
    }
};

template <class V, u64 k>
static void short_windows(const u64* tokens, u64 count, const Finish<V>& finish, u64* out) {
    Doubling<V, k> doubling;
    doubling.begin(tokens);
    const u64* ahead = tokens + doubling.lag * V::size;
    for (u64 i = 0; i < count; i += V::size) finish.add(doubling.push(ahead + i), out + i);
}

// The same for any k up to `longest`: one pass per doubling, over one block at a time.
inline constexpr u64 longest = 64;
template <class V>
static void long_windows(const u64* tokens, u64 count, u64 k, const Finish<V>& finish, u64* out) {
    constexpr u64 block = 512;
    u64 w[block + longest + 2 * V::size];
    for (u64 at = 0; at < count; at += block) {
        const u64 here = count - at < block ? count - at : block, n = here + k - 1;
        for (u64 i = 0; i < n; i += V::size) V::load(tokens + at + i).store(w + i);
        u64 m = 1;  // the length of the windows in w
        for (int bit = 62 - __builtin_clzll(k); bit >= 0; --bit) {
            const V shift(power(kBase, m));
            const u64 odd = k >> bit & 1;
            for (u64 i = 0; i + 2 * m + odd <= n; i += V::size) {
                V sum = V::load(w + i) * shift + V::load(w + i + m);
                if (odd) sum = sum * V(kBase) + V::load(tokens + at + i + 2 * m);
                sum.store(w + i);
            }
            m = 2 * m + odd;
        }
        for (u64 i = 0; i < here; i += V::size) finish.add(V::load(w + i), out + at + i);
    }
}

template <class V>
void windows(const u64* tokens, u64 n, u64 k, bool shortened, u64* out) {
    const u64 count = n - k + 1;
    if (k > longest) {
        hash_windows(tokens, n, k, out);
        if (shortened)
            for (u64 i = 0; i < count; ++i) out[i] = shorten(out[i]);
        return;
    }
    const Finish<V> finish(k, shortened);
    switch (k) {
        case 1: short_windows<V, 1>(tokens, count, finish, out); break;
        case 2: short_windows<V, 2>(tokens, count, finish, out); break;
        case 3: short_windows<V, 3>(tokens, count, finish, out); break;
        case 4: short_windows<V, 4>(tokens, count, finish, out); break;
        case 5: short_windows<V, 5>(tokens, count, finish, out); break;
        case 6: short_windows<V, 6>(tokens, count, finish, out); break;
        case 7: short_windows<V, 7>(tokens, count, finish, out); break;
        case 8: short_windows<V, 8>(tokens, count, finish, out); break;
        case 9: short_windows<V, 9>(tokens, count, finish, out); break;
        default: long_windows<V>(tokens, count, k, finish, out);
    }
}

template <class V>
void character_windows(const u8* characters, u64 n, u64 k, const u64* entering, const u64* leaving, const u8*,
                       bool shortened, u64* out) {
    const Finish<V> finish(k, shortened);
    roll_blocks(characters, n - k + 1, k, entering, leaving, out, [&](u64* w, u64 count) {
        for (u64 i = 0; i < count; i += V::size) finish.add(V::load(w + i), w + i);
    });
}

}  // namespace lookalike
