// Sorting, candidates, similar pairs, components and weighted sets, compared with their definitions.
#pragma once
#include <algorithm>
#include <set>

#include "../host/buckets.h"
#include "../host/forest.h"
#include "../host/join.h"
#include "../host/similar.h"
#include "../host/weighted.h"
#include "checks.h"
#include "table.h"

namespace {

void test_sorting_any_keys() {
    Buffer<u64> counts;
    for (const u64 n : {0ull, 1ull, 24ull, 25ull, 300ull, 40'000ull}) {
        for (int spread = 0; spread < 5; ++spread) {
            std::vector<Entry> entries(n), other(n);
            for (u64 i = 0; i < n; ++i) {
                const u64 key = spread == 0   ? random_source()
                                : spread == 1 ? 7
                                : spread == 2 ? below(3)
                                : spread == 3 ? below(3) << 62 | below(100)
                                              : n - i;
                entries[i] = {key, static_cast<u32>(i)};
            }
            auto expected = entries;
            std::stable_sort(expected.begin(), expected.end(), [](auto& a, auto& b) { return a.key < b.key; });
            counts.clear();
            sort_by_key(entries.data(), n, other.data(), counts);
            EXPECT(std::equal(entries.begin(), entries.end(), expected.begin(),
                              [](auto& a, auto& b) { return a.key == b.key && a.row == b.row; }));
        }
    }
}

void test_similar_pairs_and_components_agree_with_the_definition() {
    for (int round = 0; round < 60; ++round) {
        const u64 n = round % 3 ? 1 + below(30) : 65 + below(150), bands = 1 + below(3);
        std::vector<std::set<u64>> all(n);
        const u64 universe = 10 + below(60);
        for (auto& set : all) {
            if (below(20) == 0) continue;
            for (u64 e = 0; e < universe; ++e)
                if (below(10)) set.insert(mix(e));
            for (u64 e = below(universe / 3); e > 0; --e) set.insert(random_source());
        }
        std::vector<u64> drawn(n * bands);
        for (u64& key : drawn) key = below(1 + n / 40);
        const Array<u64> values = exact(drawn);
        const Keys keys{n, bands, values.data.get()};
        const Table table(all);
        const Threshold threshold = check_threshold(1 + static_cast<i64>(below(10)), 10);
        std::vector<i64> left, right;
        i64 candidate_count = 0;
        const Array<Pair> pairs = candidates(keys, 2);
        for (u64 i = 0; i < pairs.size; ++i) {
            const std::set<u64>&a = all[pairs[i].left], &b = all[pairs[i].right];
            if (a.empty() || b.empty()) continue;
            ++candidate_count;
            u64 common = 0;
            for (const u64 e : a) common += b.count(e);
            if (threshold.q * common < threshold.p * (a.size() + b.size() - common)) continue;
            left.push_back(pairs[i].left);
            right.push_back(pairs[i].right);
        }
        const Array<i64> labels = connect(n, left.data(), right.data(), left.size());
        u64 checked = 0;
        for (const int threads : {1, 2, 4}) {
            const SimilarPairs found = similar_pairs(keys, table.sets, threshold, threads);
            EXPECT(found.pairs.size == left.size() && found.candidates == candidate_count);
            for (u64 i = 0; i < found.pairs.size && i < left.size(); ++i)
                EXPECT(found.pairs[i].left == left[i] && found.pairs[i].right == right[i]);
            const Components components = similar_components(keys, table.sets, threshold, threads);
            for (u64 i = 0; i < n; ++i) EXPECT(components.labels[i] == labels[i]);
            EXPECT(threads == 1 || components.checked == checked);
            checked = components.checked;
        }
    }
}

void test_giant_buckets_agree_for_any_number_of_threads() {
    const u64 n = kGiantBucket + 500;
    std::vector<std::set<u64>> all(n);
    for (u64 i = 0; i < n; ++i) {
        for (u64 e = 0; e < 12; ++e) all[i].insert(mix(e));
        for (u64 e = 0; e < 8; ++e) all[i].insert(mix(1000 * (1 + i / 3) + e));  // families of three
        all[i].insert(random_source());
    }
    const Array<u64> values = exact(std::vector<u64>(n));
    const Keys keys{n, 1, values.data.get()};
    const Table table(all);
    const Threshold threshold = check_threshold(4, 5);
    const SimilarPairs found = similar_pairs(keys, table.sets, threshold, 3);
    EXPECT(found.candidates == i64(n * (n - 1) / 2) && found.pairs.size == n / 3 * 3 + (n % 3 == 2));
    u64 checked = 0;
    for (const int threads : {1, 3}) {
        const Components components = similar_components(keys, table.sets, threshold, threads);
        for (u64 i = 0; i < n; ++i) EXPECT(components.labels[i] == static_cast<i64>(i / 3 * 3));
        EXPECT(threads == 1 || components.checked == checked);
        checked = components.checked;
    }
}

void test_bad_tables_are_refused() {
    const u64 values[4] = {1, 2, 3, 4};
    const i64 beyond[] = {0, 3, 9}, falling[] = {0, 3, 2}, negative[] = {-1, 3, 4}, fine[] = {0, 2, 4};
    const i64 rows[] = {0, 1}, outside[] = {0, 2}, below_zero[] = {-1, 0};
    const Keys keys{2, 1, values};
    const Threshold half = check_threshold(1, 2);
    for (const i64* offsets : {beyond, falling, negative}) {
        const Sets sets{2, offsets, values, 4};
        EXPECT(refused([&] { sign(sets, Sketch(false, 4, 0), 1); }));
        EXPECT(refused([&] { intersections(sets, rows, rows, 2, 1); }));
        EXPECT(refused([&] { similar_pairs(keys, sets, half, 1); }));
        EXPECT(refused([&] { similar_components(keys, sets, half, 1); }));
    }
    const Sets sets{2, fine, values, 4};
    for (const i64* bad : {outside, below_zero}) {
        EXPECT(refused([&] { intersections(sets, bad, rows, 2, 1); }));
        EXPECT(refused([&] { intersections(sets, rows, bad, 2, 1); }));
        EXPECT(refused([&] { connect(2, bad, rows, 2); }));
        EXPECT(refused([&] { connect(2, rows, bad, 2); }));
    }
    EXPECT(refused([&] { similar_pairs(Keys{4, 1, values}, sets, half, 1); }));
    for (const u64 bands : {u64(0), u64(5000)}) {
        EXPECT(refused([&] { candidates(Keys{0, bands, values}, 1); }));
        EXPECT(refused([&] { bucketed(Keys{0, bands, values}, nullptr, 1); }));
    }
    EXPECT(refused([&] { copies(nullptr, nullptr, ~0ull, 1); }));
    EXPECT(refused([&] { connect(~0ull, rows, rows, 0); }));
    for (const auto& [p, q] : {std::pair<i64, i64>{0, 1}, {2, 1}, {-1, -1}, {1, 0}, {1, 2'000'000'000}})
        EXPECT(refused([&] { check_threshold(p, q); }));
    const Sets none{0, fine, values, 0};
    EXPECT(similar_pairs(Keys{0, 3, nullptr}, none, half, 4).pairs.size == 0);
    EXPECT(similar_components(Keys{0, 3, nullptr}, none, half, 4).labels.size == 0);
}

void test_unordered_sets_do_no_harm() {
    const u64 n = 200;
    const Table table = unordered(n);
    const Array<u64> keys = exact(std::vector<u64>(n));
    similar_pairs(Keys{n, 1, keys.data.get()}, table.sets, check_threshold(1, 2), 2);
    similar_components(Keys{n, 1, keys.data.get()}, table.sets, check_threshold(1, 2), 2);
}

void test_copies_and_buckets() {
    const Hash128 hashes[] = {{1, 2}, {3, 4}, {1, 2}, {0, 0}, {0, 0}, {1, 3}};
    const u8 empty[] = {0, 0, 0, 1, 1, 0};
    const Array<i64> first = copies(hashes, empty, 6, 2);
    const i64 expected[] = {0, 1, 0, 3, 4, 5};
    EXPECT(std::equal(expected, expected + 6, first.data.get()));
    const u64 rows = 100'000;  // enough for several threads
    Array<Hash128> many(rows);
    Array<u8> none(rows);
    for (u64 i = 0; i < rows; ++i) many[i] = {i % 30'000 * 0x9E3779B97F4A7C15, i % 30'000}, none[i] = i % 7 == 0;
    for (const int threads : {1, 3}) {
        const Array<i64> firsts = copies(many.data.get(), none.data.get(), rows, threads);
        std::vector<i64> seen(30'000, -1);
        bool same = true;
        for (u64 i = 0; i < rows; ++i) {
            i64& before = seen[i % 30'000];
            if (before < 0 && !none[i]) before = static_cast<i64>(i);
            same = same && firsts[i] == (none[i] ? static_cast<i64>(i) : before);
        }
        EXPECT(same);
    }
    const u64 keys[] = {1, 9, 2, 8, 3, 8, 1, 7};
    const Array<u8> shared = bucketed(Keys{4, 2, keys}, nullptr, 2);
    EXPECT(shared[0] && shared[1] && shared[2] && shared[3]);
    const Array<Pair> pairs = candidates(Keys{4, 2, keys}, 2);
    EXPECT(pairs.size == 2 && pairs[0].left == 0 && pairs[0].right == 3 && pairs[1].left == 1 && pairs[1].right == 2);
}

void test_weighted_sets() {
    std::vector<u64> values;
    std::vector<double> weights;
    std::vector<i64> offsets{0};
    for (u64 i = 0; i < 40; ++i) {
        for (u64 e = 0, n = below(30); e < n; ++e) {
            values.push_back(below(1000));
            weights.push_back(e % 5 == 0 ? 0 : e % 7 == 0 ? 1e100 : e % 3 == 0 ? 1e-100 : 1.0 / (1.0 + double(e)));
        }
        offsets.push_back(static_cast<i64>(values.size()));
    }
    const Array<u64> tight = exact(values);
    const Array<double> heights = exact(weights);
    const Array<i64> ends = exact(offsets);
    const Sets sets{40, ends.data.get(), tight.data.get(), tight.size};
    const Array<u64> one = sign_weighted(sets, heights.data.get(), 64, 3, 1);
    const Array<u64> other = sign_weighted(sets, heights.data.get(), 64, 3, 3);
    EXPECT(std::equal(one.data.get(), one.data.get() + one.size, other.data.get()));
    const double bad[] = {-1.0};
    const i64 two[] = {0, 1};
    EXPECT(refused([&] { sign_weighted(Sets{1, two, tight.data.get(), 1}, bad, 8, 0, 1); }));
}

}  // namespace
