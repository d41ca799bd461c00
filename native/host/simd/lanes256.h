// Four 64-bit lanes, or 64 bytes in two registers, of AVX2 (with BMI2).
#pragma once
#include <immintrin.h>

#include "../../core/text.h"
#include "bound.h"
#include "mix.h"

namespace lookalike {

struct Lanes {
    static constexpr u64 size = 4;
    using Mask = u32;
    __m256i v;

    Lanes(__m256i lanes) : v(lanes) {}
    explicit Lanes(u64 x) : v(_mm256_set1_epi64x(static_cast<i64>(x))) {}
    static Lanes load(const u64* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
    static Lanes ascending() { return _mm256_setr_epi64x(0, 1, 2, 3); }
    static u32 first_lanes(u64 n) { return (1u << n) - 1; }
    void store(u64* p) const { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
    Lanes first(u64 n) const {
        return _mm256_and_si256(v, _mm256_cmpgt_epi64(_mm256_set1_epi64x(static_cast<i64>(n)), ascending().v));
    }

    friend Lanes operator+(Lanes a, Lanes b) { return _mm256_add_epi64(a.v, b.v); }
    friend Lanes operator-(Lanes a, Lanes b) { return _mm256_sub_epi64(a.v, b.v); }
    friend Lanes operator*(Lanes a, Lanes b) {  // from three products of 32 bits
        const __m256i crossed = _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(a.v, 32), b.v),
                                                 _mm256_mul_epu32(a.v, _mm256_srli_epi64(b.v, 32)));
        return _mm256_add_epi64(_mm256_mul_epu32(a.v, b.v), _mm256_slli_epi64(crossed, 32));
    }
    friend Lanes operator^(Lanes a, Lanes b) { return _mm256_xor_si256(a.v, b.v); }
    friend Lanes operator|(Lanes a, Lanes b) { return _mm256_or_si256(a.v, b.v); }
    friend Lanes operator&(Lanes a, Lanes b) { return _mm256_and_si256(a.v, b.v); }
    template <u32 n>
    Lanes right() const {
        return _mm256_srli_epi64(v, n);
    }
    template <u32 n>
    Lanes left() const {
        return _mm256_slli_epi64(v, n);
    }
    // Lanes n … n + 3 of a followed by b.
    template <u32 n>
    static Lanes slide(Lanes a, Lanes b) {
        const __m256i middle = _mm256_permute2x128_si256(a.v, b.v, 0x21);
        if constexpr (n == 1) return _mm256_alignr_epi8(middle, a.v, 8);
        if constexpr (n == 2) return middle;
        if constexpr (n == 3) return _mm256_alignr_epi8(b.v, middle, 8);
        return b;
    }
    // (this & mask) | rest
    Lanes within(Lanes mask, Lanes rest) const { return (*this & mask) | rest; }
    // The product of the lower 32 bits.
    Lanes times32(Lanes b) const { return _mm256_mul_epu32(v, b.v); }
    Lanes smaller(Lanes b) const {
        const __m256i sign = _mm256_set1_epi64x(static_cast<i64>(1ull << 63));
        return _mm256_blendv_epi8(v, b.v, _mm256_cmpgt_epi64(_mm256_xor_si256(v, sign), _mm256_xor_si256(b.v, sign)));
    }
    // For numbers below 2⁶³, where a signed comparison is correct.
    Lanes smaller48(Lanes b) const { return _mm256_blendv_epi8(v, b.v, _mm256_cmpgt_epi64(v, b.v)); }
    u32 less(Lanes b) const { return mask(_mm256_cmpgt_epi64(b.v, v)); }
    // One bit per byte, set if it is at most the same byte of b.
    u64 bytes_at_most(Lanes b) const {
        return static_cast<u32>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(v, b.v), v)));
    }
    u64 highest_bits() const { return mask(v); }
    struct Doubles;
    u64 total() const {
        u64 lanes[4];
        store(lanes);
        return lanes[0] + lanes[1] + lanes[2] + lanes[3];
    }
    static u32 mask(__m256i lanes) { return static_cast<u32>(_mm256_movemask_pd(_mm256_castsi256_pd(lanes))); }

    // Writes the selected lanes contiguously (and may overwrite what follows); returns how many.
    u64 append(u32 lanes, u64* out) const {
        static constexpr struct Orders {
            u32 of[16][8];
            constexpr Orders() : of{} {
                for (u32 mask = 0; mask < 16; ++mask)
                    for (u32 lane = 0, to = 0; lane < 4; ++lane)
                        if (mask >> lane & 1) {
                            of[mask][2 * to] = 2 * lane;
                            of[mask][2 * to++ + 1] = 2 * lane + 1;
                        }
            }
        } orders;
        const __m256i order = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(orders.of[lanes]));
        Lanes(_mm256_permutevar8x32_epi32(v, order)).store(out);
        return static_cast<u64>(__builtin_popcount(lanes));
    }

    // Tests whether an offer may lower its slot in round 0.
    struct Bounds {
        static constexpr u64 head = 512;  // elements before the first test
        __m256i greatest;
        Bounds(const u64* slots, u32 t) : greatest(Lanes(lookalike::greatest(slots, t)).v) {}
        u32 may_lower(Lanes offer) const { return (offer & Lanes(kLow48)).less(greatest); }
    };

    // A bitmap, indexed by the slot of an offer, lane by lane.
    struct Bits {
        const long long* words;
        __m256d low, high;
        bool is_near;
        Bits(const u64* bits, u32 t)
            : words(reinterpret_cast<const long long*>(bits)),
              low(_mm256_castsi256_pd(Lanes(bits[0]).v)),
              high(_mm256_castsi256_pd(Lanes(bits[1]).v)),
              is_near(t <= 128) {}
        u32 at(Lanes offer) const {
            const __m256i slot = _mm256_srli_epi64(offer.v, 48);
            __m256i found;
            if (is_near) {  // bit 6 of the slot selects one of two words
                const __m256i which = _mm256_slli_epi64(slot, 57);
                found = _mm256_castpd_si256(_mm256_blendv_pd(low, high, _mm256_castsi256_pd(which)));
            } else {
                const __m256i word = _mm256_and_si256(_mm256_srli_epi64(slot, 6), _mm256_set1_epi64x(63));
                found = _mm256_i64gather_epi64(words, word, 8);
            }
            // Moves the requested bit to the top.
            return mask(_mm256_sllv_epi64(found, _mm256_andnot_si256(slot, _mm256_set1_epi64x(63))));
        }
    };
};

struct Lanes::Doubles {
    __m256d v;

    Doubles(__m256d lanes) : v(lanes) {}
    explicit Doubles(double x) : v(_mm256_set1_pd(x)) {}
    explicit Doubles(Lanes bits) : v(_mm256_castsi256_pd(bits.v)) {}
    Lanes bits() const { return _mm256_castpd_si256(v); }
    friend Doubles operator+(Doubles a, Doubles b) { return _mm256_add_pd(a.v, b.v); }
    friend Doubles operator-(Doubles a, Doubles b) { return _mm256_sub_pd(a.v, b.v); }
    friend Doubles operator/(Doubles a, Doubles b) { return _mm256_div_pd(a.v, b.v); }
    friend Doubles operator*(Doubles a, Doubles b) {
        __m256d product = _mm256_mul_pd(a.v, b.v);
        __asm__("" : "+x"(product));  // keeps the compiler from fusing it with a sum
        return product;
    }
};

struct Bytes {
    __m256i low, high;

    explicit Bytes(const u8* p) : low(load(p)), high(load(p + 32)) {}
    static __m256i load(const u8* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
    static void store(u8* p, __m256i x) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x); }
    static u64 both(__m256i a, __m256i b) {
        return static_cast<u32>(_mm256_movemask_epi8(a)) | static_cast<u64>(_mm256_movemask_epi8(b)) << 32;
    }
    bool ascii() const { return _mm256_movemask_epi8(_mm256_or_si256(low, high)) == 0; }

    // For each low half of a byte, one bit per high half with which the character has the wanted class.
    struct Halves {
        u8 upper[32];
        constexpr explicit Halves(u8 wanted) : upper{} {
            for (u32 c = 0; c < 128; ++c)
                if (kAsciiClass[c] == wanted) {
                    upper[c % 16] = static_cast<u8>(upper[c % 16] | 1 << c / 16);
                    upper[c % 16 + 16] = upper[c % 16];
                }
        }
    };
    static __m256i is_of(const Halves& halves, __m256i x) {
        const __m256i bits = _mm256_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32,
                                              64, -128, 0, 0, 0, 0, 0, 0, 0, 0);
        const __m256i upper = _mm256_and_si256(_mm256_srli_epi16(x, 4), _mm256_set1_epi8(7));
        const __m256i bit = _mm256_shuffle_epi8(bits, upper);
        return _mm256_cmpeq_epi8(_mm256_and_si256(_mm256_shuffle_epi8(load(halves.upper), x), bit), bit);
    }
    u64 words() const {
        static constexpr Halves halves(kWord);
        return both(is_of(halves, low), is_of(halves, high));
    }
    u64 spaces() const {
        static constexpr Halves halves(kSpace);
        return both(is_of(halves, low), is_of(halves, high));
    }
    void blank() {
        static constexpr Halves halves(kSpace);
        const __m256i blanks = _mm256_set1_epi8(' ');
        low = _mm256_blendv_epi8(low, blanks, is_of(halves, low));
        high = _mm256_blendv_epi8(high, blanks, is_of(halves, high));
    }
    // Writes the selected bytes contiguously (and may overwrite what follows); returns their end.
    u8* squeeze(u64 taken, u8* out) const {
        store(out, low);
        store(out + 32, high);
        if (taken & (taken + 1))  // some bytes are dropped, and not only at the end
            for (u64 to = 0, left = taken; left; left &= left - 1) out[to++] = out[__builtin_ctzll(left)];
        return out + __builtin_popcountll(taken);
    }

    static __m256i lower(__m256i x) {
        const __m256i from_a = _mm256_sub_epi8(x, _mm256_set1_epi8('A'));
        const __m256i is_upper = _mm256_cmpeq_epi8(_mm256_min_epu8(from_a, _mm256_set1_epi8(25)), from_a);
        return _mm256_add_epi8(x, _mm256_and_si256(is_upper, _mm256_set1_epi8(32)));
    }

    // Writes the positions of the bits that are set, plus `base`; returns the end of the output.
    static u16* positions(u64 bits, u64 base, u16* out) {
        u16* const end = out + __builtin_popcountll(bits);
        do {  // eight at a time, because the number of bits is unpredictable
            for (u32 i = 0; i < 8; ++i) {
                out[i] = static_cast<u16>(base + static_cast<u64>(_tzcnt_u64(bits)));
                bits &= bits - 1;
            }
            out += 8;
        } while (bits);
        return end;
    }
};

}  // namespace lookalike
