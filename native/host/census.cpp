#include "census.h"

#include <bit>
#include <cmath>

#include "check.h"
#include "cutter.h"
#include "slots.h"
#include "threads.h"

namespace lookalike {

namespace {

constexpr u64 kBlockTexts = 1 << 18;  // bytes: few enough elements to stay in the cache while they are dealt out

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

SketchTable Census::add(const Documents& documents, const Shingling& shingling, u64 start, int threads) {
    documents.check();
    shingling.check();
    const u64 rows = documents.rows;
    SketchTable table{Array<u64>(2 * rows), Array<u8>(rows),  Array<u64>(0),
                      Array<i64>(rows),     Array<i64>(rows), Array<u32>(rows)};
    u64 bytes = 1;
    for (u64 i = 0; i < rows; ++i) bytes += static_cast<u64>(documents.size(i));
    // Blocks are cut in parallel. Several blocks are a group, because it takes long to visit many small ones.
    const u64 block_rows = std::bit_floor(std::clamp<u64>(kBlockTexts * rows / bytes, 1, kGroupRows));
    std::vector<Block> blocks((rows + block_rows - 1) / block_rows);
    std::vector<std::unique_ptr<Cutter>> cutters(workers_for(rows, block_rows, threads));
    for (auto& cutter : cutters) cutter = std::make_unique<Cutter>(shingling);
    parallel_for(rows, block_rows, threads, [&](u32 worker, u64 begin, u64 end) {
        Cutter& cutter = *cutters[worker];
        Buffer<u64>& sampled = cutter.gathered();  // each element as its partition and its entry
        sampled.clear();
        for (u64 i = begin; i < end; ++i) {
            describe(documents, i, cutter, table);
            const u64 n = cutter.window_count(), at = sampled.size();
            sampled.reserve(at + n);
            const u64* const windows = cutter.windows();
            u64* out = sampled.data() + at;
            for (u64 w = 0; w < n; ++w) {
                const u64 x = spread(windows[w]);
                *out = partition_of(x) << 32 | entry_of(slot_of(x), i % kGroupRows);
                out += x <= bound_;
            }
            sampled.resize(static_cast<u64>(out - sampled.data()));
        }
        blocks[begin / block_rows] = dealt_out(sampled);
    });
    const u64 of_group = kGroupRows / block_rows;
    parallel_for(blocks.size(), of_group, threads, [&](u32, u64 begin, u64 end) {
        Group group{start + begin * block_rows, std::min(rows, end * block_rows) - begin * block_rows,
                    joined(blocks.data() + begin, blocks.data() + end)};
        const std::lock_guard<std::mutex> lock(adding_);
        bytes_ += 4 * (group.block.entries.size + group.block.starts.size);
        groups_.push_back(std::move(group));
    });
    return table;
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
    for (u64 g = 0; g < groups_.size(); ++g) {
        const auto& [start, rows, block] = groups_[g];
        if (g + 8 < groups_.size()) __builtin_prefetch(groups_[g + 8].block.starts.data.get() + p);
        if (g + 4 < groups_.size()) {
            const Block& soon = groups_[g + 4].block;
            const u32* const at = soon.entries.data.get() + soon.starts[p];
            for (int line = 0; line < 6; ++line) __builtin_prefetch(at + 16 * line);
        }
        const u32 *const entries = block.entries.data.get(), *const stop = entries + block.starts[p + 1];
        for (const u32* entry = entries + block.starts[p]; entry < stop; ++entry) visit(*entry, start + row_of(*entry));
    }
}

// For each row that is kept, the number of its entries whose slot no other entry of a kept row has. Counts above 65,535
// are too small, which may keep a document too many.
std::vector<Array<u16>> Census::count_unique(const Array<u8>& kept, int threads) const {
    u64 entries = 0;
    for (const Group& group : groups_) entries += group.block.starts[kPartitions];
    const u32 workers = workers_for(kPartitions, 1, threads);
    std::vector<std::unique_ptr<Slots>> tables(workers);
    std::vector<Array<u16>> counts(workers);  // of each worker
    parallel_for(kPartitions, 1, threads, [&](u32 worker, u64 p, u64) {
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
    });
    return counts;
}

// Leaves out the entries of rows that are not kept, so that further rounds take less time.
void Census::keep(const Array<u8>& kept, int threads) {
    parallel_for(groups_.size(), 1, threads, [&](u32, u64 which, u64) {
        auto& [start, rows, block] = groups_[which];
        const u8* const of_group = kept.data.get() + start;
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

}  // namespace lookalike
