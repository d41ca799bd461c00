#include "buckets.h"

#include <cstdlib>
#include <new>

#include "../check.h"

namespace lookalike::frequent {

namespace {

template <class Counter>
void add(void* counts, const u32* buckets, u64 n) {
    Counter* const c = static_cast<Counter*>(counts);
    constexpr Counter full = static_cast<Counter>(~Counter{0});
    for (u64 i = 0; i < n; ++i) {
        const Counter before = c[buckets[i]];
        c[buckets[i]] = static_cast<Counter>(before + (before != full));
    }
}

template <class Counter>
u64 mark(const void* counts, u64 buckets, u64 support, u8* bits) {
    const Counter* const c = static_cast<const Counter*>(counts);
    u64 frequent = 0;
    for (u64 b = 0; b < buckets; b += 8) {
        u32 byte = 0;
        for (u64 i = 0; i < std::min<u64>(8, buckets - b); ++i) byte |= u32{c[b + i] >= support} << i;
        bits[b / 8] = static_cast<u8>(byte);
        frequent += static_cast<u32>(__builtin_popcount(byte));
    }
    return frequent;
}

}  // namespace

Buckets::Buckets(Bucketing how, u32 width)
    : bucketing(how), width_(width), counts_(std::calloc(1ull << how.bits, width)) {
    if (!counts_) throw std::bad_alloc();
}

void Buckets::take(const u32* buckets, u64 n) {
    if (width_ == 1) return add<u8>(counts_.get(), buckets, n);
    if (width_ == 2) return add<u16>(counts_.get(), buckets, n);
    add<u32>(counts_.get(), buckets, n);
}

void Buckets::count(std::vector<Stripe>& stripes, Dealer<u32>& dealer, int threads) {
    const Bucketing how = bucketing;
    const u32 shift = how.bits > 6 ? how.bits - 6 : 0;
    dealer.deal(
        stripes, threads,
        [how, shift](const Run& run, auto&& put) {
            for (u64 i = run.from; i < run.to; ++i) {
                const u32 left = hash_under(how.function, hash_of(run.basket[i]));
                for (u64 j = i + 1; j < run.size; ++j) {
                    const u32 bucket = how.of(left, hash_under(how.function, hash_of(run.basket[j])));
                    put(bucket >> shift, bucket);
                }
            }
        },
        [this](u32, const u32* buckets, u64 n) { take(buckets, n); }, [] {});
}

Array<u8> Buckets::bitmap(u64 support, u64& frequent) const {
    const u64 buckets = 1ull << bucketing.bits;
    Array<u8> bits((buckets + 7) / 8);
    frequent = width_ == 1   ? mark<u8>(counts_.get(), buckets, support, bits.begin())
               : width_ == 2 ? mark<u16>(counts_.get(), buckets, support, bits.begin())
                             : mark<u32>(counts_.get(), buckets, support, bits.begin());
    return bits;
}

Bitmap::Bitmap(Bucketing bucketing, const u8* bits, u64 bytes) : bucketing_(bucketing), bits_(bits, bits + bytes) {
    require(bytes == ((1ull << bucketing.bits) + 7) / 8, "a bitmap must have one bit per bucket");
}

}  // namespace lookalike::frequent
