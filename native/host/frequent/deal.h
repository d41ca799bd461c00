// Distributes the pairs of all baskets to shards. Each pair is generated once, and each shard is counted by a single
// thread: no locks are needed, and the memory of a shard fits into a cache.
#pragma once
#include "baskets.h"

namespace lookalike::frequent {

inline constexpr u32 kShards = 64;

// The pairs of one basket whose left item is at positions from … to.
struct Run {
    const u64* basket;
    u64 size, from, to;
};

template <class Value>
class Dealer {
  public:
    // At most `most` values wait at a time (a few more if one item has many partners).
    explicit Dealer(u64 most) : most_(std::max<u64>(most, 1)) {}

    // make(run, put) calls put(shard, value) for the pairs of a run; take(shard, values, count) counts them;
    // settle() is called when all distributed values have been counted.
    template <class Make, class Take, class Settle>
    void deal(std::vector<Stripe>& stripes, int threads, Make&& make, Take&& take, Settle&& settle) {
        u64 waiting = 0;
        const auto flush = [&] {
            count(threads, make, take);
            settle();
            waiting = 0;
        };
        for (Stripe& stripe : stripes)
            for (u64 b = 0; b < stripe.baskets(); ++b) {
                const u64* const basket = stripe.entries.data() + stripe.first(b);
                const u64 size = stripe.ends[b] - stripe.first(b);
                if (size < 2) continue;
                for (u64 from = 0, to = 0; to < size; from = to) {
                    u64 pairs = 0;  // a long basket is divided into runs, so that threads can share it
                    while (to < size && pairs < most_ / 8 + 1) pairs += size - ++to;
                    runs_.push({basket, size, from, to});
                    if ((waiting += pairs) >= most_) flush();
                }
            }
        if (waiting) flush();
        runs_.clear();
    }

    u64 bytes() const {
        u64 total = runs_.size() * sizeof(Run);
        for (const auto& worker : hands_)
            for (const Buffer<Value>& hand : worker.hands) total += hand.size() * sizeof(Value);
        return total;
    }

  private:
    struct Worker {
        Buffer<Value> hands[kShards];
    };

    template <class Make, class Take>
    void count(int threads, Make&& make, Take&& take) {
        const u64 chunk = std::max<u64>(1, std::min<u64>(256, runs_.size() / (4 * static_cast<u64>(threads))));
        hands_.resize(std::max<u64>(hands_.size(), workers_for(runs_.size(), chunk, threads)));
        for (Worker& worker : hands_)
            for (Buffer<Value>& hand : worker.hands) hand.clear();
        parallel_for(runs_.size(), chunk, threads, [&](u32 worker, u64 begin, u64 end) {
            Buffer<Value>* const hands = hands_[worker].hands;
            for (u64 r = begin; r < end; ++r)
                make(runs_[r], [hands](u32 shard, Value value) { hands[shard].push(value); });
        });
        parallel_for(kShards, 1, threads, [&](u32, u64 shard, u64) {
            for (Worker& worker : hands_)
                if (worker.hands[shard].size())
                    take(static_cast<u32>(shard), worker.hands[shard].data(), worker.hands[shard].size());
        });
        runs_.clear();
    }

    u64 most_;
    Buffer<Run> runs_;
    std::vector<Worker> hands_;
};

}  // namespace lookalike::frequent
