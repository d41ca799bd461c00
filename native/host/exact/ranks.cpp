#include "ranks.h"

#include "memory.h"

namespace lookalike {

namespace {

constexpr u64 kBlockValues = 1 << 15;  // few enough to stay in the cache while they are dealt out
constexpr u64 kMostCodes = 1 << 22;    // an index has a list for each

}  // namespace

Ranks::Side::Side(const Sets& sets, int threads) : sets_(sets) {
    for (u64 row = 0; row < sets.rows;) {
        firsts_.push_back(row);
        const i64 end = sets.offsets[row] + static_cast<i64>(kBlockValues);
        while (row < sets.rows && sets.offsets[row] < end) ++row;
    }
    firsts_.push_back(sets.rows);
    const u64 n = blocks();
    starts_.resize(kPartitions * n + 1);
    parallel_for(n, 1, threads, [&](u32, u64 block, u64) {
        u32 counts[kPartitions] = {};
        for (u64 i = begin(block); i < begin(block + 1); ++i) ++counts[partition_of(spread(sets.values[i]))];
        for (u64 p = 0; p < kPartitions; ++p) starts_[p * n + block + 1] = counts[p];
    });
    for (u64 at = 0; at < kPartitions * n; ++at) starts_[at + 1] += starts_[at];
    entries_ = Array<u32>(starts_.back());
    parallel_for(n, 1, threads, [&](u32, u64 block, u64) {
        std::vector<u64> next = places(block);
        for (u64 i = begin(block); i < begin(block + 1); ++i) {
            const u64 x = spread(sets.values[i]);
            entries_[next[partition_of(x)]++] = slot_of(x);
        }
    });
}

std::vector<u64> Ranks::Side::places(u64 block) const {
    std::vector<u64> next(kPartitions);
    for (u64 p = 0; p < kPartitions; ++p) next[p] = starts_[p * blocks() + block];
    return next;
}

// Small counts have a class each; larger ones share a class with counts that differ by less than a quarter.
u32 Ranks::class_of(u32 count) {
    if (count < 8) return count;
    const u32 bits = 31 - static_cast<u32>(__builtin_clz(count));
    return 8 + 4 * (bits - 3) + (count >> (bits - 2) & 3);
}

struct Ranks::Scratch {
    Slots here, there;
    std::vector<u32> counts;  // of shared elements by slot, and then the ranks of the slots

    explicit Scratch(u64 hashes) : here(hashes), there(hashes) {}
};

Ranks::Ranks(const Sets& left, const Sets* right, int threads)
    : left_(left, threads), right_(right ? std::make_unique<Side>(*right, threads) : nullptr) {
    const u64 entries = left_.entries() + (right_ ? right_->entries() : 0);
    bases_.resize(kClasses * kPartitions + 1);
    std::vector<std::unique_ptr<Scratch>> scratch(workers_for(kPartitions, 1, threads));
    parallel_for(kPartitions, 1, threads, [&](u32 worker, u64 p, u64) {
        if (!scratch[worker]) scratch[worker] = std::make_unique<Scratch>(entries / kPartitions);
        rank(p, *scratch[worker]);
    });
    u64 sum = 0;
    for (u32& base : bases_) sum += std::exchange(base, static_cast<u32>(sum));
    while (sum >> shift_ >= kMostCodes) ++shift_;  // codes of similar frequency are then one code
    count_ = (sum >> shift_) + 1;
}

// Replaces the slots of a partition by ranks, and counts the ranks of each class in bases_.
void Ranks::rank(u64 p, Scratch& scratch) {
    auto& [here, there, counts] = scratch;
    const auto each = [&](Side* side, auto&& visit) {
        if (side)
            for (u32 *entry = side->partition(p), *stop = side->partition(p + 1); entry < stop; ++entry) visit(*entry);
    };
    here.clear();
    each(&left_, [&](u32 slot) { here.meet(slot); });
    if (right_) {
        there.clear();
        each(right_.get(), [&](u32 slot) { there.meet(slot); });
    }
    const auto shared = [&](u32 slot) { return right_ ? here.met(slot) && there.met(slot) : here.met_again(slot); };
    u64 total = 0;
    const auto leave_own = [&](u32& entry) {
        if (shared(entry))
            ++total;
        else
            entry = kOwn;
    };
    each(&left_, leave_own);
    each(right_.get(), leave_own);
    u32 bits = 10;
    while ((1ull << bits) < 4 * total && bits < kSlotBits) ++bits;
    const u32 mask = (1u << bits) - 1;
    counts.assign(1ull << bits, 0);
    const auto count = [&](u32 entry) { counts[entry & mask] += entry != kOwn; };
    each(&left_, count);
    each(right_.get(), count);
    u32* const of_class = bases_.data() + p;
    for (u32& slot : counts) {
        if (slot < 2) {
            slot = kOwn;  // met again only by chance, in the table with fewer slots
            continue;
        }
        const u32 its_class = class_of(slot);
        slot = its_class << kPlaceBits | of_class[its_class * kPartitions]++;
    }
    const auto put = [&](u32& entry) { entry = entry == kOwn ? kOwn : counts[entry & mask]; };
    each(&left_, put);
    each(right_.get(), put);
}

bool Ranks::worth_it(const Sets& left, const Sets* right, int threads) {
    constexpr u64 large = 1 << 21, sampled = 8;  // partitions
    const u64 total = left.value_count + (right ? right->value_count : 0);
    if (total < large) return false;
    std::vector<Buffer<u32>> found(static_cast<u64>(std::max(threads, 1)));  // slots of sampled elements, per worker
    const auto sample = [&](const Sets& sets) {
        parallel_for(sets.value_count, kBlockValues, threads, [&](u32 worker, u64 begin, u64 end) {
            for (u64 i = begin; i < end; ++i) {
                const u64 x = spread(sets.values[i]);
                if (partition_of(x) < sampled) found[worker].push(slot_of(x) + static_cast<u32>(partition_of(x)));
            }
        });
    };
    sample(left);
    if (right) sample(*right);
    // The number of elements whose slot was met before does not depend on their order.
    Slots slots(total / (kPartitions / sampled));
    u64 count = 0, again = 0;
    for (Buffer<u32>& some : found) {
        for (const u32 slot : some) {
            again += slots.met(slot);
            slots.meet(slot);
        }
        count += some.size();
    }
    return 2 * again < count;
}

}  // namespace lookalike
