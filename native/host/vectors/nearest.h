// The nearest rows of each query, among those that share a key with it.
#pragma once
#include "vectors.h"

namespace lookalike::vectors {

// The distance of a query and a row, or minus their cosine, in double precision and in a fixed order of operations.
// Both sides have `d` coordinates per row. The squared lengths of rows and queries are only needed for cosines.
template <class T>
struct Far {
    const T *rows = nullptr, *queries = nullptr;
    u64 d = 0;
    const double *row_squares = nullptr, *query_squares = nullptr;

    double of(u64 query, u64 row) const;
};

// Converts a distance into a bound for the prepared single-precision tables: a pair nearer than `far` has a product of
// at least −far − margin, or a distance of at most scale·far, in the sense of `Nearness`.
struct Scale {
    Kind kind = Kind::products;
    double scale = 1, margin = 0;
};

struct Nearest {
    Array<i64> rows;    // `top` per query, nearest first, ties by row; −1 if there are fewer
    Array<double> far;  // their distances, or minus their cosines
    u64 checked = 0;
};

template <class T>
Nearest nearest(const Table& table, const Keys& keys, const Table& queries, const Keys& query_keys, const Far<T>& far,
                const Scale& scale, u64 top, int threads);

}  // namespace lookalike::vectors
