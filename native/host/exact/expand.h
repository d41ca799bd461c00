// Pairs of records → pairs of rows, in order: every copy of one with every copy of the other.
//
// First every record has its list of rows: rows are taken in ascending order, and each is written behind what its
// partners have so far, so that every list ascends without a sort. Then every copy writes out its share of the list.
#pragma once
#include "order.h"

namespace lookalike {

struct Edge {  // from a record to one of the other kind, with what they share
    u32 left, right, common;
};

struct RowPairs {  // ordered by (left, right)
    Array<i64> left, right, common;
};

enum class Rows { all, ascending, different };  // which pairs of rows count: all, left < right, or left ≠ right

RowPairs expand(const std::vector<std::vector<Edge>>& found, const Records& left, const Records& right, u64 left_rows,
                Rows which, int threads);

}  // namespace lookalike
