// ASCII characters → windows, in sixteen parallel stretches of the text, one per lane of two registers.
//
// No window depends on another lane, so that a rolling step takes two multiplications. Hashes are looked up 64 at a
// time, byte by byte: a table of 128 bytes fits into two registers, eight such tables give the eight bytes of each
// hash, and three rounds of interleaving combine these bytes.
#pragma once
#include "lanes512.h"
#include "windows.h"

namespace lookalike {

// Eight bytes at s, eight more at s + apart, and so on. Faster than a gather instruction.
static inline __m512i eight_words(const u8* s, u64 apart) {
    const auto two = [&](u64 j) {
        const __m128i first = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(s + j * apart));
        return _mm_castpd_si128(
            _mm_loadh_pd(_mm_castsi128_pd(first), reinterpret_cast<const double*>(s + (j + 1) * apart)));
    };
    const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(two(0)), two(2), 1);
    const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(two(4)), two(6), 1);
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

// The hashes of the next eight characters of eight stretches: character i of each goes to out[i · stride].
template <u32 stride>
static inline void look_up(const u8* s, u64 apart, const u8* table, Lanes* out) {
    // Two stretches of 8 bytes each, with their bytes alternating.
    const __m512i alternate =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15));
    const __m512i characters = _mm512_shuffle_epi8(eight_words(s, apart), alternate);
    __m512i bytes[8], pairs[8], fours[8];
    for (u32 b = 0; b < 8; ++b)
        bytes[b] = _mm512_permutex2var_epi8(_mm512_load_si512(table + 128 * b), characters,
                                            _mm512_load_si512(table + 128 * b + 64));
    for (u32 j = 0; j < 4; ++j) {  // characters 0 to 3, and 4 to 7
        pairs[j] = _mm512_unpacklo_epi8(bytes[2 * j], bytes[2 * j + 1]);
        pairs[j + 4] = _mm512_unpackhi_epi8(bytes[2 * j], bytes[2 * j + 1]);
    }
    for (u32 j = 0; j < 8; j += 4)
        for (u32 half = 0; half < 2; ++half) {
            fours[j + half] = _mm512_unpacklo_epi16(pairs[j + 2 * half], pairs[j + 2 * half + 1]);
            fours[j + half + 2] = _mm512_unpackhi_epi16(pairs[j + 2 * half], pairs[j + 2 * half + 1]);
        }
    for (u32 j = 0; j < 4; ++j) {
        out[stride * 2 * j] = _mm512_unpacklo_epi32(fours[2 * j], fours[2 * j + 1]);
        out[stride * (2 * j + 1)] = _mm512_unpackhi_epi32(fours[2 * j], fours[2 * j + 1]);
    }
}

inline constexpr u64 kAtOnce = 2;  // registers of sums, which are independent of each other
inline constexpr u64 kStretches = kAtOnce * Lanes::size;

// `each` windows of each of 16 stretches of as many characters.
static inline void roll_stretches(const u8* s, u64 each, u64 k, const u8* table, const Finish<Lanes>& finish,
                                  u64* out) {
    // Hashes of the last characters, as far back as a window reaches: a ring, small enough to stay in the cache.
    alignas(64) u64 room[128 * kStretches];
    const u64 last = (k <= 16 ? 32 : 128) - 1;
    const auto hashes = [&](u64 i, u64 r) { return reinterpret_cast<Lanes*>(room) + (i & last) * kAtOnce + r; };
    u64 known = 0;
    const auto look_up_more = [&] {
        for (u64 r = 0; r < kAtOnce; ++r)
            look_up<kAtOnce>(s + known + r * Lanes::size * each, each, table, hashes(known, r));
        known += 8;
    };
    const Lanes base(kBase), leaving(power(kBase, k));
    Lanes sums[kAtOnce] = {Lanes(0), Lanes(0)};
    const Finish<Lanes> windows = finish;  // a copy stays in registers
    while (known < k) look_up_more();
    for (u64 i = 0; i < k; ++i)
        for (u64 r = 0; r < kAtOnce; ++r) sums[r] = sums[r] * base + *hashes(i, r);
    for (u64 i = 0; i < each;) {
        look_up_more();
        for (const u64 end = each - i < 8 ? each : i + 8; i < end; ++i)
            for (u64 r = 0; r < kAtOnce; ++r) {
                windows.add(sums[r], out + i * kStretches + r * Lanes::size);
                // Subtract the leaving hash from the entering one first: then only the previous sum is waited for.
                sums[r] = sums[r] * base + (*hashes(i + k, r) - *hashes(i, r) * leaving);
            }
    }
}

static inline void rolled_windows(const u8* characters, u64 n, u64 k, const u64* entering, const u64* leaving,
                                  const u8* table, bool shortened, u64* out) {
    const u64 count = n - k + 1, each = count / kStretches, left = count % kStretches;
    if (k > longest || each < 16)  // starting so many stretches would cost too much
        return character_windows<Lanes>(characters, n, k, entering, leaving, table, shortened, out);
    const Finish<Lanes> finish(k, shortened);
    roll_stretches(characters, each, k, table, finish, out);
    const u64 done = count - left;
    if (left) roll(characters + done, left, k, entering, leaving, out + done);
    for (u64 i = done; i < count; i += Lanes::size) finish.add(Lanes::load(out + i), out + i);
}

}  // namespace lookalike
