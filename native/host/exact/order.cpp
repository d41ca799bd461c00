#include "order.h"

#include "../sorting.h"
#include "../threads.h"

namespace lookalike {

namespace {

constexpr u64 kChunk = 1024, kSlots = 1 << 16;  // sets or slots per chunk
constexpr int kMostCounters = 8;
constexpr u64 kRare = 4096;  // slots with smaller counts are numbered by a counting sort

// The number of elements of the collection in each slot.
Array<u32> count_slots(const Sets& sets, u32 bits, int threads) {
    const u64 slots = 1ull << bits;
    const u32 workers = workers_for(sets.rows, kChunk, std::min(threads, kMostCounters));
    std::vector<Array<u32>> counts(workers);
    const auto of_worker = [&](u32 w) -> Array<u32>& {
        if (counts[w].size == 0) {
            counts[w] = scattered<u32>(slots);
            std::fill_n(counts[w].begin(), slots, 0u);
        }
        return counts[w];
    };
    parallel_for(sets.rows, kChunk, static_cast<int>(workers), [&](u32 w, u64 begin, u64 end) {
        u32* const mine = of_worker(w).begin();
        for (const u64 *e = sets.set(begin), *stop = sets.set(end); e < stop; ++e) ++mine[spread(*e) >> (64 - bits)];
    });
    of_worker(0);
    for (u32 w = 1; w < workers; ++w)
        if (counts[w].size > 0)
            parallel_for(slots, kSlots, threads, [&](u32, u64 begin, u64 end) {
                for (u64 s = begin; s < end; ++s) counts[0][s] += counts[w][s];
            });
    return std::move(counts[0]);
}

// The same in a smaller table, each slot of which is the sum of adjacent slots.
Array<u32> folded(const Array<u32>& counts, u32 bits, int threads) {
    Array<u32> sums = scattered<u32>(counts.size >> bits);
    parallel_for(sums.size, kSlots, threads, [&](u32, u64 begin, u64 end) {
        for (u64 s = begin; s < end; ++s) {
            u32 sum = 0;
            for (u64 from = s << bits, to = (s + 1) << bits; from < to; ++from) sum += counts[from];
            sums[s] = sum;
        }
    });
    return sums;
}

// The `taken` smallest of n numbers, ascending.
void take_smallest(u32* numbers, u64 n, u32* out, u64 taken) {
    if (taken == 0) return;
    if (taken > 24) {
        if (taken < n) std::nth_element(numbers, numbers + taken, numbers + n);
        std::sort(numbers, numbers + taken);
        std::copy_n(numbers, taken, out);
        return;
    }
    u64 count = 0;
    for (u64 i = 0; i < n; ++i) {
        const u32 x = numbers[i];
        if (count == taken && x >= out[count - 1]) continue;
        u64 at = count < taken ? count++ : count - 1;
        for (; at > 0 && out[at - 1] > x; --at) out[at] = out[at - 1];
        out[at] = x;
    }
}

// Sets of one size, ordered by fingerprint and then by row → for each, the first row with an equal set; and the number
// of distinct sets. Different sets may have the same fingerprint.
u32 find_leaders(const Sets& sets, u64 size, const Entry* begin, const Entry* end, Array<u32>& leaders) {
    u32 distinct = static_cast<u32>(end - begin);
    for (const Entry* first = begin; first < end;) {
        const Entry* last = first + 1;
        for (; last < end && last->key == first->key; ++last)
            for (const Entry* leader = first; leader < last; ++leader) {
                if (leaders[leader->row] != leader->row) continue;
                if (!std::equal(sets.set(leader->row), sets.set(leader->row) + size, sets.set(last->row))) continue;
                leaders[last->row] = leader->row;
                --distinct;
                break;
            }
        first = last;
    }
    return distinct;
}

}  // namespace

Codes::Codes(const Sets& left, const Sets* right, int threads) {
    const u64 total = left.value_count + (right ? right->value_count : 0);
    const u32 bits = std::clamp<u32>(bits_of(total), 10, 22);
    Array<u32> here = count_slots(left, bits, threads), there;
    if (right) there = count_slots(*right, bits, threads);
    // A mostly empty table is folded until it is not, because it is read for every element.
    std::atomic<u64> used{0};
    parallel_for(here.size, kSlots, threads, [&](u32, u64 begin, u64 end) {
        u64 some = 0;
        for (u64 s = begin; s < end; ++s) some += (here[s] | (right ? there[s] : 0)) != 0;
        used += some;
    });
    u32 less = 0;
    while (8 * used < here.size >> less && bits - less > 10) ++less;
    if (less > 0) {
        here = folded(here, less, threads);
        if (right) there = folded(there, less, threads);
    }
    const u64 slots = here.size;
    shift_ = 64 - bits + less;
    // How often the elements of a slot occur; 0 if they cannot be shared.
    const auto occurring = [&](u64 s) -> u64 {
        if (right) return here[s] && there[s] ? u64(here[s]) + there[s] : 0;
        return here[s] > 1 ? here[s] : 0;
    };
    // Slots are numbered in this order, in parallel parts; the few very frequent ones come last.
    const u64 parts = std::max(threads, 1);
    std::vector<std::vector<u32>> next(parts, std::vector<u32>(kRare));
    std::vector<std::vector<Entry>> frequent(parts);
    const auto in_parts = [&](auto&& work) {
        parallel_for(parts, 1, threads, [&](u32, u64 k, u64) {
            for (u64 s = slots * k / parts, stop = slots * (k + 1) / parts; s < stop; ++s) work(k, s, occurring(s));
        });
    };
    in_parts([&](u64 k, u64 s, u64 count) {
        if (count < kRare)
            ++next[k][count];
        else
            frequent[k].push_back({count, static_cast<u32>(s)});
    });
    u32 sum = 0;
    for (u64 count = 1; count < kRare; ++count)
        for (std::vector<u32>& part : next) sum += std::exchange(part[count], sum);
    codes_ = scattered<u32>(slots);
    in_parts([&](u64 k, u64 s, u64 count) {
        if (count >= kRare) return;
        const u32 code = next[k][count]++;  // also for 0: an unpredictable branch would cost more
        codes_[s] = count ? code : kOwn;
    });
    std::vector<Entry> last;
    for (const std::vector<Entry>& part : frequent) last.insert(last.end(), part.begin(), part.end());
    std::stable_sort(last.begin(), last.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
    for (const Entry& entry : last) codes_[entry.row] = sum++;
    count_ = sum;
}

Records::Records(const Sets& sets, int threads)
    : sets_(sets), rows_(sets.rows), records_(sets.rows), is_copy_(sets.rows) {
    const u64 n = sets.rows;
    Array<u64> fingerprints(n);
    Array<Entry> sorted(n), other(n);
    Array<u32> leaders(n);
    parallel_for(n, kChunk, threads, [&](u32, u64 begin, u64 end) {
        for (u64 i = begin; i < end; ++i) {
            u64 fingerprint = 0;
            const u64* const set = sets.set(i);
            for (u64 e = 0; e < sets.size(i); ++e) {
                const u64 x = spread(set[e]);
                fingerprint += x * (x >> 32 | 1);
            }
            fingerprints[i] = fingerprint;
            leaders[i] = static_cast<u32>(i);
        }
    });
    // Sort by size. Equal sets have the same size, so that each size can be processed independently.
    u64 largest = 0;
    for (u64 i = 0; i < n; ++i) largest = std::max(largest, sets.size(i));
    std::vector<u32> starts(largest + 2);
    for (u64 i = 0; i < n; ++i) ++starts[sets.size(i) + 1];
    std::vector<u32> present;
    for (u64 size = 0; size <= largest; ++size) {
        if (starts[size + 1] > 0) present.push_back(static_cast<u32>(size));
        starts[size + 1] += starts[size];
    }
    std::vector<u32> next(starts.begin(), starts.end() - 1);
    Array<u32> by_size(n);
    for (u64 i = 0; i < n; ++i) by_size[next[sets.size(i)]++] = static_cast<u32>(i);
    // Sort by fingerprint, so that equal sets are adjacent.
    size_starts_.resize(largest + 2);
    parallel_for(present.size(), 1, threads, [&](u32, u64 k, u64) {
        const u64 size = present[k], begin = starts[size], end = starts[size + 1];
        Buffer<u64> counts;
        for (u64 i = begin; i < end; ++i) sorted[i] = {fingerprints[by_size[i]], by_size[i]};
        sort_by_key(sorted.begin() + begin, end - begin, other.begin() + begin, counts);
        size_starts_[size + 1] = find_leaders(sets, size, sorted.begin() + begin, sorted.begin() + end, leaders);
    });
    // Records are numbered by size, and within a size by their first row.
    for (u64 size = 0; size <= largest; ++size) size_starts_[size + 1] += size_starts_[size];
    sizes_.resize(size_starts_.back());
    first_.resize(size_starts_.back() + 1);
    first_.back() = static_cast<u32>(n);
    parallel_for(present.size(), 1, threads, [&](u32, u64 k, u64) {
        const u32 size = present[k], begin = starts[size], end = starts[size + 1];
        const u32 first_record = size_starts_[size];
        u32 record = first_record;
        for (u32 i = begin; i < end; ++i) {
            const u32 row = by_size[i], leader = leaders[row];
            is_copy_[row] = leader != row;
            records_[row] = leader == row ? record++ : records_[leader];
            ++first_[records_[row]];
        }
        std::fill(sizes_.begin() + first_record, sizes_.begin() + record, size);
        u32 sum = begin;
        for (u32 r = first_record; r < record; ++r) sum += std::exchange(first_[r], sum);
        std::vector<u32> at(first_.begin() + first_record, first_.begin() + record);
        for (u32 i = begin; i < end; ++i) rows_[at[records_[by_size[i]] - first_record]++] = by_size[i];
    });
}

template <class Reader>
void Records::cut_block(Reader&& codes, u64 begin, u64 end, const std::vector<Stretch>& firsts, Buffer<u32>& found) {
    for (u64 row = begin; row < end; ++row) {
        const u64 n = sets_.size(row);
        const u64* const set = sets_.set(row);
        const u32 r = records_[row];
        if (is_copy_[row] || firsts[n].count == 0) {  // its codes are known, or it cannot have a partner
            if (!is_copy_[row]) prefixes_[r] = firsts[n];
            codes.skip(set, n);
            continue;
        }
        Stretch& prefix = prefixes_[r];
        prefix = firsts[n];
        prefix.start += u64(prefix.count) * (r - size_starts_[n]);
        found.resize(n);
        Parity parity{};
        u64 kept = 0;
        for (u64 e = 0; e < n; ++e) {
            const u64 x = spread(set[e]);
            const u64 bit = x >> 32 & (64 * kParityWords - 1);
            parity.words[bit / 64] ^= 1ull << (bit % 64);
            const u32 code = codes.of(x);
            found[kept] = code;
            kept += code != Codes::kOwn;
        }
        const u64 own = n - kept, taken = prefix.count > own ? prefix.count - own : 0;
        take_smallest(found.begin(), kept, codes_.begin() + prefix.start, taken);
        prefix.own = static_cast<u32>(own);
        prefix.count = static_cast<u32>(taken);
        parities_[r] = parity;
    }
}

void Records::make_room(u64 total) {
    prefixes_ = scattered<Stretch>(count());
    codes_ = scattered<u32>(total);
    parities_ = scattered<Parity>(count());
}

// Both go in row order, so that elements are read in memory order.
void Records::cut_prefixes(const Codes& codes, const std::vector<Stretch>& firsts, u64 total, int threads) {
    make_room(total);
    std::vector<Buffer<u32>> scratch(workers_for(sets_.rows, kChunk, threads));
    parallel_for(sets_.rows, kChunk, threads,
                 [&](u32 w, u64 begin, u64 end) { cut_block(codes, begin, end, firsts, scratch[w]); });
}

void Records::cut_prefixes(const RankedSide& ranked, const std::vector<Stretch>& firsts, u64 total, int threads) {
    make_room(total);
    const Ranks::Side& side = ranked.side;
    std::vector<Buffer<u32>> scratch(workers_for(side.blocks(), 1, threads));
    parallel_for(side.blocks(), 1, threads, [&](u32 w, u64 block, u64) {
        Ranks::Reader codes(ranked.ranks, side, block);
        cut_block(codes, side.first_row(block), side.first_row(block + 1), firsts, scratch[w]);
    });
}

}  // namespace lookalike
