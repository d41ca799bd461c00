// Lists → the queries that search them → bounds of distances, in single precision → the exact distances of rows that
// may be among the nearest. Threads search different lists. The result does not depend on which thread searches which:
// every row that may be among the nearest is kept, and the exact distances decide.
#include "in_lists.h"

#include <cmath>
#include <limits>
#include <vector>

#include "../simd/steps.h"
#include "../threads.h"
#include "entries.h"

namespace lookalike::vectors {

namespace {

constexpr u64 kBlock = 128;           // the most rows that are compared at a time with the queries of their list
constexpr u64 kBlockBytes = 1 << 15;  // the size of these rows, so that they stay in the fastest cache
constexpr u64 kRoom = 32;             // candidates kept per query, beside twice `top`
constexpr double kNowhere = std::numeric_limits<double>::infinity();

struct Candidate {
    double least, most;  // bounds of the distance
    u32 row;
};

struct Candidates {
    std::vector<Candidate> rows;
    u64 room = 0;           // the number of candidates at which they are pruned
    double bar = kNowhere;  // at least `top` rows are not farther than this

    // Removes the candidates that are farther than `top` others.
    void prune(u64 top) {
        if (rows.size() < top) return;
        const auto last = rows.begin() + static_cast<std::ptrdiff_t>(top - 1);
        std::nth_element(rows.begin(), last, rows.end(),
                         [](const Candidate& a, const Candidate& b) { return a.most < b.most; });
        bar = std::min(bar, last->most);
        std::erase_if(rows, [&](const Candidate& one) { return one.least > bar; });
        room = std::max<u64>(2 * top + kRoom, 2 * rows.size());
    }
};

class ListSearch {
  public:
    ListSearch(const Table& table, const Lists& lists, const Table& queries, const Scale& scale, u64 top)
        : found(queries.rows),
          table_(table),
          lists_(lists),
          queries_(queries),
          scale_(scale),
          top_(top),
          block_(std::clamp<u64>(kBlockBytes / (table.width * sizeof(float)), 16, kBlock)) {
        for (Candidates& one : found) one.room = 2 * top + kRoom;
    }

    // Searches a list for the queries of these entries.
    void search(const u64* entry, const u64* end) {
        const u64 list = key_half(*entry), stop = static_cast<u64>(lists_.starts[list + 1]);
        for (u64 begin = static_cast<u64>(lists_.starts[list]); begin < stop; begin += block_) {
            const u64 n = std::min(block_, stop - begin);
            for (const u64* one = entry; one < end; ++one) compare(row_of(*one), begin, n);
            checked += n * static_cast<u64>(end - entry);
            checkpoint();
        }
    }

    std::vector<Candidates> found;
    u64 checked = 0;

  private:
    void compare(u32 query, u64 begin, u64 n) {
        Candidates& mine = found[query];
        const float own = queries_.own_of(query);
        const bool products = scale_.kind == Kind::products;
        const double bound = products ? -mine.bar - scale_.margin : mine.bar * scale_.scale;
        const u64 hits = step_(queries_.row(query), table_.row(begin), table_.own ? table_.own + begin : kNone, n,
                               table_.width, static_cast<float>(bound) + own, hits_, sums_);
        for (u64 h = 0; h < hits; ++h) {
            const u64 at = begin + hits_[h];
            Candidate one{0, 0, static_cast<u32>(lists_.ids[at])};
            if (products) {
                one.least = -sums_[h] - scale_.margin, one.most = -sums_[h] + scale_.margin;
            } else {
                const double far = std::sqrt(static_cast<double>(sums_[h])), moved = own + table_.own_of(at);
                one.least = (far - moved) / scale_.scale;
                one.most = (far + moved) * (1 + 4 * scale_.margin) / scale_.scale;
            }
            if (one.least > mine.bar) continue;
            mine.rows.push_back(one);
            if (mine.rows.size() >= mine.room) mine.prune(top_);
        }
    }

    static constexpr float kNone[kBlock] = {};
    const Table& table_;
    const Lists& lists_;
    const Table& queries_;
    const Scale scale_;
    const u64 top_, block_;
    const lookalike_steps::NearVectors step_ = lookalike_steps::steps().near_vectors[static_cast<int>(scale_.kind)];
    u32 hits_[kBlock];
    float sums_[kBlock];
};

// The queries that search each list, in order of lists: those that search it first, or those of the pairs.
Buffer<u64> entries_of(const Lists& lists, u64 queries, bool first) {
    Buffer<u64> entries, other, counts;
    const u64 n = first ? queries : lists.pairs;
    entries.resize(n);
    other.resize(n);
    for (u64 i = 0; i < n; ++i) {
        const i64 list = first ? lists.first[i] : lists.lists[i];
        entries[i] = static_cast<u64>(list) << 32 | (first ? i : static_cast<u64>(lists.queries[i]));
    }
    sort_by_key(entries.data(), n, other.data(), counts);
    return entries;
}

// The `top` nearest of a query's candidates, by exact distances and then by rows.
template <class T>
void put(u64 query, Candidates& all, const Far<T>& far, u64 top, i64* rows, double* distances) {
    all.prune(top);
    for (const Candidate& one : all.rows) __builtin_prefetch(far.rows + one.row * far.d);
    std::vector<std::pair<double, u32>> exact;
    for (const Candidate& one : all.rows) exact.emplace_back(far.of(query, one.row), one.row);
    std::sort(exact.begin(), exact.end());
    for (u64 i = 0; i < top; ++i) {
        rows[i] = i < exact.size() ? static_cast<i64>(exact[i].second) : -1;
        distances[i] = i < exact.size() ? exact[i].first : kNowhere;
    }
}

}  // namespace

void Lists::check(u64 rows, u64 asked) const {
    require(count < kMostRows && starts[0] == 0 && static_cast<u64>(starts[count]) == rows,
            "lists must contain every row");
    for (u64 i = 0; i < count; ++i) require(starts[i] <= starts[i + 1], "lists must be in order");
    check_rows(ids, rows, rows, "ids");
    check_rows(first, asked, count, "first lists");
    check_rows(queries, pairs, asked, "queries");
    check_rows(lists, pairs, count, "lists");
}

template <class T>
Nearest nearest_in_lists(const Table& table, const Lists& lists, const Table& queries, const Far<T>& far,
                         const Scale& scale, u64 top, int threads) {
    table.check();
    queries.check();
    require(table.width == queries.width, "queries must have as many coordinates as the vectors");
    require(top >= 1 && top <= 1 << 20, "top must lie in 1 … 1048576, got " + std::to_string(top));
    lists.check(table.rows, queries.rows);
    constexpr u64 chunk = 16;
    std::vector<ListSearch> workers;
    for (u32 i = 0; i < workers_for(lists.count, 1, threads); ++i)
        workers.emplace_back(table, lists, queries, scale, top);
    for (const bool first : {true, false}) {
        Buffer<u64> entries = entries_of(lists, queries.rows, first);
        std::vector<u64*> groups;
        for (u64* at = entries.begin(); at < entries.end(); ++at)
            if (at == entries.begin() || key_half(*at) != key_half(at[-1])) groups.push_back(at);
        groups.push_back(entries.end());
        parallel_for(groups.size() - 1, 1, threads,
                     [&](u32 worker, u64 i, u64) { workers[worker].search(groups[i], groups[i + 1]); });
    }
    Nearest result{Array<i64>(queries.rows * top), Array<double>(queries.rows * top)};
    for (const ListSearch& worker : workers) result.checked += worker.checked;
    parallel_for(queries.rows, chunk, threads, [&](u32, u64 begin, u64 end) {
        for (u64 q = begin; q < end; ++q) {
            Candidates& all = workers[0].found[q];
            for (u64 i = 1; i < workers.size(); ++i) {
                const Candidates& more = workers[i].found[q];
                all.rows.insert(all.rows.end(), more.rows.begin(), more.rows.end());
            }
            put(q, all, far, top, result.rows.begin() + q * top, result.far.begin() + q * top);
        }
    });
    return result;
}

template Nearest nearest_in_lists(const Table&, const Lists&, const Table&, const Far<float>&, const Scale&, u64, int);
template Nearest nearest_in_lists(const Table&, const Lists&, const Table&, const Far<double>&, const Scale&, u64, int);

}  // namespace lookalike::vectors
