// Bytes → 128-bit hash: docs/reference/format.md, `hash128` in the introduction.
#pragma once
#include "hash.h"

namespace lookalike {

struct Hash128 {
    u64 a = 0, b = 0;

    LK_FN constexpr bool operator==(const Hash128& other) const { return a == other.a && b == other.b; }
};

LK_FN u64 load32(const u8* p) {
    return static_cast<u64>(p[0]) | static_cast<u64>(p[1]) << 8 | static_cast<u64>(p[2]) << 16 |
           static_cast<u64>(p[3]) << 24;
}

// The first n ≤ 8 bytes, padded with zeros, by loads that may overlap.
LK_FN u64 load_up_to_8(const u8* s, u64 n) {
    if (n >= 8) return load64(s);
    if (n >= 4) return load32(s) | load32(s + n - 4) << (8 * (n - 4));
    if (n == 0) return 0;
    return static_cast<u64>(s[0]) | static_cast<u64>(s[n / 2]) << (8 * (n / 2)) |
           static_cast<u64>(s[n - 1]) << (8 * (n - 1));
}

// The key of the hash of words that belongs to a plan's key.
LK_FN constexpr Hash128 words_key(TokenKey key) {
    const u64 a = mix(key.b * kBase);
    return {a, mix(a * kBase)};
}

// Four chains take 16 bytes in turn: a step waits for the one before it in its chain, but not for other chains.
struct Chains {
    static constexpr u64 kStripe = 4 * kChunk;
    Hash128 c0, c1, c2, c3;

    LK_FN constexpr explicit Chains(Hash128 key)
        : c0(first(key, 1)), c1(first(key, 2)), c2(first(key, 3)), c3(first(key, 4)) {}

    LK_FN static constexpr Hash128 first(Hash128 key, u64 i) {
        return {mix(key.a + i * kGolden), mix(key.b ^ (i * kBase))};
    }

    // Both halves of the product are kept, and both factors, so that a factor of 0 does not erase the other one.
    LK_FN static void step(Hash128& chain, u64 lo, u64 hi) {
        const u64 a = chain.a ^ lo, b = chain.b ^ hi;
        chain = {(a * b) ^ b, multiply_high(a, b) ^ a};
    }

    LK_FN void stripes(const u8* s, u64 count) {
        for (; count; --count, s += kStripe) {
            step(c0, load64(s), load64(s + 8));
            step(c1, load64(s + 16), load64(s + 24));
            step(c2, load64(s + 32), load64(s + 40));
            step(c3, load64(s + 48), load64(s + 56));
        }
    }

    // Up to 16 bytes, padded with zeros; none change nothing.
    LK_FN static void some(Hash128& chain, const u8* s, u64 n) {
        if (n >= kChunk)
            step(chain, load64(s), load64(s + 8));
        else if (n > 8)
            step(chain, load64(s), load_up_to_8(s + 8, n - 8));
        else if (n)
            step(chain, load_up_to_8(s, n), 0);
    }

    // The last n < 64 bytes.
    LK_FN void rest(const u8* s, u64 n) {
        some(c0, s, n);
        if (n > 16) some(c1, s + 16, n - 16);
        if (n > 32) some(c2, s + 32, n - 32);
        if (n > 48) some(c3, s + 48, n - 48);
    }

    LK_FN Hash128 joined(u64 size) const {
        Hash128 all = c0;
        step(all, c1.a, c1.b);
        step(all, c2.a, c2.b);
        step(all, c3.a, c3.b);
        step(all, size, 0);
        all.b ^= mix(all.a);
        all.a ^= mix(all.b);
        return all;
    }
};

LK_FN Hash128 hash128(const u8* s, u64 n, Hash128 key = {}) {
    Chains chains(key);
    chains.stripes(s, n / Chains::kStripe);
    chains.rest(s + n - n % Chains::kStripe, n % Chains::kStripe);
    return chains.joined(n);
}

}  // namespace lookalike
