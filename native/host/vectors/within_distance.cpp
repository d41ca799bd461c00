// Distinct rows → tables of blocks → buckets → pairs. A large bucket is a smaller problem of the same kind, whose rows
// agree in some places: its rows are cut into blocks again.
#include "within_distance.h"

#include <optional>
#include <stdexcept>

#include "../../core/hash.h"
#include "../counted.h"
#include "bucket_pairs.h"
#include "distinct_bits.h"
#include "keyed_rows.h"

namespace lookalike::vectors {

namespace {

constexpr u64 kLarge = 2048;     // rows of a bucket that may be cut into blocks again
constexpr u64 kHuge = 1u << 16;  // rows of a bucket that occupies all threads

// Joins some of the rows, which agree in all places except those in `within`.
class Problem {
  public:
    Problem(BitTask& task, Array<u32>&& rows, std::vector<u64>&& within, const Level* level, int threads)
        : task_(task), rows_(std::move(rows)), within_(std::move(within)), level_(level), threads_(threads) {}

    // Uses one of the workers per thread.
    void solve(BucketPairs* workers) {
        const u64 left = lefts(rows_.begin(), rows_.end());
        BlockTask about{static_cast<double>(rows_.size), task_.pairs_of(left, rows_.size), task_.bits.words, 0, 0};
        std::vector<double> chances;
        agreement(task_.bits, rows_.begin(), rows_.size, within_.data(), chances);
        add_information(chances, about);
        const BlockPlan plan = choose_blocks(about, task_.distance);
        if (!plan.count) return compare_all(workers, left);
        const std::vector<Block> blocks = cut_blocks(chances, within_.data(), task_.bits.words, plan.count);
        std::vector<u32> combination(plan.agreeing);
        for (u32 i = 0; i < plan.agreeing; ++i) combination[i] = i;
        std::optional<Counted> counted;
        if (!level_) counted.emplace(plan.tables);
        for (bool more = true; more; more = advance(combination, plan.count)) {
            table(workers, blocks, combination);
            if (counted) counted->add(1);
        }
    }

  private:
    // The next combination in lexicographic order; false after the last.
    static bool advance(std::vector<u32>& combination, u64 count) {
        const u64 size = combination.size();
        for (u64 i = size; i-- > 0;) {
            if (combination[i] == count - size + i) continue;
            ++combination[i];
            for (u64 j = i + 1; j < size; ++j) combination[j] = combination[j - 1] + 1;
            return true;
        }
        return false;
    }

    // The number of rows on the left, which come first.
    template <class Row>
    u64 lefts(const Row* begin, const Row* end) const {
        const auto on_left = [&](u64 row) { return row < task_.split; };
        return static_cast<u64>((task_.within ? end : std::partition_point(begin, end, on_left)) - begin);
    }

    bool has_pairs(u64 left, u64 count) const { return task_.within ? count > 1 : left > 0 && left < count; }

    void compare_all(BucketPairs* workers, u64 left) {
        if (!has_pairs(left, rows_.size)) return;
        Array<u64> entries(rows_.size);
        std::copy_n(rows_.begin(), rows_.size, entries.begin());
        parallel_for(left, kGathered, threads_, [&](u32 worker, u64 begin, u64 end) {
            workers[worker].compare({entries.begin(), rows_.size, left}, begin, end, level_);
        });
    }

    // Compares the rows that agree in these blocks.
    void table(BucketPairs* workers, const std::vector<Block>& blocks, const std::vector<u32>& combination) {
        const Level level{level_, &blocks, &combination};
        Block parts;
        for (const u32 block : combination) parts.insert(parts.end(), blocks[block].begin(), blocks[block].end());
        const auto key = [&](u64 i) {
            const u64* const row = task_.bits.row(rows_[i]);
            u64 hash = kByteKey0;
            for (const Masked& part : parts) hash = fold(hash ^ (row[part.word] & part.mask), kByteKey1);
            return static_cast<u32>(mix(hash) >> 32);
        };
        std::vector<std::pair<u64, u64>> huge;  // ranges of entries
        std::mutex adding;
        keyed_.each_partition(rows_.size, threads_, key, [&](u32 worker, u64 begin, u64 end) {
            u64* const entries = keyed_.entries();
            for (u64 i = begin, stop; i < end; i = stop) {
                const u32 mine = key_half(entries[i]);  // entries become rows below
                for (stop = i; stop < end && key_half(entries[stop]) == mine; ++stop)
                    entries[stop] = rows_[row_of(entries[stop])];
                const u64 left = lefts(entries + i, entries + stop);
                if (!has_pairs(left, stop - i)) continue;
                if (stop - i < kLarge) {
                    workers[worker].compare({entries + i, stop - i, left}, 0, left, &level);
                } else if (stop - i < kHuge || threads_ == 1) {
                    again(entries + i, entries + stop, parts, level, 1).solve(workers + worker);
                } else {
                    const std::lock_guard<std::mutex> lock(adding);
                    huge.emplace_back(i, stop);
                }
            }
        });
        for (const auto& [begin, end] : huge)
            again(keyed_.entries() + begin, keyed_.entries() + end, parts, level, threads_).solve(workers);
    }

    // The problem of the rows of a bucket.
    Problem again(const u64* begin, const u64* end, const Block& parts, const Level& level, int threads) const {
        Array<u32> rows(static_cast<u64>(end - begin));
        for (u64 i = 0; i < rows.size; ++i) rows[i] = static_cast<u32>(begin[i]);
        std::vector<u64> within = within_;
        for (const Masked& part : parts) within[part.word] &= ~part.mask;
        return {task_, std::move(rows), std::move(within), &level, threads};
    }

    BitTask& task_;
    Array<u32> rows_;
    std::vector<u64> within_;
    const Level* level_;
    const int threads_;
    KeyedRows keyed_;
};

// The pairs of all rows that the distinct rows stand for, in order.
Near expanded(const std::vector<BucketPairs>& workers, const DistinctBits& groups, bool within, u64 count) {
    Array<u64> pairs(count), other(count);
    u64 at = 0;
    const auto add = [&](u64 a, u64 b) {
        if (within && a > b) std::swap(a, b);
        pairs[at++] = a << 32 | b;
    };
    Near out{Array<i64>(count), Array<i64>(count)};
    for (const BucketPairs& worker : workers) {
        out.checked += worker.checked;
        for (const Pair& pair : worker.found)
            for (u64 i = groups.starts[pair.left]; i < groups.starts[pair.left + 1]; ++i)
                for (u64 j = groups.starts[pair.right]; j < groups.starts[pair.right + 1]; ++j)
                    add(groups.members[i], groups.members[j]);
    }
    for (u64 group = 0; within && group < groups.size(); ++group)
        for (u64 i = groups.starts[group]; i < groups.starts[group + 1]; ++i)
            for (u64 j = i + 1; j < groups.starts[group + 1]; ++j) add(groups.members[i], groups.members[j]);
    Buffer<u64> counts;
    sort_by_key(pairs.begin(), count, other.begin(), counts);
    for (u64 i = 0; i < count; ++i) {
        out.left[i] = static_cast<i64>(pairs[i] >> 32);
        out.right[i] = row_of(pairs[i]);
    }
    return out;
}

}  // namespace

BlockPlan plan_within(const Bits& left, const Bits* right, u64 distance) {
    left.check();
    const double l = static_cast<double>(left.rows), r = right ? static_cast<double>(right->rows) : l;
    BlockTask task{right ? l + r : l, right ? l * r : l * (l - 1) / 2, left.words, 0, 0};
    const std::vector<u64> within(left.words, ~0ull);
    std::vector<double> chances;
    // a sample of the side with more rows
    agreement(right && right->rows > left.rows ? *right : left, nullptr, std::max(left.rows, right ? right->rows : 0),
              within.data(), chances);
    add_information(chances, task);
    return choose_blocks(task, distance);
}

Near within_distance(const Bits& left, const Bits* right, u64 distance, int threads, u64 most) {
    left.check();
    require(!right || right->words == left.words, "both sides must have the same number of words per row");
    const DistinctBits groups = right ? distinct_bits(left, *right, threads) : distinct_bits(left, threads);
    BitTask task{groups.bits(), groups.split, !right, distance, groups.starts.data.get(), most};
    for (u64 group = 0; !right && group < groups.size(); ++group)
        task.add(groups.members_of(group) * (groups.members_of(group) - 1) / 2);
    std::vector<BucketPairs> workers;
    for (int i = 0; i < std::max(1, threads); ++i) workers.emplace_back(task);
    Array<u32> rows(groups.size());
    for (u64 i = 0; i < rows.size; ++i) rows[i] = static_cast<u32>(i);
    Problem(task, std::move(rows), std::vector<u64>(left.words, ~0ull), nullptr, threads).solve(workers.data());
    return expanded(workers, groups, !right, task.pairs);
}

}  // namespace lookalike::vectors
