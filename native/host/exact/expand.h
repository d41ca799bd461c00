// Pairs of records → pairs of rows, in order: every copy of one with every copy of the other.
//
// First every record has its list of rows: rows are taken in ascending order, and each is written behind what its
// partners have so far, so that every list ascends without a sort. Then every copy writes out its share of the list. A
// record that has nobody but its own copies needs no list: there is one of its copies.
#pragma once
#include "order.h"

namespace lookalike {

struct Edge {  // from a record to one of the other kind, with what they share
    u32 left, right, common;
};

using Edges = std::vector<std::vector<Edge>>;  // in parts, in any order

struct RowPairs {  // ordered by (left, right)
    Array<i64> left, right, common;
};

enum class Rows { all, ascending, different };  // which pairs of rows count: all, left < right, or left ≠ right

// Copies of one record go together from record `equal_from` on, if there is such a one, without an edge.
RowPairs expand(const Edges& found, const Records& left, const Records& right, u64 equal_from, Rows which, int threads);

}  // namespace lookalike
