// The rows that may be among the `top` nearest of each query, by approximate scores with known error bounds.
#pragma once
#include <vector>

#include "vectors.h"

namespace lookalike::vectors {

// Greater scores are nearer. The true score of a query and a row differs from the given one by at most the sum of their
// margins. A row remains as long as `top` others are not certainly better.
template <class T>
class TopScores {
  public:
    TopScores(const T* margins, u64 queries, u64 top);

    // Adds the scores of the queries from number `first` on, and of rows from `first_row` on: a matrix with `rows`
    // scores per query. `own` contains the margin of each row.
    void add(const T* scores, u64 first, u64 queries, u64 first_row, u64 rows, const T* own, int threads);

    // The rows that remain, in order of queries and rows. Returns their number; null pointers only count.
    u64 remaining(i64* queries, i64* rows) const;

    // Keeps only these pairs of a query and a row, which are in order.
    void keep(const i64* queries, const i64* rows, u64 count);

    u64 waiting() const;
    u64 queries() const { return margins_.size(); }

  private:
    struct Score {
        T most, least;  // of the true score, up to the query's margin
        u32 row;
    };
    struct Query {
        std::vector<Score> scores;
        u64 room = 0;  // the number of scores at which they are pruned
        T bar;         // the least upper bound with which a row remains
    };
    void prune(Query& query, T margin) const;

    u64 top_;
    std::vector<T> margins_;
    std::vector<Query> found_;
};

// Cells of a matrix.
struct Cells {
    Array<i64> rows, columns;
};

// The cells, in order, with value + own[column] ≥ bars[row].
template <class T>
Cells cells_above(const T* values, u64 rows, u64 columns, const T* own, const T* bars, int threads);

}  // namespace lookalike::vectors
