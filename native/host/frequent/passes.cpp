#include "passes.h"

#include "../check.h"

namespace lookalike::frequent {

namespace {

constexpr u64 kSmallTriangle = 1 << 20;  // counters; a smaller triangle is copied per thread and stays in its cache

u64 bytes_of(const std::vector<Stripe>& stripes) {
    u64 total = 0;
    for (const Stripe& stripe : stripes) total += stripe.bytes();
    return total;
}

}  // namespace

// First pass

FirstPass::FirstPass(u64 limit, u64 waiting, u32 tables, u32 bits, u32 width)
    : limit_(limit), dealer_(waiting / sizeof(u32)) {
    require(bits <= 32 && (width == 1 || width == 2 || width == 4),
            "buckets are 2^0 … 2^32 counters of 1, 2 or 4 bytes");
    for (u32 function = 0; function < tables; ++function) buckets.emplace_back(Bucketing{function, bits}, width);
}

template <class Block>
void FirstPass::take(const Block& block, int threads) {
    look_up(block, dictionary_, false, stripes_, threads);
    number_unknown();
    put_in_order(stripes_, threads);
    for (Stripe& stripe : stripes_) {
        if (!again_) {
            baskets += stripe.baskets();
            items += stripe.read;
            for (u64 b = 0, begin = 0; b < stripe.baskets(); begin = stripe.ends[b++]) {
                const u64 size = stripe.ends[b] - begin;
                pairs += size * (size - (size > 0)) / 2;
                largest = std::max(largest, size);
            }
        }
        for (const u64 entry : stripe.entries)
            if (number_of(entry) != kUnknown) ++counts_[number_of(entry)];
    }
    require(baskets < kUnknown, "there are more than 4294967294 baskets");
    if (!again_)
        for (Buckets& table : buckets) table.count(stripes_, dealer_, threads);
    buffers_peak = std::max(buffers_peak, bytes_of(stripes_) + dealer_.bytes());
    dictionary_peak = std::max(dictionary_peak, dictionary_.bytes() + counts_.capacity() * sizeof(u32));
    while (dictionary_.bytes() + counts_.size() * sizeof(u32) > std::max<u64>(limit_, 1024) &&
           dictionary_.end() - dictionary_.begin() > 1) {
        const std::vector<u32> kept = dictionary_.halve();
        for (u64 i = 0; i < kept.size(); ++i) counts_[i] = counts_[kept[i]];
        counts_.resize(kept.size());
    }
}
template void FirstPass::take(const Text&, int);
template void FirstPass::take(const Lists&, int);

// On one thread, in order, so that the number of an item does not depend on the number of threads.
void FirstPass::number_unknown() {
    for (Stripe& stripe : stripes_)
        for (u64 i = 0; i < stripe.entries.size(); ++i) {
            if (number_of(stripe.entries[i]) != kUnknown || !dictionary_.takes(stripe.items[i])) continue;
            stripe.entries[i] = entry_of(dictionary_.insert(stripe.items[i]), stripe.items[i].hash);
        }
    counts_.resize(dictionary_.size());
}

Items FirstPass::frequent(u64 support) const {
    Items out;
    out.offsets.push(0);
    dictionary_.each([&](u32 number, const u8* text, u64 size) {
        if (counts_[number] < support) return;
        const u64 at = out.text.size();
        out.text.resize(at + size);
        std::copy_n(text, size, out.text.data() + at);
        out.offsets.push(static_cast<i64>(at + size));
        out.counts.push(counts_[number]);
    });
    return out;
}

void FirstPass::next() {
    earlier_ += dictionary_.size();
    dictionary_.restart(dictionary_.end(), kAllHashes);
    counts_ = {};
    again_ = true;
}

// Pass over pairs

PairPass::PairPass(const u8* text, const i64* offsets, u64 items, std::vector<Bitmap>&& bitmaps, u64 limit, u64 waiting)
    : limit_(limit), bitmaps_(std::move(bitmaps)), places_(waiting / sizeof(u32)), pairs_(waiting / sizeof(u64)) {
    for (u64 i = 0; i < items; ++i) {
        const u64 size = static_cast<u64>(offsets[i + 1] - offsets[i]);
        require(dictionary_.insert(item_of(text + offsets[i], size, size)) == i, "items must be distinct");
    }
}

void PairPass::count_triangle(int threads) {
    const u64 places = Triangle::places(dictionary_.size()), copies = static_cast<u64>(threads);
    private_ = places <= kSmallTriangle && (copies == 1 || places * sizeof(u32) * copies <= limit_) ? copies : 0;
    triangle_.emplace(dictionary_.size(), private_ ? static_cast<u32>(copies) : 1);
}
void PairPass::count_triples() { triples_.emplace(limit_); }
void PairPass::count_buckets(Bucketing bucketing, u32 width) { buckets.emplace(bucketing, width); }

template <class Block>
void PairPass::take(const Block& block, int threads) {
    require(triangle_ || triples_ || buckets, "say what to count before there is anything to count");
    require(!private_ || static_cast<u64>(threads) <= private_, "more threads than the triangle was created for");
    look_up(block, dictionary_, true, stripes_, threads);
    put_in_order(stripes_, threads);
    for (const Stripe& stripe : stripes_) baskets += stripe.baskets();
    bitmaps_.empty() ? count<false>(threads) : count<true>(threads);
    buffers_peak = std::max(buffers_peak, bytes_of(stripes_) + places_.bytes() + pairs_.bytes());
}
template void PairPass::take(const Text&, int);
template void PairPass::take(const Lists&, int);

template <bool kFiltered, class Found>
void PairPass::each(const Run& run, Found&& found) const {
    for (u64 i = run.from; i < run.to; ++i)
        for (u64 j = i + 1; j < run.size; ++j) {
            if constexpr (kFiltered) {
                bool candidate = true;
                for (const Bitmap& bitmap : bitmaps_)
                    candidate = candidate && bitmap.has(hash_of(run.basket[i]), hash_of(run.basket[j]));
                if (!candidate) continue;
            }
            found(run.basket[i], run.basket[j]);
        }
}

template <bool kFiltered>
void PairPass::count(int threads) {
    if (private_) {
        parallel_for(stripes_.size(), 1, threads, [&](u32 worker, u64 s, u64) {
            u32* const counts = triangle_->copy(worker);
            Stripe& stripe = stripes_[s];
            for (u64 b = 0; b < stripe.baskets(); ++b) {
                const u64 size = stripe.ends[b] - stripe.first(b);
                each<kFiltered>({stripe.entries.data() + stripe.first(b), size, 0, size},
                                [&](u64 i, u64 j) { ++counts[triangle_->place(number_of(i), number_of(j))]; });
            }
        });
    } else if (triangle_) {
        const Triangle& triangle = *triangle_;
        const u32 shift = triangle.shard_shift();
        places_.deal(
            stripes_, threads,
            [&, shift](const Run& run, auto&& put) {
                each<kFiltered>(run, [&](u64 i, u64 j) {
                    const u64 place = triangle.place(number_of(i), number_of(j));
                    put(static_cast<u32>(place >> shift), static_cast<u32>(place & ((1ull << shift) - 1)));
                });
            },
            [this](u32 shard, const u32* places, u64 n) { triangle_->take(shard, places, n); }, [] {});
    } else if (triples_) {
        const Triples& triples = *triples_;
        pairs_.deal(
            stripes_, threads,
            [&](const Run& run, auto&& put) {
                each<kFiltered>(run, [&](u64 i, u64 j) {
                    const u64 pair = pair_of(number_of(i), number_of(j));
                    const u32 hash = Triples::hash(pair);
                    if (triples.takes(hash)) put(triples.shard(hash), pair);
                });
            },
            [this](u32 shard, const u64* pairs, u64 n) { triples_->take(shard, pairs, n); },
            [this] { triples_->settle(); });
    } else {
        const Bucketing how = buckets->bucketing;
        const u32 shift = how.bits > 6 ? how.bits - 6 : 0;
        places_.deal(
            stripes_, threads,
            [&, shift](const Run& run, auto&& put) {
                each<kFiltered>(run, [&](u64 i, u64 j) {
                    const u32 bucket = how.of_hashes(hash_of(i), hash_of(j));
                    put(bucket >> shift, bucket);
                });
            },
            [this](u32, const u32* all, u64 n) { buckets->take(all, n); }, [] {});
    }
}

Counted PairPass::finish(u64 support) {
    require(triangle_ || triples_, "only buckets were counted, and no pairs");
    Counted out;
    triangle_ ? triangle_->finish(support, out) : triples_->finish(support, out);
    return out;
}

}  // namespace lookalike::frequent
