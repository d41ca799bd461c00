// An inverted file: the nearest rows of each query, among those in the lists that the query searches.
#pragma once
#include "nearest.h"

namespace lookalike::vectors {

// Rows are in the order of their lists. A query first searches the list `first`, which should contain most of its
// neighbours, and then the lists of its pairs. No pair may occur twice, or name the first list again.
struct Lists {
    u64 count;
    const i64* starts;  // the first row of each list, and the number of rows
    const i64* ids;     // the number of each row in the exact vectors
    const i64* first;   // one list per query
    u64 pairs;
    const i64 *queries, *lists;

    void check(u64 rows, u64 asked) const;
};

// `far` numbers rows as `ids` does. In `scale`, `margin` also bounds the relative error of distances.
template <class T>
Nearest nearest_in_lists(const Table& table, const Lists& lists, const Table& queries, const Far<T>& far,
                         const Scale& scale, u64 top, int threads);

}  // namespace lookalike::vectors
