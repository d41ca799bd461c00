// Pairs of records → pairs of rows, in order: every copy of one with every copy of the other.
//
// First, every record gets its list of rows: rows are taken in ascending order, and each is appended to the lists of
// its partners, so that every list ascends without sorting. Then every copy of a record writes out its part of the
// list. A record whose only partners are its copies needs no list: the list of its copies exists already.
#pragma once
#include "order.h"

namespace lookalike {

struct Edge {  // a record on the left, a record on the right, and the size of their overlap
    u32 left, right, common;
};

using Edges = std::vector<std::vector<Edge>>;  // in parts, in any order

struct RowPairs {  // ordered by (left, right)
    Array<i64> left, right, common;
};

enum class Rows { all, ascending, different };  // which pairs of rows count: all, left < right, or left ≠ right

// From record `equal_from` on, copies of one record are pairs too, without an edge.
RowPairs expand(const Edges& found, const Records& left, const Records& right, u64 equal_from, Rows which, int threads);

}  // namespace lookalike
