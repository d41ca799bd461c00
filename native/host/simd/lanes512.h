// Eight 64-bit lanes, or 64 bytes, of AVX-512 (with VBMI and VBMI2).
#pragma once
#include <immintrin.h>

#include "../../core/text.h"
#include "bound.h"
#include "mix.h"

namespace lookalike {

struct Lanes {
    static constexpr u64 size = 8;
    using Mask = __mmask8;
    __m512i v;

    Lanes(__m512i lanes) : v(lanes) {}
    explicit Lanes(u64 x) : v(_mm512_set1_epi64(static_cast<i64>(x))) {}
    static Lanes load(const u64* p) { return _mm512_loadu_si512(p); }
    static Lanes ascending() { return _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7); }
    static __mmask8 first_lanes(u64 n) { return static_cast<__mmask8>((1u << n) - 1); }
    void store(u64* p) const { _mm512_storeu_si512(p, v); }
    Lanes first(u64 n) const { return _mm512_maskz_mov_epi64(first_lanes(n), v); }

    friend Lanes operator+(Lanes a, Lanes b) { return _mm512_add_epi64(a.v, b.v); }
    friend Lanes operator-(Lanes a, Lanes b) { return _mm512_sub_epi64(a.v, b.v); }
    friend Lanes operator*(Lanes a, Lanes b) { return _mm512_mullo_epi64(a.v, b.v); }
    friend Lanes operator^(Lanes a, Lanes b) { return _mm512_xor_si512(a.v, b.v); }
    friend Lanes operator|(Lanes a, Lanes b) { return _mm512_or_si512(a.v, b.v); }
    friend Lanes operator&(Lanes a, Lanes b) { return _mm512_and_si512(a.v, b.v); }
    template <u32 n>
    Lanes right() const {
        return _mm512_srli_epi64(v, n);
    }
    template <u32 n>
    Lanes left() const {
        return _mm512_slli_epi64(v, n);
    }
    // Lanes n … n + 7 of a followed by b.
    template <u32 n>
    static Lanes slide(Lanes a, Lanes b) {
        if constexpr (n == size)
            return b;
        else
            return _mm512_alignr_epi64(b.v, a.v, n);
    }
    // (this & mask) | rest
    Lanes within(Lanes mask, Lanes rest) const { return _mm512_ternarylogic_epi64(v, mask.v, rest.v, 0xEA); }
    // The product of the lower 32 bits.
    Lanes times32(Lanes b) const { return _mm512_mul_epu32(v, b.v); }
    Lanes smaller(Lanes b) const { return _mm512_min_epu64(v, b.v); }
    Lanes smaller48(Lanes b) const { return _mm512_min_epu64(v, b.v); }
    __mmask8 less(Lanes b) const { return _mm512_cmplt_epu64_mask(v, b.v); }
    // One bit per byte, set if it is at most the same byte of b.
    u64 bytes_at_most(Lanes b) const { return _mm512_cmple_epu8_mask(v, b.v); }
    u64 highest_bits() const { return _mm512_movepi64_mask(v); }
    struct Doubles;
    u64 total() const {
        u64 lanes[8], sum = 0;
        store(lanes);
        for (const u64 lane : lanes) sum += lane;
        return sum;
    }

    // Writes the selected lanes contiguously (and may overwrite what follows); returns how many.
    u64 append(__mmask8 lanes, u64* out) const {
        _mm512_storeu_si512(out, _mm512_maskz_compress_epi64(lanes, v));
        return static_cast<u64>(__builtin_popcount(lanes));
    }

    // Tests whether an offer may lower its slot in round 0. For up to 128 slots, the upper eight bits of each slot's
    // value are a table in two registers; otherwise the greatest value of all slots is the bound.
    struct Bounds {
        static constexpr u64 head = 256;  // elements before the first test
        __m512i low, high, greatest;
        bool is_near;
        Bounds(const u64* slots, u32 t) : is_near(t <= 128) {
            alignas(64) u8 upper[128 + 8] = {};
            if (!is_near) {
                greatest = Lanes(lookalike::greatest(slots, t)).v;
                return;
            }
            u32 i = 0;
            for (; i + 8 <= t; i += 8)
                _mm_storel_epi64(reinterpret_cast<__m128i*>(upper + i),
                                 _mm512_cvtepi64_epi8(_mm512_srli_epi64(_mm512_loadu_si512(slots + i), 40)));
            for (; i < t; ++i) upper[i] = static_cast<u8>(slots[i] >> 40);  // 255 for an empty slot
            low = _mm512_load_si512(upper);
            high = _mm512_load_si512(upper + 64);
        }
        __mmask8 may_lower(Lanes offer) const {
            if (!is_near) return _mm512_cmplt_epu64_mask((offer & Lanes(kLow48)).v, greatest);
            // The slot is byte 6. It is copied to byte 5, the upper bits of the value, and looked up there. The bound
            // is the offer with these upper bits.
            const __m512i down =
                _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 2, 3, 4, 6, 6, 7, 8, 9, 10, 11, 12, 14, 14, 15));
            const __m512i slot = _mm512_shuffle_epi8(offer.v, down);
            const __m512i bound = _mm512_mask2_permutex2var_epi8(low, slot, 0x2020202020202020, high);
            return _mm512_cmple_epu64_mask(offer.v, bound);
        }
    };

    // A bitmap, indexed by the slot of an offer, lane by lane. For up to 128 slots, its bits are expanded to bytes: a
    // table in two registers.
    struct Bits {
        const u64* words;
        __m512i low, high;
        u32 t;
        Bits(const u64* bits, u32 slots) : words(bits), t(slots) {
            low = t <= 128 ? _mm512_movm_epi8(bits[0]) : _mm512_loadu_si512(bits);
            high = _mm512_movm_epi8(bits[1]);
        }
        __mmask8 at(Lanes offer) const {
            if (t <= 128) {
                const __m512i found = _mm512_maskz_permutex2var_epi8(0x4040404040404040, low, offer.v, high);
                return _mm512_test_epi64_mask(found, found);
            }
            const __m512i slot = _mm512_and_si512(_mm512_srli_epi64(offer.v, 48), _mm512_set1_epi64(4095));
            const __m512i word = _mm512_srli_epi64(slot, 6);
            const __m512i found =
                t <= 512 ? _mm512_permutexvar_epi64(word, low) : _mm512_i64gather_epi64(word, words, 8);
            return _mm512_test_epi64_mask(_mm512_rorv_epi64(found, slot), _mm512_set1_epi64(1));
        }
    };
};

struct Lanes::Doubles {
    __m512d v;

    Doubles(__m512d lanes) : v(lanes) {}
    explicit Doubles(double x) : v(_mm512_set1_pd(x)) {}
    explicit Doubles(Lanes bits) : v(_mm512_castsi512_pd(bits.v)) {}
    Lanes bits() const { return _mm512_castpd_si512(v); }
    friend Doubles operator+(Doubles a, Doubles b) { return _mm512_add_pd(a.v, b.v); }
    friend Doubles operator-(Doubles a, Doubles b) { return _mm512_sub_pd(a.v, b.v); }
    friend Doubles operator/(Doubles a, Doubles b) { return _mm512_div_pd(a.v, b.v); }
    friend Doubles operator*(Doubles a, Doubles b) {
        __m512d product = _mm512_mul_pd(a.v, b.v);
        __asm__("" : "+v"(product));  // keeps the compiler from fusing it with a sum
        return product;
    }
};

struct Bytes {
    __m512i v;

    explicit Bytes(const u8* p) : v(_mm512_loadu_si512(p)) {}
    bool ascii() const { return _mm512_movepi8_mask(v) == 0; }
    u64 of_class(u8 wanted) const {
        const __m512i classes =
            _mm512_permutex2var_epi8(_mm512_loadu_si512(kAsciiClass), v, _mm512_loadu_si512(kAsciiClass + 64));
        return _mm512_cmpeq_epi8_mask(classes, _mm512_set1_epi8(static_cast<char>(wanted)));
    }
    u64 words() const { return of_class(kWord); }
    u64 spaces() const { return of_class(kSpace); }
    void blank() { v = _mm512_mask_mov_epi8(v, spaces(), _mm512_set1_epi8(' ')); }
    // Writes the selected bytes contiguously (and may overwrite what follows); returns their end.
    u8* squeeze(u64 taken, u8* out) const {
        _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(taken, v));
        return out + __builtin_popcountll(taken);
    }

    static __m512i lower(__m512i x) {
        const __mmask64 upper = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(x, _mm512_set1_epi8('A')), _mm512_set1_epi8(26));
        return _mm512_mask_add_epi8(x, upper, x, _mm512_set1_epi8(32));
    }

    // Writes the positions of the bits that are set (at most 32), plus `base`; returns the end of the output.
    static u16* positions(u64 bits, u64 base, u16* out) {
        static constexpr struct Numbers {
            u8 at[64];
            constexpr Numbers() : at{} {
                for (u8 i = 0; i < 64; ++i) at[i] = i;
            }
        } numbers;
        const __m512i set = _mm512_maskz_compress_epi8(bits, _mm512_loadu_si512(numbers.at));
        const __m512i wide = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(set));
        _mm512_storeu_si512(out, _mm512_add_epi16(wide, _mm512_set1_epi16(static_cast<short>(base))));
        return out + __builtin_popcountll(bits);
    }
};

}  // namespace lookalike
