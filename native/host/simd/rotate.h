// Applies a random rotation to sixteen vectors at a time: lane k of every row of the block is a coordinate of vector k.
//
// It consists of additions, subtractions and sign changes in a fixed order, so that every path and every machine
// computes the same bits. A matrix product would not guarantee that.
#pragma once
#include "steps.h"

namespace lookalike {

typedef float Lane16 __attribute__((vector_size(64), aligned(64)));
typedef unsigned Bits16 __attribute__((vector_size(64), aligned(64)));

// Two levels of butterflies at once: the same sums as one level after the other, with half the memory traffic.
static inline void four(Lane16& a, Lane16& b, Lane16& c, Lane16& d) {
    const Lane16 p = a + b, q = a - b, r = c + d, s = c - d;
    a = p + r;
    b = q + s;
    c = p - r;
    d = q - s;
}

// H·x, not scaled; `size` is a power of two.
static inline void hadamard(Lane16* x, u64 size) {
    u64 half = 1;
    for (; 4 * half <= size; half *= 4)
        for (u64 i = 0; i < size; i += 4 * half)
            for (u64 j = i; j < i + half; ++j) four(x[j], x[j + half], x[j + 2 * half], x[j + 3 * half]);
    if (half < size)
        for (u64 j = 0; j < half; ++j) {
            const Lane16 a = x[j], b = x[j + half];
            x[j] = a + b;
            x[j + half] = a - b;
        }
}

// H D₃ H D₂ H D₁ x; `signs` has 3·size words, each 0 or the sign bit.
static void rotate(float* block, u64 size, const u32* signs) {
    auto* const x = reinterpret_cast<Lane16*>(block);
    auto* const bits = reinterpret_cast<Bits16*>(block);
    for (u64 round = 0; round < 3; ++round, signs += size) {
        for (u64 j = 0; j < size; ++j) bits[j] ^= signs[j];
        hadamard(x, size);
    }
}

}  // namespace lookalike
