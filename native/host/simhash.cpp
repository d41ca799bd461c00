#include "simhash.h"

#include "../core/hash.h"
#include "threads.h"

namespace lookalike {

namespace {

// 64 counters side by side: bit b of plane k is bit k of counter b.
class Counters {
  public:
    void add(u64 bits) {
        for (u32 k = 0; bits; ++k) {
            if (k == used_) planes_[used_++] = 0;
            const u64 carry = planes_[k] & bits;
            planes_[k] ^= bits;
            bits = carry;
        }
    }

    // The counters greater than `limit`: compared from the highest plane down.
    u64 above(u64 limit) const {
        u64 greater = 0, equal = ~0ull;
        for (u32 k = 64; k-- > 0;) {
            const u64 plane = k < used_ ? planes_[k] : 0, same = limit >> k & 1 ? ~0ull : 0;
            greater |= equal & plane & ~same;
            equal &= ~(plane ^ same);
        }
        return greater;
    }

  private:
    u64 planes_[64];
    u32 used_ = 0;
};

}  // namespace

Array<u64> simhash(const Sets& sets, u64 words, u64 seed, int threads) {
    sets.check();
    require(words >= 1 && words <= 64, "there must be 1 … 64 words of bits, got " + std::to_string(words));
    Array<u64> out(sets.rows * words);
    parallel_for(sets.rows, 64, threads, [&](u32, u64 begin, u64 end) {
        for (u64 i = begin; i < end; ++i)
            for (u64 w = 0; w < words; ++w) {
                const u64 state = mix(seed + (w + 1) * kGolden);
                Counters counters;
                for (u64 j = 0; j < sets.size(i); ++j) counters.add(mix(sets.set(i)[j] ^ state));
                out[i * words + w] = counters.above(sets.size(i) / 2);
            }
    });
    return out;
}

}  // namespace lookalike
