#include "census.h"

#include <bit>
#include <cmath>

#include "check.h"
#include "cutter.h"
#include "file.h"
#include "slots.h"
#include "threads.h"

namespace lookalike {

namespace {

// The size of a block in bytes of text, and in elements: few enough to stay in the cache while they are dealt out.
constexpr u64 kBlockTexts = 1 << 18, kBlockElements = 1 << 15;

// An entry is a sampled element of a document: its slot in the partition, and its row in the group.
constexpr u32 kRowBits = 10;
constexpr u64 kGroupRows = 1 << kRowBits;
u32 entry_of(u32 slot, u64 row) { return slot << kRowBits | static_cast<u32>(row); }  // without the highest bit of slot
u32 row_of(u32 entry) { return entry & (kGroupRows - 1); }
u32 slot_in(u32 entry) { return entry >> kRowBits; }

}  // namespace

Census::Census(double share) {
    require(share > 0 && share <= 1, "share must lie in (0, 1], got " + std::to_string(share));
    bound_ = share == 1 ? ~0ull : static_cast<u64>(std::ldexp(share, 64));
}

// Notes the elements of rows. elements(worker, row, take) calls take(values, n) with those of a row, all at once or in
// blocks.
template <class Elements>
void Census::note(u64 rows, u64 block_rows, u64 start, int threads, Elements&& elements) {
    // Blocks are dealt out in parallel. Several blocks are a group, because it takes long to visit many small ones.
    block_rows = std::bit_floor(std::clamp<u64>(block_rows, 1, kGroupRows));
    std::vector<Block> blocks((rows + block_rows - 1) / block_rows);
    std::vector<Buffer<u64>> scratch(workers_for(rows, block_rows, threads));
    parallel_for(rows, block_rows, threads, [&](u32 worker, u64 begin, u64 end) {
        Buffer<u64>& sampled = scratch[worker];  // each element as its partition and its entry
        sampled.clear();
        for (u64 i = begin; i < end; ++i) {
            elements(worker, i, [&](const u64* values, u64 n) {
                const u64 at = sampled.size();
                sampled.reserve(at + n);
                u64* out = sampled.data() + at;
                for (u64 e = 0; e < n; ++e) {
                    const u64 x = spread(values[e]);
                    *out = partition_of(x) << 32 | entry_of(slot_of(x), i % kGroupRows);
                    out += x <= bound_;
                }
                sampled.resize(static_cast<u64>(out - sampled.data()));
            });
        }
        blocks[begin / block_rows] = dealt_out(sampled);
    });
    parallel_for(blocks.size(), kGroupRows / block_rows, threads, [&](u32, u64 begin, u64 end) {
        const u64 first = begin * block_rows, last = std::min(rows, end * block_rows);
        Group group{start + first, last - first, joined(blocks.data() + begin, blocks.data() + end)};
        hold(std::move(group));
    });
}

void Census::hold(Group group) {
    const std::lock_guard<std::mutex> lock(adding_);
    bytes_ += 4 * (group.block.entries.size + group.block.starts.size);
    if (bytes_ > most_) store(group);
    groups_.push_back(std::move(group));
}

void Census::spill(int file, u64 most) {
    const std::lock_guard<std::mutex> lock(adding_);
    file_ = file;
    most_ = most;
    for (Group& group : groups_)
        if (bytes_ > most_ && group.at < 0) store(group);
}

// Moves the entries of a group to the file.
void Census::store(Group& group) {
    Array<u32>& entries = group.block.entries;
    write_all(file_, entries.begin(), 4 * entries.size, static_cast<i64>(written_));
    group.at = static_cast<i64>(written_);
    written_ += 4 * entries.size;
    bytes_ -= 4 * entries.size;
    entries = {};
}

// Reads the entries of some partitions back into memory.
void Census::load(Group& group, u64 from, u64 to) const {
    group.first = group.block.starts[from];
    group.block.entries = Array<u32>(group.block.starts[to] - group.first);
    read_all(file_, group.block.entries.begin(), 4 * group.block.entries.size, group.at + 4ll * group.first);
}

// The bytes of all entries that are in the file.
u64 Census::stored() const {
    u64 bytes = 0;
    for (const Group& group : groups_)
        if (group.at >= 0) bytes += 4ull * group.block.starts[kPartitions];
    return bytes;
}

SketchTable Census::add(const Documents& documents, const Shingling& shingling, u64 start, int threads) {
    documents.check();
    shingling.check();
    const u64 rows = documents.rows;
    SketchTable table(rows, 0);
    u64 bytes = 1;
    for (u64 i = 0; i < rows; ++i) bytes += static_cast<u64>(documents.size(i));
    std::vector<std::unique_ptr<Cutter>> cutters(static_cast<u64>(std::max(threads, 1)));
    note(rows, kBlockTexts * rows / bytes, start, threads, [&](u32 worker, u64 i, auto&& take) {
        if (!cutters[worker]) cutters[worker] = std::make_unique<Cutter>(shingling, true);
        Cutter& cutter = *cutters[worker];
        const auto take_windows = [&] { take(cutter.windows(), cutter.window_count()); };
        if (cutter.is_huge(documents, i) && !shingling.bag)  // the elements of bags depend on all equal windows
            return describe_in_blocks(documents, i, cutter, table, take_windows);
        describe(documents, i, cutter, table);
        take_windows();
    });
    return table;
}

void Census::place(const i64* starts, u64 batches, u32 bits) {
    for (Group& group : groups_) {
        const u64 batch = group.start >> bits;
        require(batch < batches && starts[batch] >= 0, "batch " + std::to_string(batch) + " has no first row");
        group.start = static_cast<u64>(starts[batch]) + (group.start & ((1ull << bits) - 1));
    }
}

void Census::add(const Sets& sets, int threads) {
    sets.check();
    const u64 block_rows = kBlockElements * sets.rows / std::max<u64>(sets.value_count, 1);
    note(sets.rows, block_rows, 0, threads, [&](u32, u64 i, auto&& take) { take(sets.set(i), sets.size(i)); });
}

Census::Block Census::dealt_out(const Buffer<u64>& sampled) {
    const u64 n = sampled.size();
    require(n < (1ull << 32), "a document has too many shingles");
    Block block{Array<u32>(n), Array<u32>(kPartitions + 1)};
    u32 next[kPartitions] = {}, sum = 0;
    for (u64 i = 0; i < n; ++i) ++next[sampled[i] >> 32];
    for (u64 p = 0; p < kPartitions; ++p) {
        block.starts[p] = sum;
        sum += std::exchange(next[p], sum);
    }
    block.starts[kPartitions] = sum;
    for (u64 i = 0; i < n; ++i) block.entries[next[sampled[i] >> 32]++] = static_cast<u32>(sampled[i]);
    return block;
}

Census::Block Census::joined(Block* first, Block* last) {
    if (last - first == 1) return std::move(*first);
    u64 total = 0;
    for (const Block* block = first; block < last; ++block) total += block->entries.size;
    require(total < (1ull << 32), "documents have too many shingles");
    Block group{Array<u32>(total), Array<u32>(kPartitions + 1)};
    u32 at = 0;
    for (u64 p = 0; p < kPartitions; ++p) {
        group.starts[p] = at;
        for (Block* block = first; block < last; ++block) {
            const u32 begin = block->starts[p], count = block->starts[p + 1] - begin;
            std::copy_n(block->entries.begin() + begin, count, group.entries.begin() + at);
            at += count;
        }
    }
    group.starts[kPartitions] = at;
    for (Block* block = first; block < last; ++block) *block = {};
    return group;
}

// Calls visit(entry, row) for each entry of a partition.
template <class Visit>
void Census::each_entry(u64 p, Visit&& visit) const {
    constexpr u64 soon = 4, later = 8, lines = 6;  // a group has some hundred entries: too few to be fetched ahead
    const u64 n = groups_.size();
    for (u64 g = 0; g < n; ++g) {
        if (g + later < n) __builtin_prefetch(groups_[g + later].block.starts.data.get() + p);
        if (g + soon < n)
            for (u64 line = 0; line < lines; ++line) __builtin_prefetch(groups_[g + soon].entries(p) + 16 * line);
        const Group& group = groups_[g];
        for (const u32 *entry = group.entries(p), *const stop = group.entries(p + 1); entry < stop; ++entry)
            visit(*entry, group.start + row_of(*entry));
    }
}

// For each row that is kept, the number of its entries whose slot no other entry of a kept row has. Counts above 65,535
// are too small, which may keep a document too many.
std::vector<Array<u16>> Census::count_unique(const Array<u8>& kept, int threads) {
    u64 entries = 0;
    for (const Group& group : groups_) entries += group.block.starts[kPartitions];
    const u32 workers = workers_for(kPartitions, 1, threads);
    std::vector<std::unique_ptr<Slots>> tables(workers);
    std::vector<Array<u16>> counts(workers);  // of each worker
    const auto count = [&](u32 worker, u64 p) {
        Array<u16>& unique = counts[worker];
        if (!tables[worker]) {
            tables[worker] = std::make_unique<Slots>(entries / kPartitions);
            unique = Array<u16>(kept.size);
            std::fill(unique.begin(), unique.end(), u16{0});
        }
        Slots& slots = *tables[worker];
        slots.clear();
        each_entry(p, [&](u32 entry, u64 row) { slots.meet(slot_in(entry), kept[row]); });
        each_entry(p, [&](u32 entry, u64 row) {
            const bool is_unique = !slots.met_again(slot_in(entry)) & (unique[row] != 0xFFFF);
            unique[row] = static_cast<u16>(unique[row] + is_unique);
        });
    };
    // What is in the file is read a few partitions at a time.
    const u64 pieces = std::min<u64>(kPartitions, stored() / std::max<u64>(most_, 1) + 1);
    for (u64 piece = 0; piece < pieces; ++piece) {
        const u64 from = kPartitions * piece / pieces, to = kPartitions * (piece + 1) / pieces;
        if (file_ >= 0)
            parallel_for(groups_.size(), 1, threads, [&](u32, u64 g, u64) {
                if (groups_[g].at >= 0) load(groups_[g], from, to);
            });
        parallel_for(to - from, 1, threads, [&](u32 worker, u64 p, u64) { count(worker, from + p); });
    }
    for (Group& group : groups_)
        if (group.at >= 0) group.block.entries = {};
    return counts;
}

// Leaves out the entries of rows that are not kept, so that further rounds take less time.
void Census::keep(const Array<u8>& kept, int threads) {
    parallel_for(groups_.size(), 1, threads, [&](u32, u64 which, u64) {
        Group& group = groups_[which];
        if (group.at >= 0) load(group, 0, kPartitions);
        Block& block = group.block;
        const u8* const of_group = kept.data.get() + group.start;
        u32 end = 0, from = 0;
        for (u64 p = 0; p < kPartitions; ++p) {
            const u32 stop = block.starts[p + 1];
            block.starts[p] = end;
            for (; from < stop; ++from) {
                const u32 entry = block.entries[from];
                block.entries[end] = entry;
                end += of_group[row_of(entry)];
            }
        }
        block.starts[kPartitions] = end;
        if (group.at >= 0) {
            write_all(file_, block.entries.begin(), 4ull * end, group.at);
            block.entries = {};
        }
    });
}

Array<u8> Census::can_match(const u32* windows, const u8* left_out, u64 rows, const Threshold& threshold, int threads) {
    for (const Group& group : groups_)
        require(group.start + group.rows <= rows, "the census has counted more rows than " + std::to_string(rows));
    Array<u8> can(rows);
    u64 left = 0, before = 0;
    for (u64 row = 0; row < rows; ++row) left += can[row] = !left_out[row];
    // Without the documents that were left out, elements of others may turn out to be unique. So another round follows,
    // as long as a round leaves out a good part of what was left.
    while (left > 0 && (before == 0 || 8 * left < 7 * before)) {
        if (before > 0) keep(can, threads);
        const std::vector<Array<u16>> counts = count_unique(can, threads);
        before = std::exchange(left, 0);
        for (u64 row = 0; row < rows; ++row) {
            const u64 a = windows[row];
            u64 unique = 0;
            for (const Array<u16>& some : counts)
                if (some.size > 0) unique += some[row];
            left += can[row] = can[row] && unique <= a - threshold.least_size(a);
        }
    }
    groups_.clear();
    bytes_ = 0;
    return can;
}

std::pair<Array<u8>, ShingleTable> prune_sets(const Sets& sets, const Threshold& threshold, int threads) {
    Array<u32> sizes(sets.rows);
    Array<u8> empty(sets.rows);
    for (u64 i = 0; i < sets.rows; ++i) {
        sizes[i] = static_cast<u32>(std::min<u64>(sets.size(i), ~0u));
        empty[i] = sets.size(i) == 0;
    }
    Census census(1);
    census.add(sets, threads);
    Array<u8> can = census.can_match(sizes.begin(), empty.begin(), sets.rows, threshold, threads);
    std::vector<u64> rows;
    for (u64 i = 0; i < sets.rows; ++i)
        if (can[i]) rows.push_back(i);
    ShingleTable table{Array<i64>(rows.size() + 1), {}};
    table.offsets[0] = 0;
    for (u64 r = 0; r < rows.size(); ++r)
        table.offsets[r + 1] = table.offsets[r] + static_cast<i64>(sets.size(rows[r]));
    table.values = Array<u64>(static_cast<u64>(table.offsets[rows.size()]));
    parallel_for(rows.size(), 256, threads, [&](u32, u64 begin, u64 end) {
        for (u64 r = begin; r < end; ++r)
            std::copy_n(sets.set(rows[r]), sets.size(rows[r]), table.values.begin() + table.offsets[r]);
    });
    return {std::move(can), std::move(table)};
}

}  // namespace lookalike
