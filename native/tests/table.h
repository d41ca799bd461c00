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

}  // namespace
