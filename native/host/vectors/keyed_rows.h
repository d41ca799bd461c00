// Rows in order of 32-bit keys, on several threads: keys are first dealt into partitions by their leading bits, and
// each partition is then sorted. The memory is reused for key after key.
#pragma once
#include "../threads.h"
#include "entries.h"

namespace lookalike::vectors {

class KeyedRows {
  public:
    // Computes key(row) for rows 0 … n − 1, then calls work(worker, begin, end) for each partition: a range of
    // `entries`, which are in order of their keys, then of their rows. Equal keys are in one partition.
    template <class Key, class Work>
    void each_partition(u64 n, int threads, Key&& key, Work&& work) {
        constexpr u64 chunk = 1 << 15;
        const u64 chunks = (n + chunk - 1) / chunk;
        const u32 parts = chunks > 1 ? 256 : 1, shift = parts > 1 ? 24 : 0;
        keys_.resize(n);
        entries_.resize(n);
        other_.resize(n);
        places_.resize(chunks * parts);
        std::fill_n(places_.data(), chunks * parts, 0ull);
        parallel_for(n, chunk, threads, [&](u32, u64 begin, u64 end) {
            u64* const count = places_.data() + begin / chunk * parts;
            for (u64 row = begin; row < end; ++row) {
                keys_[row] = key(row);
                ++count[parts > 1 ? keys_[row] >> shift : 0];
            }
        });
        starts_.resize(parts + 1);
        u64 sum = 0;
        for (u32 part = 0; part < parts; ++part) {
            starts_[part] = sum;
            for (u64 c = 0; c < chunks; ++c) sum += std::exchange(places_[c * parts + part], sum);
        }
        starts_[parts] = n;
        parallel_for(n, chunk, threads, [&](u32, u64 begin, u64 end) {
            u64* const place = places_.data() + begin / chunk * parts;
            for (u64 row = begin; row < end; ++row)
                entries_[place[parts > 1 ? keys_[row] >> shift : 0]++] = static_cast<u64>(keys_[row]) << 32 | row;
        });
        counts_.resize(workers_for(parts, 1, threads));
        parallel_for(parts, 1, threads, [&](u32 worker, u64 part, u64) {
            const u64 begin = starts_[part], end = starts_[part + 1];
            if (begin == end) return;
            counts_[worker].clear();
            sort_by_key(entries_.data() + begin, end - begin, other_.data() + begin, counts_[worker],
                        parts > 1 ? 56 : 64);
            work(worker, begin, end);
        });
    }

    u64* entries() { return entries_.data(); }

  private:
    Buffer<u32> keys_;
    Buffer<u64> entries_, other_, places_, starts_;
    std::vector<Buffer<u64>> counts_;
};

}  // namespace lookalike::vectors
