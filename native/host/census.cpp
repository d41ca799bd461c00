#include "census.h"

#include <cmath>

#include "check.h"
#include "cutter.h"
#include "slots.h"
#include "threads.h"

namespace lookalike {

namespace {

constexpr u64 kCensusBytes = 1 << 18;  // of text: few enough elements to stay in the cache while they are sorted

// An entry is a sampled element of a document: from the lowest bits, its row in the block, its slot in the partition,
// and a mark that it occurs nowhere else.
constexpr u32 kRowBits = 31 - kSlotBits, kUnique = 1u << 31;
constexpr u64 kMostBlockRows = 1 << kRowBits;
u32 entry_of(u32 slot, u64 row) { return slot << kRowBits | static_cast<u32>(row); }
u32 row_of(u32 entry) { return entry & (kMostBlockRows - 1); }
u32 slot_in(u32 entry) { return (entry & ~kUnique) >> kRowBits; }

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
    Batch batch{start, rows, std::clamp<u64>(kCensusBytes * rows / bytes, 1, kMostBlockRows), {}, {}, {}};
    note(documents, shingling, threads, table, batch);
    const std::lock_guard<std::mutex> lock(adding_);
    bytes_ += 4 * (batch.entries.size + batch.counts.size) + 8 * batch.starts.size;
    batches_.push_back(std::move(batch));
    return table;
}

void Census::note(const Documents& documents, const Shingling& shingling, int threads, SketchTable& table,
                  Batch& batch) {
    const u64 rows = documents.rows, blocks = batch.blocks();
    std::vector<Array<u32>> noted(blocks);  // the entries of each block, by partition
    batch.counts = Array<u32>(kPartitions * blocks);
    std::vector<std::unique_ptr<Cutter>> cutters(workers_for(rows, batch.block_rows, threads));
    for (auto& cutter : cutters) cutter = std::make_unique<Cutter>(shingling);
    parallel_for(rows, batch.block_rows, threads, [&](u32 worker, u64 begin, u64 end) {
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
                *out = partition_of(x) << 32 | entry_of(slot_of(x), i - begin);
                out += x <= bound_;
            }
            sampled.resize(static_cast<u64>(out - sampled.data()));
        }
        const u64 block = begin / batch.block_rows;
        require(sampled.size() < (1ull << 32), "a document has too many shingles");
        u32 next[kPartitions] = {}, sum = 0;
        for (const u64 s : sampled) ++next[s >> 32];
        for (u64 p = 0; p < kPartitions; ++p) {
            batch.counts[p * blocks + block] = next[p];
            sum += std::exchange(next[p], sum);
        }
        noted[block] = Array<u32>(sampled.size());
        for (const u64 s : sampled) noted[block][next[s >> 32]++] = static_cast<u32>(s);
    });
    // From the order of blocks to the order of partitions.
    batch.starts = Array<u64>(kPartitions + 1);
    std::vector<u64> places(batch.counts.size);
    u64 total = 0;
    for (u64 p = 0; p < kPartitions; ++p) {
        batch.starts[p] = total;
        for (u64 at = p * blocks; at < (p + 1) * blocks; ++at) {
            places[at] = total;
            total += batch.counts[at];
        }
    }
    batch.starts[kPartitions] = total;
    batch.entries = Array<u32>(total);
    parallel_for(blocks, 1, threads, [&](u32, u64 b, u64) {
        const u32* from = noted[b].begin();
        for (u64 p = 0; p < kPartitions; ++p) {
            const u32 count = batch.counts[p * blocks + b];
            std::copy_n(from, count, batch.entries.begin() + places[p * blocks + b]);
            from += count;
        }
        noted[b] = {};
    });
}

// Marks the entries whose slot no other entry has.
void Census::mark_unique(int threads) {
    u64 entries = 0;
    for (const Batch& batch : batches_) entries += batch.starts[kPartitions];
    std::vector<std::unique_ptr<Slots>> tables(workers_for(kPartitions, 1, threads));
    parallel_for(kPartitions, 1, threads, [&](u32 worker, u64 p, u64) {
        if (!tables[worker]) tables[worker] = std::make_unique<Slots>(entries / kPartitions);
        Slots& slots = *tables[worker];
        slots.clear();
        for (const Batch& batch : batches_)
            for (u64 e = batch.starts[p]; e < batch.starts[p + 1]; ++e) slots.meet(slot_in(batch.entries[e]));
        for (Batch& batch : batches_)
            for (u64 e = batch.starts[p]; e < batch.starts[p + 1]; ++e) {
                u32& entry = batch.entries[e];
                entry = (entry & ~kUnique) | (slots.met_again(slot_in(entry)) ? 0 : kUnique);
            }
    });
}

// Keeps the entries of some rows. keeps(row, marked) is asked once for each row, with the number of its marked entries.
template <class Keep>
void Census::keep(int threads, Keep&& keeps) {
    parallel_for(batches_.size(), 1, threads, [&](u32, u64 which, u64) {
        Batch& batch = batches_[which];
        const u64 blocks = batch.blocks();
        std::vector<u32> marked(batch.rows);
        const u32* entry = batch.entries.begin();
        for (u64 p = 0; p < kPartitions; ++p)
            for (u64 b = 0; b < blocks; ++b)
                for (u32 count = batch.counts[p * blocks + b]; count > 0; --count, ++entry)
                    marked[b * batch.block_rows + row_of(*entry)] += *entry / kUnique;
        std::vector<u8> kept(batch.rows);
        for (u64 row = 0; row < batch.rows; ++row) kept[row] = keeps(batch.start + row, marked[row]);
        entry = batch.entries.begin();
        u64 end = 0;
        for (u64 p = 0; p < kPartitions; ++p) {
            batch.starts[p] = end;
            for (u64 b = 0; b < blocks; ++b) {
                u32& count = batch.counts[p * blocks + b];
                const u32 before = count;
                count = 0;
                for (u32 i = 0; i < before; ++i, ++entry) {
                    batch.entries[end] = *entry;
                    const u32 keeping = kept[b * batch.block_rows + row_of(*entry)];
                    end += keeping;
                    count += keeping;
                }
            }
        }
        batch.starts[kPartitions] = end;
    });
}

Array<u8> Census::can_match(const u32* windows, const u8* left_out, u64 rows, const Threshold& threshold, int threads) {
    for (const Batch& batch : batches_)
        require(batch.start + batch.rows <= rows, "the census has counted more rows than " + std::to_string(rows));
    Array<u8> can(rows);
    u64 left = 0, before = 0;
    for (u64 row = 0; row < rows; ++row) left += can[row] = !left_out[row];
    if (left < rows) keep(threads, [&](u64 row, u32) { return can[row]; });
    // Without the documents that were left out, elements of others may turn out to be unique. So another round follows,
    // as long as a round leaves out a good part of what was left.
    while (left > 0 && (before == 0 || 8 * left < 7 * before)) {
        mark_unique(threads);
        keep(threads, [&](u64 row, u32 unique) {
            const u64 a = windows[row];
            return can[row] = can[row] && unique <= a - threshold.least_size(a);
        });
        before = std::exchange(left, 0);
        for (u64 row = 0; row < rows; ++row) left += can[row];
    }
    batches_.clear();
    bytes_ = 0;
    return can;
}

}  // namespace lookalike
