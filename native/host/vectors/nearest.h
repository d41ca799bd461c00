// The nearest rows of each query, among those that share a key with it.
#pragma once
#include "vectors.h"

namespace lookalike::vectors {

// How far apart a query and a row are, in double precision and in one order: minus the cosine, or the distance. Both
// sides have `d` coordinates a row; the squares of all rows' lengths are needed for cosines alone.
template <class T>
struct Far {
    const T *rows = nullptr, *queries = nullptr;
    u64 d = 0;
    const double *row_squares = nullptr, *query_squares = nullptr;

    double of(u64 query, u64 row) const;
};

// What the prepared tables of single precision make of a distance: a pair that is nearer than `far` has a product of at
// least −far − margin, or is at most scale·far apart, as `Nearness` has it.
struct Scale {
    Kind kind = Kind::products;
    double scale = 1, margin = 0;
};

struct Nearest {
    Array<i64> rows;    // `top` of each query, the nearest first, ties in order of rows; −1 where there are no more
    Array<double> far;  // of each
    u64 checked = 0;
};

template <class T>
Nearest nearest(const Table& table, const Keys& keys, const Table& queries, const Keys& query_keys, const Far<T>& far,
                const Scale& scale, u64 top, int threads);

}  // namespace lookalike::vectors
