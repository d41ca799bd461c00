// PCY: pairs are hashed to buckets and only the buckets counted. A pair in a bucket of few is no frequent pair, and one
// bit a bucket is enough to remember that.
#pragma once
#include "deal.h"

namespace lookalike::frequent {

// The bucket of a pair under hash function `function`: the sum of what its items hash to, so that it costs an addition.
// Functions after the first mix once more; a multiple of the first sum would keep together what met there.
inline u32 hash_under(u32 function, u32 hash) {
    return function ? static_cast<u32>(mix(u64{function} << 32 | hash) >> 32) : hash;
}
struct Bucketing {
    u32 function = 0, bits = 0;  // 2^bits buckets
    u32 of(u32 a, u32 b) const { return bits ? (a + b) >> (32 - bits) : 0; }
    u32 of_hashes(u32 a, u32 b) const { return of(hash_under(function, a), hash_under(function, b)); }
};

// Counters as wide as the support asks for: 1, 2 or 4 bytes. They stop at their largest value and never start again at
// 0, which would lose a frequent pair.
class Buckets {
  public:
    Buckets(Bucketing bucketing, u32 width);
    void count(std::vector<Stripe>& stripes, Dealer<u32>& dealer, int threads);
    void take(const u32* buckets, u64 n);
    u64 bytes() const { return width_ << bucketing.bits; }
    // One bit a bucket, set where the count is at least the support; `frequent` is how many are set.
    Array<u8> bitmap(u64 support, u64& frequent) const;

    const Bucketing bucketing;

  private:
    u64 width_;
    struct Free {
        void operator()(void* p) const { std::free(p); }
    };
    std::unique_ptr<void, Free> counts_;  // from calloc: memory that no pair ever hashes to is never touched
};

class Bitmap {
  public:
    Bitmap(Bucketing bucketing, const u8* bits, u64 bytes);
    bool has(u32 a, u32 b) const {
        const u32 bucket = bucketing_.of_hashes(a, b);
        return bits_[bucket >> 3] >> (bucket & 7) & 1;
    }
    u64 bytes() const { return bits_.size(); }

  private:
    Bucketing bucketing_;
    std::vector<u8> bits_;
};

}  // namespace lookalike::frequent
