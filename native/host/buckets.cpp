#include "buckets.h"

#include <bit>

#include "../core/hash.h"
#include "counted.h"
#include "sorting.h"
#include "threads.h"

namespace lookalike {

namespace {

// Sorts entries (key and row) and collects the rows that share a key into buckets.
template <class T>
void sort_into(Buckets& buckets, T* entries, u64 n, T* other, Buffer<u64>& counts) {
    sort_by_key(entries, n, other, counts);
    for (u64 i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && entries[end].key == entries[i].key;) ++end;
        if (end - i < 2) continue;
        for (u64 j = i; j < end; ++j) buckets.members.push_back(static_cast<u32>(entries[j].row));
        buckets.starts.push_back(buckets.members.size());
    }
}

// Two bits for each slot of a part of the key space: was there one key, and was there another? Most keys occur in one
// row only, and most of these are alone in their slot, so that only the rest must be sorted.
class Slots {
  public:
    // The slot of a key is given by its bits after the first `skipped`.
    void clear(u64 keys, u32 skipped) {
        const u32 bits = std::max(bits_of(4 * keys), 5u);
        skipped_ = skipped;
        shift_ = 64 - bits;
        words_.assign((1ull << bits) / 32, 0);
    }
    void add(u64 key) {
        u64& word = words_[slot(key) / 32];
        const u64 at = 2 * (slot(key) % 32);
        word |= (1 + (word >> at & 1)) << at;
    }
    bool several(u64 key) const { return words_[slot(key) / 32] >> (2 * (slot(key) % 32)) & 2; }

  private:
    u64 slot(u64 key) const { return key << skipped_ >> shift_; }
    u32 skipped_ = 0, shift_ = 0;
    std::vector<u64> words_;
};

}  // namespace

Buckets buckets_of(const u64* keys, const u32* rows, const u8* left_out, u64 n) {
    check_row_count(n);
    for (u64 i = 0; rows && i < n; ++i)
        require(rows[i] <= kMostRows, "rows go up to 4294967294, got " + std::to_string(rows[i]));
    // Keys are processed in parts, by their first bits, so that random access stays within the cache.
    constexpr u32 in_cache = 15;
    const u32 skipped = std::clamp<u32>(bits_of(n), in_cache + 1, in_cache + 11) - in_cache, shift = 64 - skipped;
    const auto wanted = [&](u64 i) { return !left_out || !left_out[i]; };
    std::vector<u64> ends((1ull << skipped) + 1);
    for (u64 i = 0; i < n; ++i) ends[(keys[i] >> shift) + 1] += wanted(i);
    for (u64 p = 1; p < ends.size(); ++p) ends[p] += ends[p - 1];
    Array<Entry> entries(ends.back());
    for (u64 i = 0; i < n; ++i)
        if (wanted(i)) entries[ends[keys[i] >> shift]++] = {keys[i], rows ? rows[i] : static_cast<u32>(i)};
    Buckets buckets;
    Slots slots;
    Buffer<Entry> other;
    Buffer<u64> counts;
    for (u64 p = 0, begin = 0; p + 1 < ends.size(); begin = ends[p++]) {
        Entry* const part = entries.begin() + begin;
        const u64 size = ends[p] - begin;
        slots.clear(size, skipped);
        for (u64 i = 0; i < size; ++i) slots.add(part[i].key);
        u64 kept = 0;
        for (u64 i = 0; i < size; ++i)
            if (slots.several(part[i].key)) part[kept++] = part[i];
        other.reserve(kept);
        sort_into(buckets, part, kept, other.data(), counts);
    }
    return buckets;
}

std::vector<Buckets> group(const Keys& keys, const u8* left_out, int threads, const Share& share) {
    share.check(keys);
    std::vector<Buckets> bands(keys.bands);
    struct Scratch {
        Buffer<Entry> entries, other;
        Buffer<u64> counts;
    };
    const u64 wanted = share.last_of(keys.bands) - share.first;
    std::vector<Scratch> scratches(workers_for(wanted, 1, threads));
    Counted counted(wanted);
    parallel_for(wanted, 1, threads, [&](u32 worker, u64 nth, u64) {
        const u64 band = share.first + nth;
        auto& [entries, other, counts] = scratches[worker];
        entries.clear();
        entries.reserve(keys.rows);
        for (u64 i = 0; i < keys.rows; ++i)
            if (!left_out || !left_out[i]) entries.push({keys.row(i)[band], static_cast<u32>(i)});
        const u64 n = entries.size();
        other.reserve(n);
        counts.clear();
        sort_into(bands[band], entries.data(), n, other.data(), counts);
        counted.add(1);
    });
    return bands;
}

std::vector<Stretch> stretches(const std::vector<Buckets>& bands, u64 least, u64 most) {
    constexpr u64 whole = ~0ull, enough = 1 << 14;  // pairs a stretch
    std::vector<Stretch> result;
    for (u32 band = 0; band < bands.size(); ++band) {
        const Buckets& buckets = bands[band];
        u64 first = 0, cost = 0;
        const auto close = [&](u64 last) {
            if (first < last) result.push_back({band, first, last, 0, whole});
            cost = 0;
        };
        for (u64 b = 0; b < buckets.count(); ++b) {
            const u64 n = buckets.size(b);
            if (n < least || n > most) {
                close(b);
                first = b + 1;
            } else if (n * n > 4 * enough) {
                close(b);
                const u64 step = enough / n + 1;
                for (u64 i = 0; i < n; i += step) result.push_back({band, b, b + 1, i, i + step});
                first = b + 1;
            } else if ((cost += n * n) > enough) {
                close(b + 1);
                first = b + 1;
            }
        }
        close(buckets.count());
    }
    return result;
}

Array<Pair> in_order(std::vector<std::vector<Pair>>& found, u64 rows, int threads) {
    // A counting sort by the left row, then a sort of each row's right rows: linear except for tiny sorts.
    std::vector<u64> starts(rows + 1);
    for (const auto& part : found)
        for (const Pair& pair : part) ++starts[pair.left + 1];
    for (u64 i = 0; i < rows; ++i) starts[i + 1] += starts[i];
    Array<Pair> pairs(starts[rows]);
    std::vector<u64> next(starts.begin(), starts.end() - 1);
    for (auto& part : found) {
        for (const Pair& pair : part) pairs[next[pair.left]++] = pair;
        std::vector<Pair>().swap(part);
    }
    parallel_for(rows, 4096, threads, [&](u32, u64 begin, u64 end) {
        for (u64 i = begin; i < end; ++i)
            std::sort(pairs.begin() + starts[i], pairs.begin() + starts[i + 1],
                      [](const Pair& a, const Pair& b) { return a.right < b.right; });
    });
    return pairs;
}

Array<u8> bucketed(const Keys& keys, const u8* left_out, int threads) {
    keys.check();
    Array<u8> shared(keys.rows);
    std::fill(shared.begin(), shared.end(), u8{0});
    const std::vector<Buckets> bands = group(keys, left_out, threads);
    parallel_for(bands.size(), 1, threads, [&](u32, u64 band, u64) {
        const Buckets& buckets = bands[band];
        for (u64 b = 0; b < buckets.count(); ++b) {
            const u8 bits = buckets.size(b) > kSmallBucket ? kInBucket | kInLarge : kInBucket;
            for (u64 i = buckets.starts[b]; i < buckets.starts[b + 1]; ++i)
                std::atomic_ref<u8>(shared[buckets.members[i]]).fetch_or(bits, std::memory_order_relaxed);
        }
    });
    return shared;
}

Array<Pair> candidates(const Keys& keys, int threads, const Share& share, u64 most) {
    keys.check();
    const std::vector<Buckets> bands = group(keys, nullptr, threads, share);
    const std::vector<Stretch> work = stretches(bands, 2, ~0ull);
    std::vector<std::vector<Pair>> found(workers_for(work.size(), 1, threads));
    Listed listed(most);
    parallel_for(work.size(), 1, threads, [&](u32 worker, u64 w, u64) {
        each_pair(keys, bands, work[w], share, [&](u32 a, u32 b) {
            found[worker].push_back({a, b, 0});
            listed.grown_to(found[worker].size());
        });
    });
    return in_order(found, keys.rows, threads);
}

Array<i64> copies(const Hash128* hashes, const u8* empty, u64 rows, int threads) {
    check_row_count(rows);
    Array<i64> first(rows);
    // Rows are dealt out by hash. Then each part has a table of its own, which fits in the cache.
    constexpr u64 parts = 1 << 8, least = 1 << 14;
    const u64 blocks = std::clamp<u64>(rows / least, 1, static_cast<u64>(std::max(threads, 1)));
    const auto part_of = [&](u64 i) { return mix(hashes[i].a ^ mix(hashes[i].b)) >> 56; };
    const auto each = [&](u64 block, auto&& visit) {
        for (u64 i = rows * block / blocks, end = rows * (block + 1) / blocks; i < end; ++i)
            if (!empty[i]) visit(i);
    };
    std::vector<u64> next(blocks * parts), starts(parts + 1);  // by block and part
    parallel_for(blocks, 1, threads, [&](u32, u64 block, u64) {
        u64 counts[parts] = {};
        each(block, [&](u64 i) { ++counts[part_of(i)]; });
        std::copy_n(counts, parts, next.begin() + static_cast<i64>(block * parts));
    });
    u64 sum = 0;
    for (u64 part = 0; part < parts; ++part) {
        starts[part] = sum;
        for (u64 block = 0; block < blocks; ++block) sum += std::exchange(next[block * parts + part], sum);
    }
    starts[parts] = sum;
    Array<u32> dealt(sum);  // the rows of each part, ascending
    parallel_for(blocks, 1, threads, [&](u32, u64 block, u64) {
        u64* const at = next.data() + block * parts;
        each(block, [&](u64 i) { dealt[at[part_of(i)]++] = static_cast<u32>(i); });
        for (u64 i = rows * block / blocks, end = rows * (block + 1) / blocks; i < end; ++i)
            first[i] = static_cast<i64>(i);
    });
    std::vector<std::vector<u32>> tables(workers_for(parts, 1, threads));  // the first row of each hash
    parallel_for(parts, 1, threads, [&](u32 worker, u64 part, u64) {
        const u64 slots = std::bit_ceil(2 * (starts[part + 1] - starts[part]) + 1);
        std::vector<u32>& table = tables[worker];
        table.assign(slots, ~0u);
        for (u64 k = starts[part]; k < starts[part + 1]; ++k) {
            const u32 i = dealt[k];
            u64 slot = mix(hashes[i].a ^ mix(hashes[i].b)) & (slots - 1);
            while (table[slot] != ~0u && !(hashes[table[slot]] == hashes[i])) slot = (slot + 1) & (slots - 1);
            if (table[slot] == ~0u)
                table[slot] = i;
            else
                first[i] = static_cast<i64>(table[slot]);
        }
    });
    return first;
}

}  // namespace lookalike
