// Tokens → windows and the sums of the fingerprint, a register of windows at a time.
//
// The polynomial of a window of 2m tokens is that of its first m tokens times BASEᵐ plus that of its last m, so that
// windows of any length take about log₂ k multiplications: W₁ → W₂ → W₄ → W₅ or W₈ → W₉.
#pragma once
#include "mix.h"
#include "steps.h"

namespace lookalike {

// The polynomials of all windows of k of the n tokens, which are also in w, and then no longer.
template <class V>
static inline void combine(const u64* tokens, u64 n, u64 k, u64* w) {
    u64 m = 1;  // the length of the windows in w
    for (int bit = 62 - __builtin_clzll(k); bit >= 0; --bit) {
        const V shift(power(kBase, m)), base(kBase);
        const bool odd = k >> bit & 1;
        for (u64 i = 0; i + 2 * m + odd <= n; i += V::size) {
            V sum = V::load(w + i) * shift + V::load(w + i + m);
            if (odd) sum = sum * base + V::load(tokens + i + 2 * m);
            sum.store(w + i);
        }
        m = 2 * m + odd;
    }
}

template <class V>
void windows(const u64* tokens, u64 n, u64 k, bool shortened, u64* out, u64* sums) {
    constexpr u64 block = 512, longest = 64;
    const u64 count = n - k + 1;
    V sum(0), product(0);
    if (k > longest) hash_windows(tokens, n, k, out);
    u64 w[block + longest + 2 * V::size];
    const V length(k * kGolden);
    for (u64 at = 0; at < count; at += block) {
        const u64 here = count - at < block ? count - at : block;
        const u64* from = out + at;
        if (k <= longest) {
            const u64 needed = here + k - 1;
            for (u64 i = 0; i < needed; i += V::size) V::load(tokens + at + i).store(w + i);
            combine<V>(tokens + at, needed, k, w);
            from = w;
        }
        for (u64 i = 0; i < here; i += V::size) {
            V x = V::load(from + i);
            if (k <= longest) x = mixed(x + length);
            if (shortened) x = mixed(x.template right<32>());
            x.store(out + at + i);
            if (here - i < V::size) x = x.first(here - i);
            sum = sum + x;
            product = product + x.template right<32>().times32(x);
        }
    }
    sums[0] = sum.total();
    sums[1] = product.total();
}

}  // namespace lookalike
