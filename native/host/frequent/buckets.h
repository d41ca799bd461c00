// The PCY algorithm: pairs are hashed to buckets, and only buckets are counted. A pair in a bucket below the support is
// not frequent, and one bit per bucket is enough to remember that.
#pragma once
#include "deal.h"

namespace lookalike::frequent {

// The bucket of a pair under hash function `function`: the sum of the hashes of its items, which costs one addition.
// Functions after the first mix the sum again; a mere multiple of it would keep the same pairs together.
inline u32 hash_under(u32 function, u32 hash) {
    return function ? static_cast<u32>(mix(u64{function} << 32 | hash) >> 32) : hash;
}
struct Bucketing {
    u32 function = 0, bits = 0;  // 2^bits buckets
    u32 of(u32 a, u32 b) const { return bits ? (a + b) >> (32 - bits) : 0; }
    u32 of_hashes(u32 a, u32 b) const { return of(hash_under(function, a), hash_under(function, b)); }
};

// Counters of 1, 2 or 4 bytes, as the support requires. They saturate: wrapping around to 0 would lose a frequent pair.
class Buckets {
  public:
    Buckets(Bucketing bucketing, u32 width);
    void count(std::vector<Stripe>& stripes, Dealer<u32>& dealer, int threads);
    void take(const u32* buckets, u64 n);
    u64 bytes() const { return width_ << bucketing.bits; }
    // One bit per bucket, set if its count is at least the support; `frequent` is the number of bits set.
    Array<u8> bitmap(u64 support, u64& frequent) const;

    const Bucketing bucketing;

  private:
    u64 width_;
    struct Free {
        void operator()(void* p) const { std::free(p); }
    };
    std::unique_ptr<void, Free> counts_;  // from calloc: pages without any pair are never allocated
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
