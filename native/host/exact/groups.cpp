#include "groups.h"

#include <bit>

#include "../file.h"
#include "../slots.h"
#include "../sorting.h"
#include "../threads.h"
#include "memory.h"

namespace lookalike {

namespace {

constexpr u64 kParts = 256;   // partitions of the elements
constexpr u64 kChunk = 256;   // sets per chunk
constexpr u64 kTested = 128;  // the most sets with which a set is compared, per element of its prefix
constexpr u64 kMostWords = 8;

// An entry is an element of a set's prefix: 32 bits of the element, whether larger sets find the set by it, and the
// set.
constexpr u32 kFound = 1u << 31;
u64 part_of(u64 x) { return x >> 56; }
u64 entry_of(u64 x, bool found, u64 row) { return x >> 24 << 32 | (found ? kFound : 0) | row; }
u32 element_in(u64 entry) { return static_cast<u32>(entry >> 32); }
u32 row_in(u64 entry) { return static_cast<u32>(entry) & ~kFound; }

}  // namespace

Groups::Groups(const Threshold& threshold, u64 rows, u64 elements, u64 most)
    : measure_{Measure::Kind::jaccard, threshold.p, threshold.q}, rows_(rows), parents_(rows) {
    require(rows < kFound, "there are fewer than 2147483648 sets, got " + std::to_string(rows));
    u32 bits = 10;
    while (bits < 30 && 1ull << bits < 2 * elements && 4ull << bits <= most / 2) ++bits;
    shift_ = 64 - bits;
    counts_ = scattered<u16>(1ull << bits);
    std::fill_n(counts_.begin(), counts_.size, u16{0});
    while (words_ < kMostWords && 16 * words_ * rows <= most / 2) words_ *= 2;
    sizes_ = Array<u32>(rows);
    parities_ = scattered<u64>(words_ * rows);
    for (u64 row = 0; row < rows; ++row) parents_[row].store(static_cast<u32>(row), std::memory_order_relaxed);
}

// Each worker counts the elements of its own slots, so that none waits for another. It collects some of them before it
// counts them, because an unpredictable branch for each would take longer.
void Groups::count(const Sets& sets, int threads) {
    sets.check();
    const u64 workers = static_cast<u64>(std::clamp(threads, 1, 8)), slots = counts_.size;
    const u64* const end = sets.values + sets.offsets[sets.rows];
    parallel_for(workers, 1, threads, [&](u32, u64 w, u64) {
        constexpr u64 some = 1024;
        const u64 from = slots * w / workers, to = slots * (w + 1) / workers;
        u32 mine[some];
        for (const u64* element = sets.values + sets.offsets[0]; element < end;) {
            u64 n = 0;
            for (const u64* const stop = std::min(element + some, end); element < stop; ++element) {
                const u64 slot = spread(*element) >> shift_;
                mine[n] = static_cast<u32>(slot);
                n += (slot >= from) & (slot < to);
            }
            for (u64 i = 0; i < n; ++i) __builtin_prefetch(&counts_[mine[i]], 1);
            for (u64 i = 0; i < n; ++i) {
                u16& counted = counts_[mine[i]];
                counted = static_cast<u16>(counted + (counted != 0xFFFF));
            }
        }
    });
}

void Groups::add(const Sets& sets, int threads) {
    sets.check();
    require(added_ + sets.rows <= rows_, "more sets were added than " + std::to_string(rows_));
    const u32 workers = workers_for(sets.rows, kChunk, threads);
    std::vector<Buffer<u64>> noted(workers),
        scratch(workers);  // partition and entry of each element; elements of a set
    parallel_for(sets.rows, kChunk, threads, [&](u32 w, u64 begin, u64 end) {
        for (u64 i = begin; i < end; ++i) {
            const u64 n = sets.size(i), row = added_ + i;
            sizes_[row] = static_cast<u32>(n);
            u64* const parity = parities_.begin() + words_ * row;
            std::fill_n(parity, words_, 0ull);
            Buffer<u64>& ordered = scratch[w];
            ordered.resize(n);
            u64* const keys = ordered.data();
            u64 kept = 0;
            for (u64 e = 0; e < n; ++e) {
                keys[e] = spread(sets.set(i)[e]);
                __builtin_prefetch(&counts_[keys[e] >> shift_]);
            }
            for (u64 e = 0; e < n; ++e) {
                const u64 x = keys[e], bit = x >> 32 & (64 * words_ - 1);
                parity[bit / 64] ^= 1ull << (bit % 64);
                // The order of elements: by their count, and then by some of their bits. Those that are in no other set
                // come first, and are only counted.
                const u64 counted = counts_[x >> shift_];
                keys[kept] = counted << 48 | (x >> 16 & 0xFFFFFFFFFFFFull);
                kept += counted > 1;
            }
            const u64 own = n - kept, prefix = measure_.prefix(n), larger = measure_.prefix_among_larger(n);
            if (prefix <= own) continue;
            const u64 taken = std::min(prefix - own, kept), found = larger > own ? std::min(larger - own, taken) : 0;
            if (taken < kept) std::nth_element(keys, keys + taken, keys + kept);
            if (found < taken) std::nth_element(keys, keys + found, keys + taken);
            const u64 at = noted[w].size();
            noted[w].resize(at + 2 * taken);
            for (u64 e = 0; e < taken; ++e) {
                const u64 x = keys[e] << 16;  // without its lowest 16 bits, which no entry contains
                noted[w][at + 2 * e] = part_of(x);
                noted[w][at + 2 * e + 1] = entry_of(x, e < found, row);
            }
        }
    });
    added_ += sets.rows;
    Block block;
    block.starts.assign(kParts + 1, 0);
    for (Buffer<u64>& some : noted)
        for (u64 i = 0; i < some.size(); i += 2) ++block.starts[some[i] + 1];
    for (u64 p = 0; p < kParts; ++p) block.starts[p + 1] += block.starts[p];
    block.entries = Array<u64>(block.starts[kParts]);
    std::vector<u64> next(block.starts.begin(), block.starts.end() - 1);
    for (Buffer<u64>& some : noted)
        for (u64 i = 0; i < some.size(); i += 2) block.entries[next[some[i]]++] = some[i + 1];
    held_ += 8 * block.entries.size;
    if (held_ > most_) store(block);
    blocks_.push_back(std::move(block));
}

u64 Groups::bytes() const { return 2 * counts_.size + 8 * rows_ + 8 * parities_.size + held_; }

void Groups::spill(int file, u64 most) {
    file_ = file;
    most_ = most;
    for (Block& block : blocks_)
        if (held_ > most_ && block.at < 0) store(block);
}

void Groups::store(Block& block) {
    write_all(file_, block.entries.begin(), 8 * block.entries.size, static_cast<i64>(written_));
    block.at = static_cast<i64>(written_);
    written_ += 8 * block.entries.size;
    held_ -= 8 * block.entries.size;
    block.entries = {};
}

// Copies the entries of a partition.
void Groups::take(u64 partition, Buffer<u64>& entries) const {
    entries.clear();
    for (const Block& block : blocks_) {
        const u64 from = block.starts[partition], count = block.starts[partition + 1] - from, at = entries.size();
        entries.resize(at + count);
        if (block.at < 0)
            std::copy_n(block.entries.data.get() + from, count, entries.data() + at);
        else
            read_all(file_, entries.data() + at, 8 * count, block.at + static_cast<i64>(8 * from));
    }
}

Array<i64> Groups::labels(int threads) {
    require(added_ == rows_, "of " + std::to_string(rows_) + " sets, " + std::to_string(added_) + " were added");
    counts_ = {};
    struct Scratch {
        Buffer<u64> entries, other, counts, by_size;
    };
    std::vector<Scratch> scratch(workers_for(kParts, 1, threads));
    parallel_for(kParts, 1, threads, [&](u32 w, u64 partition, u64) {
        auto& [entries, other, counts, by_size] = scratch[w];
        take(partition, entries);
        other.resize(entries.size());
        sort_by_key(entries.data(), entries.size(), other.data(), counts);
        for (u64 *first = entries.begin(), *last; first < entries.end(); first = last) {
            for (last = first + 1; last < entries.end() && element_in(*last) == element_in(*first);) ++last;
            if (last - first > 1) join(first, last, by_size);
        }
    });
    blocks_.clear();
    held_ = 0;
    Array<i64> labels(rows_);
    for (u64 row = 0; row < rows_; ++row) labels[row] = find(static_cast<u32>(row));
    return labels;
}

// Unites sets whose prefixes share an element, if they may be similar.
void Groups::join(const u64* begin, const u64* end, Buffer<u64>& by_size) {
    const u32 root = find(row_in(*begin));
    if (std::all_of(begin + 1, end, [&](u64 entry) { return find(row_in(entry)) == root; })) return;
    by_size.clear();
    for (const u64* entry = begin; entry < end; ++entry)
        by_size.push(u64(sizes_[row_in(*entry)]) << 32 | static_cast<u32>(*entry));
    // A set is compared with the sets before it. Of sets of one size, those that are found come last: two of them are
    // compared whichever is first, and the others are only compared with smaller sets.
    std::sort(by_size.begin(), by_size.end());
    Buffer<u64>& found = by_size;  // those that larger sets find are moved to the front, and overwrite what was read
    u64 count = 0, from = 0, united = 0;
    for (u64 i = 0; i < by_size.size(); ++i) {
        const u64 entry = by_size[i], size = entry >> 32, least = measure_.least_size(size);
        const u32 row = row_in(entry);
        while (from < count && found[from] >> 32 < least) ++from;
        if (count - from > kTested) {  // too many to test: all of them are united
            for (united = std::max(united, from); united + 1 < count; ++united)
                unite(row_in(found[united]), row_in(found[united + 1]));
            unite(row, row_in(found[count - 1]));
        } else {
            for (u64 k = from; k < count; ++k)
                if (const u32 other = row_in(found[k]); find(row) != find(other) && near(row, other)) unite(row, other);
        }
        if (static_cast<u32>(entry) & kFound) found[count++] = entry;
    }
}

// True if so few bits of their parity differ that the sets may be similar.
bool Groups::near(u32 a, u32 b) const {
    const u64 *x = parities_.data.get() + words_ * a, *y = parities_.data.get() + words_ * b;
    u64 differ = 0;
    for (u64 w = 0; w < words_; ++w) differ += static_cast<u64>(std::popcount(x[w] ^ y[w]));
    const u64 sizes = u64(sizes_[a]) + sizes_[b], needed = measure_.needed(sizes_[a], sizes_[b]);
    return differ + 2 * needed <= sizes;
}

// Union-find for several threads. The root is the smallest row.
u32 Groups::find(u32 row) {
    for (;;) {
        u32 parent = parents_[row].load(std::memory_order_relaxed);
        if (parent == row) return row;
        const u32 above = parents_[parent].load(std::memory_order_relaxed);
        if (above != parent) parents_[row].compare_exchange_weak(parent, above, std::memory_order_relaxed);
        row = parent;
    }
}

void Groups::unite(u32 a, u32 b) {
    for (;;) {
        a = find(a), b = find(b);
        if (a == b) return;
        if (a > b) std::swap(a, b);
        u32 root = b;
        if (parents_[b].compare_exchange_strong(root, a, std::memory_order_relaxed)) return;
    }
}

}  // namespace lookalike
