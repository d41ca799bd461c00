// Sets in arrays of exactly their size, and rows that are not sets.
#pragma once
#include <set>
#include <vector>

#include "../host/sets.h"
#include "checks.h"

namespace {

struct Table {
    Array<i64> offsets;
    Array<u64> values;
    Sets sets;

    explicit Table(const std::vector<std::set<u64>>& all) {
        std::vector<i64> ends{0};
        std::vector<u64> elements;
        for (const auto& set : all) {
            elements.insert(elements.end(), set.begin(), set.end());
            ends.push_back(static_cast<i64>(elements.size()));
        }
        *this = Table(ends, elements);
    }
    Table(const std::vector<i64>& ends, const std::vector<u64>& elements)
        : offsets(exact(ends)),
          values(exact(elements)),
          sets{ends.size() - 1, offsets.begin(), values.begin(), values.size} {}
};

// Rows of ten elements in any order, with repetitions.
Table unordered(u64 rows) {
    std::vector<u64> values(rows * 10);
    std::vector<i64> offsets(rows + 1);
    for (u64& value : values) value = below(12);
    for (u64 i = 0; i <= rows; ++i) offsets[i] = static_cast<i64>(10 * i);
    return Table(offsets, values);
}

}  // namespace
