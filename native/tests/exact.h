// Exact joins: the pairs of the definition for every measure, and no invalid access for input that is not a set.
#pragma once
#include <array>
#include <set>

#include "../host/exact/join.h"
#include "checks.h"
#include "table.h"

namespace {

const char* const kMeasures[] = {"jaccard", "dice", "cosine", "containment", "overlap", "hamming"};

std::vector<std::set<u64>> random_sets(u64 n, u64 universe) {
    std::vector<std::set<u64>> all(n);
    for (u64 i = 0; i < n; ++i) {
        if (i > 0 && below(4) == 0) all[i] = all[below(i)];
        for (u64 e = below(12); e > 0; --e) all[i].insert(below(universe) * 0x9E3779B97F4A7C15ull);
    }
    return all;
}

void test_exact_joins_agree_with_the_definition() {
    for (int round = 0; round < 300; ++round) {
        const std::vector<std::set<u64>> all = random_sets(below(60), 3 + below(60)), more = random_sets(below(60), 40);
        const Table table(all), other(more);
        const char* const name = kMeasures[below(6)];
        const bool counted = name[0] == 'o' || name[0] == 'h', self = below(2);
        const Measure measure = check_measure(name, 1 + i64(below(10)), counted ? 1 : 10);
        const std::vector<std::set<u64>>& second = self ? all : more;
        std::vector<std::array<i64, 3>> expected;
        for (u64 i = 0; i < all.size(); ++i)
            for (u64 j = 0; j < second.size(); ++j) {
                if (self && (measure.kind == Measure::Kind::containment ? i == j : i >= j)) continue;
                u64 o = 0;
                for (const u64 e : all[i]) o += second[j].count(e);
                if (measure.reached(all[i].size(), second[j].size(), o)) expected.push_back({i64(i), i64(j), i64(o)});
            }
        for (const int threads : {1, 3}) {
            const Sets* const right = self ? nullptr : &other.sets;
            const ExactPairs found = exact_pairs(table.sets, right, measure, threads, ~0ull);
            EXPECT(found.pairs.left.size == expected.size());
            for (u64 k = 0; k < std::min<u64>(expected.size(), found.pairs.left.size); ++k)
                EXPECT(found.pairs.left[k] == expected[k][0] && found.pairs.right[k] == expected[k][1] &&
                       found.pairs.common[k] == expected[k][2]);
            const ExactPairs nearest = exact_top(table.sets, right, measure, 1 + below(4), threads, ~0ull);
            for (u64 k = 1; k < nearest.pairs.left.size; ++k)
                EXPECT(nearest.pairs.left[k - 1] <= nearest.pairs.left[k]);
        }
    }
}

// Large collections are ranked by partitions. A join by these ranks gives the same pairs, with any number of threads.
void test_ranks_order_elements_as_codes_do() {
    for (int round = 0; round < 100; ++round) {
        const std::vector<std::set<u64>> all = random_sets(below(60), 3 + below(200)),
                                         more = random_sets(below(60), 40);
        const Table table(all), other(more);
        const Measure measure = check_measure(kMeasures[below(4)], 1 + i64(below(10)), 10);
        const Sets* const right = below(2) ? &other.sets : nullptr;
        const int threads = 1 + static_cast<int>(below(3));
        const ExactPairs by_codes =
            exact_pairs(Ordered(table.sets, right, measure, threads, false), measure, threads, ~0ull);
        const ExactPairs by_ranks =
            exact_pairs(Ordered(table.sets, right, measure, threads, true), measure, threads, ~0ull);
        EXPECT(by_codes.pairs.left.size == by_ranks.pairs.left.size);
        for (u64 k = 0; k < std::min(by_codes.pairs.left.size, by_ranks.pairs.left.size); ++k)
            EXPECT(by_codes.pairs.left[k] == by_ranks.pairs.left[k] &&
                   by_codes.pairs.right[k] == by_ranks.pairs.right[k] &&
                   by_codes.pairs.common[k] == by_ranks.pairs.common[k]);
    }
}

void test_whoever_can_have_a_different_partner_is_looked_for() {
    for (const char* const name : kMeasures)
        for (i64 p = 1; p <= 20; ++p) {
            Measure measure = check_measure(name, p, name[0] == 'o' || name[0] == 'h' ? 1 : 20);
            measure.symmetric = true;
            for (u64 a = 1; a <= 40; ++a) {
                bool can = false;
                for (u64 b = 1; b <= 100; ++b)
                    for (u64 o = 1; o <= std::min(a, b); ++o) can |= (o < a || b > a) && measure.reached(a, b, o);
                EXPECT(!can || measure.can_differ(a));
            }
        }
}

void test_exact_joins_take_what_is_no_set() {
    const Table table = unordered(200);
    const Sets& sets = table.sets;
    for (const char* name : kMeasures) {
        const Measure measure = check_measure(name, 1, 1);
        exact_pairs(sets, nullptr, measure, 2, ~0ull);
        exact_pairs(sets, &sets, measure, 2, ~0ull);
        exact_top(sets, nullptr, measure, 3, 2, ~0ull);
    }
    const i64 beyond[] = {0, 3, 9999}, falling[] = {0, 3, 2};
    for (const i64* bad : {beyond, falling}) {
        const Sets wrong{2, bad, sets.values, 4};
        EXPECT(refused([&] { exact_pairs(wrong, nullptr, check_measure("jaccard", 1, 2), 1, ~0ull); }));
        EXPECT(refused([&] { exact_top(sets, &wrong, check_measure("jaccard", 1, 2), 1, 1, ~0ull); }));
    }
    EXPECT(refused([&] { check_measure("edit", 1, 2); }));
    EXPECT(refused([&] { check_measure("overlap", 0, 1); }));
}

}  // namespace
