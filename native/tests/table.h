// Sets in arrays of exactly their size.
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
        offsets = exact(ends);
        values = exact(elements);
        sets = {all.size(), offsets.begin(), values.begin(), values.size};
    }
};

}  // namespace
