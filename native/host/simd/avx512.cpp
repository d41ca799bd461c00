// The kernel's steps with AVX-512, for Ice Lake, Zen 4 and later.
#if defined(__x86_64__)
// This file is compiled for instructions that not every processor has. Renaming the namespace keeps its inline
// functions separate: otherwise the linker could use them in place of the portable ones.
#define lookalike lookalike_avx512
#include "above.h"
#include "characters.h"
#include "darts.h"
#include "lanes512.h"
#include "near.h"
#include "products.h"
#include "rolling512.h"
#include "rotate.h"
#include "sketch.h"
#include "windows.h"
#include "words.h"

namespace lookalike_steps {

namespace {

using namespace lookalike;

Word ascii(const Byte* s, Word n, bool lower, Byte* out) {
    for (u64 i = 0; i < n; i += 64) {
        const __mmask64 here = n - i < 64 ? (1ull << (n - i)) - 1 : ~0ull;
        const __m512i x = _mm512_maskz_loadu_epi8(here, s + i);
        _mm512_storeu_si512(out + i, lower ? Bytes::lower(x) : x);
        if (const u64 high = _mm512_movepi8_mask(x)) return i + static_cast<u64>(__builtin_ctzll(high));
    }
    return n;
}

}  // namespace

const Steps kAvx512{"avx512",
                    ascii,
                    words<Bytes>,
                    characters<Bytes>,
                    windows<Lanes>,
                    rolled_windows,
                    fast<Lanes>,
                    classic<Lanes>,
                    near<CountedOnes>,
                    above<float>,
                    rotate,
                    {near_vectors<Products>, near_vectors<Differences>, near_vectors<Minima>},
                    weighted<Lanes, Bytes>};

}  // namespace lookalike_steps
#endif
