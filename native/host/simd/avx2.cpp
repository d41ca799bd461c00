// The kernel's steps with AVX2, for x86-64 processors since about 2013.
#if defined(__x86_64__)
// Renames the namespace, so that inline functions of this file are not shared with others: see avx512.cpp.
#define lookalike lookalike_avx2
#include "above.h"
#include "characters.h"
#include "darts.h"
#include "lanes256.h"
#include "near.h"
#include "products.h"
#include "rotate.h"
#include "sketch.h"
#include "windows.h"
#include "words.h"

namespace lookalike_steps {

namespace {

using namespace lookalike;

Word ascii(const Byte* s, Word n, bool lower, Byte* out) {
    u64 i = 0;
    for (; i < n && n >= 32; i += 32) {
        i = n - i < 32 ? n - 32 : i;  // the last block overlaps the one before it
        const __m256i x = Bytes::load(s + i);
        Bytes::store(out + i, lower ? Bytes::lower(x) : x);
        if (const u32 high = static_cast<u32>(_mm256_movemask_epi8(x)))
            return i + static_cast<u64>(__builtin_ctz(high));
    }
    for (; i < n && s[i] < 0x80; ++i) out[i] = lower ? ascii_lower(s[i]) : s[i];
    return i < n ? i : n;
}

}  // namespace

const Steps kAvx2{"avx2",
                  ascii,
                  words<Bytes>,
                  characters<Bytes>,
                  windows<Lanes>,
                  character_windows<Lanes>,
                  fast<Lanes>,
                  classic<Lanes>,
                  near<CountedOnes>,
                  above<float>,
                  rotate,
                  {near_vectors<Products>, near_vectors<Differences>, near_vectors<Minima>},
                  weighted<Lanes, Bytes>};

}  // namespace lookalike_steps
#endif
