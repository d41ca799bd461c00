// Bytes and tokens → 64-bit hashes: docs/reference/format.md, the introduction and the ends of sections 1 and 2.
#pragma once
#include "base.h"

namespace lookalike {

inline constexpr u64 kGolden = 0x9E3779B97F4A7C15ull;
inline constexpr u64 kBase = 0xD6E8FEB86659FD93ull;
inline constexpr u64 kByteKey0 = 0xA0761D6478BD642Full;
inline constexpr u64 kByteKey1 = 0xE7037ED1A0B428DBull;
inline constexpr u64 kByteKey2 = 0x8EBC6AF09C88C6E3ull;

LK_FN constexpr u64 mix(u64 x) {
    x ^= x >> 30;
    x *= 0xBF58476D1CE4E5B9ull;
    x ^= x >> 27;
    x *= 0x94D049BB133111EBull;
    x ^= x >> 31;
    return x;
}

// The high half of the 128-bit product: the only arithmetic that is written differently for host and device.
LK_FN u64 multiply_high(u64 a, u64 b) {
#if defined(__CUDA_ARCH__) || defined(__CUDACC_RTC__)
    return __umul64hi(a, b);
#else
    __extension__ using Wide = unsigned __int128;
    return static_cast<u64>((static_cast<Wide>(a) * b) >> 64);
#endif
}

// The factors are combined in again, so that a factor of 0 does not erase the other one.
LK_FN u64 fold(u64 a, u64 b) { return multiply_high(a, b) ^ (a * b) ^ a ^ b; }

// Little-endian on every machine; compilers turn this into a single load where possible.
LK_FN u64 load64(const u8* p) {
    return static_cast<u64>(p[0]) | static_cast<u64>(p[1]) << 8 | static_cast<u64>(p[2]) << 16 |
           static_cast<u64>(p[3]) << 24 | static_cast<u64>(p[4]) << 32 | static_cast<u64>(p[5]) << 40 |
           static_cast<u64>(p[6]) << 48 | static_cast<u64>(p[7]) << 56;
}

// The first n ≤ 8 bytes, padded with zeros; reads no other byte.
LK_FN u64 load_some(const u8* p, u64 n) {
    u64 x = 0;
    for (u64 i = 0; i < n; ++i) x |= static_cast<u64>(p[i]) << (8 * i);
    return x;
}

// Ones in the low n ≤ 8 bytes. Branch-free, because the lengths of words are unpredictable.
LK_FN u64 low_bytes(u64 n) { return n == 0 ? 0 : ~0ull >> ((64 - 8 * n) & 63); }

// What a plan's key does to the hashes of tokens: see docs/reference/format.md, *Keys*. Both are 0 for the key 0.
struct TokenKey {
    u64 a = 0, b = 0;

    LK_FN static constexpr TokenKey of(u64 key) { return {mix(key), mix(mix(key) * kBase)}; }
    // The hash of no bytes before they are hashed. The product keeps the length from cancelling out against the bytes.
    LK_FN constexpr u64 start(u64 n) const { return kByteKey0 ^ n ^ n * a; }
};

inline constexpr u64 kChunk = 16;  // bytes that hash_bytes takes at a time

// `readable` ≥ n is how many bytes may be read, starting at s: with 15 to spare, the end needs no load byte by byte.
LK_FN u64 hash_bytes(const u8* s, u64 n, u64 readable, TokenKey key = {}) {
    const u64 key1 = kByteKey1 ^ key.a, key2 = kByteKey2 ^ key.b;
    u64 h = key.start(n);
    u64 left = n;
    while (left > kChunk) {
        h = fold(load64(s) ^ h ^ key1, load64(s + 8) ^ key2);
        s += kChunk;
        left -= kChunk;
        readable -= kChunk;
    }
    u64 lo, hi;
    if (readable >= kChunk) {
        lo = load64(s) & low_bytes(left < 8 ? left : 8);
        hi = load64(s + 8) & low_bytes(left < 8 ? 0 : left - 8);
    } else {
        lo = load_some(s, left < 8 ? left : 8);
        hi = left > 8 ? load_some(s + 8, left - 8) : 0;
    }
    return fold(lo ^ h ^ key1, hi ^ key2);
}

LK_FN u64 hash_bytes(const u8* s, u64 n) { return hash_bytes(s, n, n); }

LK_FN constexpr u64 hash_character(u32 code_point, TokenKey key = {}) {
    return mix(((static_cast<u64>(code_point) + 1) * kGolden) ^ key.a);
}

LK_FN u64 power(u64 base, u64 exponent) {
    u64 result = 1;
    for (; exponent; exponent >>= 1, base *= base)
        if (exponent & 1) result *= base;
    return result;
}

// The shingle of a window of n tokens whose polynomial Σ vᵢ·BASEⁿ⁻¹⁻ⁱ is `sum`.
LK_FN u64 finish_window(u64 sum, u64 n) { return mix(sum + n * kGolden); }

LK_FN u64 window_sum(const u64* tokens, u64 n) {
    u64 sum = 0;
    for (u64 i = 0; i < n; ++i) sum = sum * kBase + tokens[i];
    return sum;
}

LK_FN u64 hash_window(const u64* tokens, u64 n) { return finish_window(window_sum(tokens, n), n); }

// All n − k + 1 windows of k of n ≥ k tokens, by a rolling sum.
LK_FN void hash_windows(const u64* tokens, u64 n, u64 k, u64* out) {
    const u64 leaving = power(kBase, k);
    u64 sum = window_sum(tokens, k);
    out[0] = finish_window(sum, k);
    for (u64 i = k; i < n; ++i) {
        sum = sum * kBase + tokens[i] - tokens[i - k] * leaving;
        out[i - k + 1] = finish_window(sum, k);
    }
}

// Shortens a shingle to 4 bytes (MMDS, chapter 3), then spreads it over 64 bits so that later steps treat it alike.
LK_FN u64 shorten(u64 shingle) { return mix(shingle >> 32); }

// The second, third, … occurrence of a shingle in a bag.
LK_FN u64 occurrence(u64 shingle, u64 j) { return mix(shingle + j * kGolden); }

// Two sums over all windows. They make the only shingle of a text whose windows are all ignored.
struct WindowSums {
    u64 sum = 0, product = 0;

    LK_FN void add(u64 shingle) {
        sum += shingle;
        product += (shingle >> 32) * (shingle & 0xFFFFFFFFull);
    }
    LK_FN u64 shingle() const { return mix(sum ^ mix(product)); }
};

}  // namespace lookalike
