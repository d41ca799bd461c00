#include "order.h"

#include "../sorting.h"
#include "../threads.h"

namespace lookalike {

namespace {

constexpr u64 kChunk = 1024;  // sets a thread takes at a time
constexpr int kMostCounters = 8;

// How many elements of the collection fell into each slot.
void count_slots(const Sets& sets, u32 shift, int threads, Array<u32>& counts) {
    const u64 slots = counts.size;
    const u32 workers = workers_for(sets.rows, kChunk, std::min(threads, kMostCounters));
    std::vector<Array<u32>> own(workers - 1);
    parallel_for(sets.rows, kChunk, static_cast<int>(workers), [&](u32 w, u64 begin, u64 end) {
        if (w > 0 && own[w - 1].size == 0) {
            own[w - 1] = Array<u32>(slots);
            std::fill_n(own[w - 1].begin(), slots, 0u);
        }
        u32* const mine = w == 0 ? counts.begin() : own[w - 1].begin();
        for (const u64 *e = sets.set(begin), *stop = sets.set(end); e < stop; ++e) ++mine[spread(*e) >> shift];
    });
    for (Array<u32>& other : own)
        for (u64 s = 0; s < other.size; ++s) counts[s] += other[s];
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

}  // namespace

Codes::Codes(const Sets& left, const Sets* right, int threads) {
    const u64 total = left.value_count + (right ? right->value_count : 0);
    u32 bits = std::clamp<u32>(bits_of(total), 10, 22);
    u64 slots = 1ull << bits;
    Array<u32> here = scattered<u32>(slots), there(right ? slots : 0);
    std::fill_n(here.begin(), here.size, 0u);
    std::fill_n(there.begin(), there.size, 0u);
    count_slots(left, 64 - bits, threads, here);
    if (right) count_slots(*right, 64 - bits, threads, there);
    // A table that is mostly empty is folded in half until it is not: it is looked into for every element.
    u64 used = 0;
    for (u64 s = 0; s < slots; ++s) used += here[s] || (right && there[s]);
    for (; 8 * used < slots && bits > 10; --bits) {
        slots /= 2;
        for (u64 s = 0; s < slots; ++s) {
            here[s] = here[2 * s] + here[2 * s + 1];
            if (right) there[s] = there[2 * s] + there[2 * s + 1];
        }
    }
    shift_ = 64 - bits;
    Buffer<Entry> shared;
    for (u64 s = 0; s < slots; ++s) {
        const u64 first = here[s], second = right ? there[s] : 0;
        if (right ? first > 0 && second > 0 : first > 1) shared.push({first + second, static_cast<u32>(s)});
    }
    Array<Entry> other(shared.size());
    Buffer<u64> counts;
    sort_by_key(shared.begin(), shared.size(), other.begin(), counts, bits_of(total));
    count_ = shared.size();
    codes_ = scattered<u32>(slots);
    std::fill_n(codes_.begin(), slots, kOwn);
    for (u64 i = 0; i < count_; ++i) codes_[shared[i].row] = static_cast<u32>(i);
}

Records::Records(const Sets& sets, int threads)
    : sets_(sets), rows_(sets.rows), first_{0}, records_(sets.rows), is_copy_(sets.rows) {
    const u64 n = sets.rows;
    Array<Entry> entries(n), other(n);
    parallel_for(n, kChunk, threads, [&](u32, u64 begin, u64 end) {
        for (u64 i = begin; i < end; ++i) {
            u64 fingerprint = 0;
            const u64* const set = sets.set(i);
            for (u64 e = 0; e < sets.size(i); ++e) {
                const u64 x = spread(set[e]);
                fingerprint += x * (x >> 32 | 1);
            }
            entries[i] = {fingerprint, static_cast<u32>(i)};
        }
    });
    // By size; then, within a size, by fingerprint, so that equal sets meet.
    u64 largest = 0;
    for (u64 i = 0; i < n; ++i) largest = std::max(largest, sets.size(i));
    std::vector<u64> starts(largest + 2);
    for (u64 i = 0; i < n; ++i) ++starts[sets.size(i) + 1];
    for (u64 s = 0; s <= largest; ++s) starts[s + 1] += starts[s];
    std::vector<u64> next(starts.begin(), starts.end() - 1);
    for (u64 i = 0; i < n; ++i) other[next[sets.size(i)]++] = entries[i];
    std::vector<u64> several;  // sizes of more than one set
    for (u64 size = 0; size <= largest; ++size)
        if (starts[size + 1] - starts[size] > 1) several.push_back(size);
    parallel_for(several.size(), 1, threads, [&](u32, u64 k, u64) {
        const u64 begin = starts[several[k]], count_here = starts[several[k] + 1] - begin;
        Buffer<u64> counts;
        sort_by_key(other.begin() + begin, count_here, entries.begin() + begin, counts);
    });
    for (u64 i = 0; i < n; ++i) rows_[i] = other[i].row;
    const auto equal = [&](u64 i) {  // to the one before it
        const u64 size = sets.size(rows_[i]);
        return other[i].key == other[i - 1].key && size == sets.size(rows_[i - 1]) &&
               std::equal(sets.set(rows_[i]), sets.set(rows_[i]) + size, sets.set(rows_[i - 1]));
    };
    for (u64 i = 0; i < n; ++i) {
        if (i > 0 && equal(i)) {
            is_copy_[rows_[i]] = 1;
        } else {
            if (i > 0) first_.push_back(static_cast<u32>(i));
            sizes_.push_back(static_cast<u32>(sets.size(rows_[i])));
        }
        records_[rows_[i]] = static_cast<u32>(sizes_.size() - 1);
    }
    if (n > 0) first_.push_back(static_cast<u32>(n));
    for (u64 s = 0, r = 0; s <= largest + 1; ++s) {
        while (r < count() && sizes_[r] < s) ++r;
        size_starts_.push_back(static_cast<u32>(r));
    }
}

void Records::cut_prefixes(const Codes& codes, u64 total, int threads) {
    codes_ = scattered<u32>(total);
    parities_ = scattered<Parity>(count());
    std::vector<Buffer<u32>> scratch(workers_for(sets_.rows, kChunk, threads));
    // By row: so the elements are read in the order in which they lie in memory.
    parallel_for(sets_.rows, kChunk, threads, [&](u32 w, u64 begin, u64 end) {
        Buffer<u32>& found = scratch[w];
        for (u64 row = begin; row < end; ++row) {
            if (is_copy_[row]) continue;
            const u64 n = sets_.size(row);
            const u64* const set = sets_.set(row);
            Stretch& prefix = prefixes_[records_[row]];
            __builtin_prefetch(&prefix);
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
            parities_[records_[row]] = parity;
        }
    });
}

}  // namespace lookalike
