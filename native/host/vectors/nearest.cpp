// Keys of rows and queries → buckets that contain both → the nearest rows of each query. Threads process whole bands,
// and their results are merged: the rows kept do not depend on the order in which they are found. As in measure.cpp, no
// product is fused with a sum, because distances decide which rows are kept.
#include "nearest.h"

#include <cmath>
#include <limits>

#include "../simd/steps.h"
#include "../threads.h"
#include "entries.h"

namespace lookalike::vectors {

namespace {

constexpr u64 kBlock = 128;              // rows that are compared at a time with the queries of their bucket
constexpr u64 kMostMemory = 1ull << 30;  // bytes, for the results of all workers
constexpr double kNowhere = std::numeric_limits<double>::infinity();

struct Found {
    double far;
    u32 row;

    bool operator<(const Found& other) const { return far != other.far ? far < other.far : row < other.row; }
};

// The `top` nearest rows of each query so far, as heaps with the farthest on top.
class Heaps {
  public:
    Heaps(u64 queries, u64 top) : top_(top), found_(queries * top), counts_(queries) {
        std::fill(counts_.begin(), counts_.end(), 0u);
    }

    // Rows farther than this are not kept.
    double reach(u64 query) const { return counts_[query] < top_ ? kNowhere : found_[query * top_].far; }

    void offer(u64 query, const Found& found) {
        Found *const begin = found_.begin() + query * top_, *end = begin + counts_[query];
        const bool full = counts_[query] == top_;
        if (full && !(found < *begin)) return;
        for (const Found* one = begin; one < end; ++one)
            if (one->row == found.row) return;  // already found in another band
        if (full)
            std::pop_heap(begin, end);
        else
            ++counts_[query], ++end;
        end[-1] = found;
        std::push_heap(begin, end);
    }

    void take(u64 query, const Heaps& other) {
        const Found* const theirs = &other.found_[query * top_];
        for (u64 i = 0; i < other.counts_[query]; ++i) offer(query, theirs[i]);
    }

    void put(u64 query, i64* rows, double* far) {
        Found* const begin = found_.begin() + query * top_;
        std::sort_heap(begin, begin + counts_[query]);
        for (u64 i = 0; i < top_; ++i) {
            rows[i] = i < counts_[query] ? static_cast<i64>(begin[i].row) : -1;
            far[i] = i < counts_[query] ? begin[i].far : kNowhere;
        }
    }

  private:
    u64 top_;
    Array<Found> found_;
    Array<u32> counts_;
};

template <class T>
class Finder {
  public:
    Finder(const Table& table, const Keys& keys, const Table& queries, const Keys& query_keys, const Far<T>& far,
           const Scale& scale, u64 top)
        : heaps(queries.rows, top),
          table_(table),
          keys_(keys),
          queries_(queries),
          query_keys_(query_keys),
          far_(far),
          scale_(scale) {}

    void run(u64 band) {
        sorter_.sort(keys_.band(band), keys_.rows, rows_);
        sorter_.sort(query_keys_.band(band), query_keys_.rows, asking_);
        for (u64 i = 0, q = 0; i < keys_.rows && q < query_keys_.rows;) {
            const u32 one = key_half(rows_[i]), two = key_half(asking_[q]);
            if (one != two) {
                ++(one < two ? i : q);
                continue;
            }
            u64 end = i, last = q;
            while (end < keys_.rows && key_half(rows_[end]) == one) ++end;
            while (last < query_keys_.rows && key_half(asking_[last]) == one) ++last;
            for (u64 begin = i; begin < end; begin += kBlock) block(begin, std::min(begin + kBlock, end), q, last);
            i = end, q = last;
        }
    }

    Heaps heaps;
    u64 checked = 0;

  private:
    void block(u64 begin, u64 end, u64 q, u64 last) {
        const u64 width = table_.width;
        values_.resize((end - begin) * width);
        own_.resize(end - begin);
        for (u64 i = begin; i < end; ++i) {
            std::copy_n(table_.row(row_of(rows_[i])), width, values_.data() + (i - begin) * width);
            own_[i - begin] = table_.own_of(row_of(rows_[i]));
        }
        for (; q < last; ++q) {
            const u32 query = row_of(asking_[q]);
            const u64 hits = step_(queries_.row(query), values_.data(), own_.data(), end - begin, width,
                                   bound(heaps.reach(query)) + queries_.own_of(query), hits_, sums_);
            checked += end - begin;
            for (u64 h = 0; h < hits; ++h) {
                const u32 row = row_of(rows_[begin + hits_[h]]);
                heaps.offer(query, {far_.of(query, row), row});
            }
        }
        checkpoint();
    }

    float bound(double reach) const {
        return static_cast<float>(scale_.kind == Kind::products ? -reach - scale_.margin : reach * scale_.scale);
    }

    const Table& table_;
    const Keys& keys_;
    const Table& queries_;
    const Keys& query_keys_;
    const Far<T>& far_;
    const Scale scale_;
    const lookalike_steps::NearVectors step_ = lookalike_steps::steps().near_vectors[static_cast<int>(scale_.kind)];
    Sorter sorter_;
    Buffer<u64> rows_, asking_;
    Buffer<float> values_, own_;
    u32 hits_[kBlock];
    float sums_[kBlock];
};

}  // namespace

template <class T>
double Far<T>::of(u64 query, u64 row) const {
    const T *const x = queries + query * d, *const y = rows + row * d;
    if (!row_squares) return std::sqrt(measured(Term::squared_difference, x, y, d));
    const double cosine = measured(Term::product, x, y, d) / std::sqrt(query_squares[query] * row_squares[row]);
    return -std::min(1.0, std::max(-1.0, cosine));
}

template <class T>
Nearest nearest(const Table& table, const Keys& keys, const Table& queries, const Keys& query_keys, const Far<T>& far,
                const Scale& scale, u64 top, int threads) {
    table.check();
    queries.check();
    require(table.width == queries.width, "queries must have as many coordinates as the vectors");
    require(keys.rows == table.rows && query_keys.rows == queries.rows && keys.bands == query_keys.bands,
            "every vector and every query must have keys, in the same number of bands");
    require(top >= 1 && top <= 1 << 20, "top must lie in 1 … 1048576, got " + std::to_string(top));
    const u64 each = std::max<u64>(1, queries.rows * top * sizeof(Found));
    const int most = static_cast<int>(std::clamp<u64>(kMostMemory / each, 1, 1024));
    std::vector<Finder<T>> workers;
    for (u32 i = 0; i < workers_for(keys.bands, 1, std::min(threads, most)); ++i)
        workers.emplace_back(table, keys, queries, query_keys, far, scale, top);
    parallel_for(keys.bands, 1, std::min(threads, most), [&](u32 worker, u64 band, u64) { workers[worker].run(band); });
    Nearest result{Array<i64>(queries.rows * top), Array<double>(queries.rows * top)};
    for (Finder<T>& worker : workers) result.checked += worker.checked;
    for (u64 q = 0; q < queries.rows; ++q) {
        for (u64 i = 1; i < workers.size(); ++i) workers[0].heaps.take(q, workers[i].heaps);
        workers[0].heaps.put(q, result.rows.begin() + q * top, result.far.begin() + q * top);
    }
    return result;
}

template struct Far<float>;
template struct Far<double>;
template Nearest nearest(const Table&, const Keys&, const Table&, const Keys&, const Far<float>&, const Scale&, u64,
                         int);
template Nearest nearest(const Table&, const Keys&, const Table&, const Keys&, const Far<double>&, const Scale&, u64,
                         int);

}  // namespace lookalike::vectors
