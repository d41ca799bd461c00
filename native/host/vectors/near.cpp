// Keys → buckets → near pairs. Threads process whole bands. The vectors of a bucket are copied into contiguous memory,
// so that comparing all of them reads distant memory only once.
#include <atomic>
#include <stdexcept>

#include "../counted.h"
#include "../simd/steps.h"
#include "../threads.h"
#include "entries.h"
#include "vectors.h"

namespace lookalike::vectors {

namespace {

constexpr u64 kBlock = 128;  // vectors per block of comparisons
constexpr u64 kAhead = 8;    // vectors prefetched before they are copied

struct Gathered {
    Buffer<float> values, own;
    Buffer<u64> bits;
    u64 count = 0;
};

// Totals of all workers: pairs that the sieve has confirmed, and pairs that it has not seen.
struct Total {
    const Limit& limit;
    std::atomic<u64> near{0}, waiting{0};
};

// One worker: finds the pairs of a band and keeps them. Either the vectors or the bits may be missing.
class BandJoin {
  public:
    BandJoin(const Table* table, const Nearness& nearness, const Bits* bits, const Keys& keys, Total& total)
        : table_(table), nearness_(nearness), bits_(bits), keys_(keys), total_(total) {}

    // All buckets of a band.
    void run(u64 band) {
        band_ = band;
        sorter_.sort(keys_.band(band), keys_.rows, entries_);
        for (u64 i = 0, end; i < keys_.rows; i = end) {
            for (end = i + 1; end < keys_.rows && key_half(entries_[end]) == key_half(entries_[i]);) ++end;
            for (u64 begin = i; end - i >= 2 && begin < end; begin += kBlock) block(begin, end);
        }
    }

    // If all rows are one bucket: compares one block of it with itself and with all later rows.
    void run_block(u64 begin) {
        if (entries_.size() < keys_.rows) {
            entries_.resize(keys_.rows);
            for (u64 i = 0; i < keys_.rows; ++i) entries_[i] = i;
        }
        block(begin, keys_.rows);
    }

    // Adds the pairs found since the last call to the totals.
    void add_to_total() {
        total_.waiting += found.size() - added_;
        added_ = found.size();
        if (total_.near + total_.waiting > total_.limit.most) sift();
        checkpoint();
    }

    std::vector<Pair> found;
    u64 checked = 0;

  private:
    // Keeps only the pairs that are near.
    void sift() {
        const u64 count = found.size() - sifted_;
        const u64 left = total_.limit.sieve ? total_.limit.sieve(found.data() + sifted_, count) : count;
        found.resize(sifted_ + left);
        sifted_ = added_ = found.size();
        total_.near += left;
        total_.waiting -= count;
        if (total_.near > total_.limit.most) throw std::overflow_error("too many pairs");
    }

    // Compares the block that starts at this entry with itself and with all later entries of its bucket.
    void block(u64 begin, u64 end) {
        const u64 stop = std::min(begin + kBlock, end);
        gather(begin, stop, one_);
        for (u64 k = 0; k + 1 < one_.count; ++k) compare(begin + k, k, one_, begin, k + 1);
        add_to_total();
        for (u64 j = stop; j < end; j += kBlock) {
            gather(j, std::min(j + kBlock, end), two_);
            for (u64 k = 0; k < one_.count; ++k) compare(begin + k, k, two_, j, 0);
            add_to_total();
        }
    }

    void gather(u64 begin, u64 end, Gathered& to) {
        to.count = end - begin;
        bits_ ? gather_bits(begin, end, to) : gather_vectors(begin, end, to);
    }

    void gather_bits(u64 begin, u64 end, Gathered& to) {
        const u64 words = bits_->words;
        to.bits.resize(to.count * (words + 1));  // the layout that the step `near` reads
        for (u64 i = begin; i < end; ++i) {
            if (i + kAhead < keys_.rows) __builtin_prefetch(bits_->row(row_of(entries_[i + kAhead])));
            std::copy_n(bits_->row(row_of(entries_[i])), words, to.bits.data() + (i - begin) * (words + 1));
        }
    }

    void gather_vectors(u64 begin, u64 end, Gathered& to) {
        const u64 width = table_->width;
        to.values.resize(to.count * width);
        to.own.resize(to.count);
        for (u64 i = begin; i < end; ++i) {
            if (i + kAhead < keys_.rows) {
                const char* const next = reinterpret_cast<const char*>(table_->row(row_of(entries_[i + kAhead])));
                for (u64 byte = 0; byte < 4 * width && byte < 1024; byte += 64) __builtin_prefetch(next + byte);
            }
            const u32 row = row_of(entries_[i]);
            std::copy_n(table_->row(row), width, to.values.data() + (i - begin) * width);
            to.own[i - begin] = table_->own_of(row);
        }
    }

    // Compares entry `at`, number k of the first block, with those of `others` (starting at entry `begin`), from number
    // `from` on.
    void compare(u64 at, u64 k, Gathered& others, u64 begin, u64 from) {
        const u64 n = others.count - from,
                  hits = bits_ ? near_bits(at, k, others, from) : near_vectors(k, others, from);
        const u32 a = row_of(entries_[at]);
        checked += bits_ && table_ ? hits : n;
        for (u64 h = 0; h < hits; ++h) {
            const u32 b = row_of(entries_[begin + from + hits_[h]]);  // rows ascend within a bucket
            if (bits_ && table_ && !are_near(a, b)) continue;
            if (!met_before(keys_, a, b, band_)) found.push_back({a, b});
        }
    }

    u64 near_bits(u64 at, u64 k, Gathered& others, u64 from) {
        const u64 row = bits_->words + 1;
        return steps_.near(others.bits.data() + from * row, others.count - from, bits_->words,
                           one_.bits.data() + k * row, bits_->limit(row_of(entries_[at])), hits_);
    }

    u64 near_vectors(u64 k, Gathered& others, u64 from) {
        const u64 width = table_->width;
        return step_(one_.values.data() + k * width, others.values.data() + from * width, others.own.data() + from,
                     others.count - from, width, nearness_.bound + one_.own[k], hits_, sums_);
    }

    bool are_near(u32 a, u32 b) const {
        u32 hit;
        float sum;
        const float own = table_->own_of(b);
        return step_(table_->row(a), table_->row(b), &own, 1, table_->width, nearness_.bound + table_->own_of(a), &hit,
                     &sum);
    }

    const Table* table_;
    const Nearness nearness_;
    const Bits* bits_;
    const Keys& keys_;
    const lookalike_steps::Steps& steps_ = lookalike_steps::steps();
    const lookalike_steps::NearVectors step_ = steps_.near_vectors[static_cast<int>(nearness_.kind)];
    Total& total_;
    u64 band_ = 0, added_ = 0,
        sifted_ = 0;  // pairs already added to the totals, and pairs confirmed by the sieve
    Sorter sorter_;
    Buffer<u64> entries_;
    Gathered one_, two_;
    u32 hits_[kBlock];
    float sums_[kBlock];
};

Near join(const Table* table, const Nearness& nearness, const Bits* bits, const Keys& keys, int threads,
          const Limit& limit) {
    std::vector<BandJoin> workers;
    const u64 tasks = keys.bands ? keys.bands : keys.rows, chunk = keys.bands ? 1 : kBlock;
    Total total{limit};
    for (u32 i = 0; i < workers_for(tasks, chunk, threads); ++i)
        workers.emplace_back(table, nearness, bits, keys, total);
    Counted counted(tasks);
    parallel_for(tasks, chunk, threads, [&](u32 worker, u64 begin, u64 end) {
        keys.bands ? workers[worker].run(begin) : workers[worker].run_block(begin);
        counted.add(end - begin);
    });
    for (BandJoin& worker : workers) worker.add_to_total();  // one that finished early has not seen the final total
    Buffer<u64> pairs, other, counts;
    Near result;
    for (BandJoin& worker : workers) {
        for (const Pair& pair : worker.found) pairs.push(static_cast<u64>(pair.left) << 32 | pair.right);
        std::vector<Pair>().swap(worker.found);
        result.checked += worker.checked;
    }
    other.resize(pairs.size());
    sort_by_key(pairs.data(), pairs.size(), other.data(), counts);
    result.left = Array<i64>(pairs.size());
    result.right = Array<i64>(pairs.size());
    for (u64 i = 0; i < pairs.size(); ++i) {
        result.left[i] = static_cast<i64>(pairs[i] >> 32);
        result.right[i] = row_of(pairs[i]);
    }
    return result;
}

}  // namespace

Near near(const Table& table, const Nearness& nearness, const Bits* sketches, const Keys& keys, int threads,
          const Limit& limit) {
    table.check();
    require(keys.rows == table.rows && (!sketches || sketches->rows == table.rows),
            "there must be keys, and a sketch if there are any, for every vector");
    if (sketches) sketches->check();
    return join(&table, nearness, sketches, keys, threads, limit);
}

Near near(const Bits& bits, const Keys& keys, int threads, const Limit& limit) {
    bits.check();
    require(keys.rows == bits.rows, "there must be keys for every row of bits");
    return join(nullptr, {}, &bits, keys, threads, limit);
}

}  // namespace lookalike::vectors
