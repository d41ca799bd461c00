// Near vectors and near strings of bits, in heap blocks of exactly their size, compared with all pairs.
#pragma once
#include <set>

#include "../host/vectors/in_lists.h"
#include "../host/vectors/nearest.h"
#include "../host/vectors/within_distance.h"
#include "checks.h"

namespace {

std::set<std::pair<i64, i64>> pairs_of(const vectors::Near& found) {
    std::set<std::pair<i64, i64>> pairs;
    for (u64 i = 0; i < found.left.size; ++i) pairs.insert({found.left[i], found.right[i]});
    return pairs;
}

void test_near_vectors() {
    for (int round = 0; round < 30; ++round) {
        const u64 n = below(300), width = 16 * (1 + below(5)), bands = 1 + below(4);
        std::vector<float> values(n * width);
        for (float& x : values) x = static_cast<float>(below(7)) - 3;  // whole numbers: no rounding
        const Array<float> held = exact(values);
        const vectors::Table table{n, width, held.data.get()};
        const Array<u32> keys = vectors::keys(table, {bands, 1 + below(4), below(9), round % 2 ? 0.0 : 2.5}, 2);
        const vectors::Keys keyed{n, bands, keys.data.get()};
        std::set<std::pair<i64, i64>> wanted;
        for (u64 a = 0; a < n; ++a)
            for (u64 b = a + 1; b < n; ++b) {
                float product = 0;
                for (u64 j = 0; j < width; ++j) product += values[a * width + j] * values[b * width + j];
                if (product >= 5 && vectors::met_before(keyed, a, b, bands)) wanted.insert({i64(a), i64(b)});
            }
        const vectors::Nearness nearness{vectors::Kind::products, 5};
        EXPECT(pairs_of(vectors::near(table, nearness, nullptr, keyed, 1 + round % 2, {~0ull})) == wanted);
        const auto all = pairs_of(vectors::near(table, nearness, nullptr, {n, 0, nullptr}, 1 + round % 2, {~0ull}));
        for (const auto& pair : wanted) EXPECT(all.count(pair));
        const vectors::Far<float> far{held.data.get(), held.data.get(), width, nullptr, nullptr};
        const u64 top = 1 + below(5);
        const vectors::Nearest nearest = vectors::nearest(table, keyed, table, keyed, far,
                                                          {vectors::Kind::differences, 1.0001, 0}, top, 1 + round % 2);
        for (u64 a = 0; a < n; ++a) {
            std::vector<std::pair<double, i64>> met;
            for (u64 b = 0; b < n; ++b)
                if (vectors::met_before(keyed, a, b, bands)) met.push_back({far.of(a, b), i64(b)});
            std::sort(met.begin(), met.end());
            for (u64 i = 0; i < top; ++i) EXPECT(nearest.rows[a * top + i] == (i < met.size() ? met[i].second : -1));
        }
    }
}

void test_nearest_in_lists() {
    for (int round = 0; round < 30; ++round) {
        const u64 n = 1 + below(300), width = 16 * (1 + below(5)), count = 1 + below(9), top = 1 + below(50);
        std::vector<float> values(n * width);
        for (float& x : values) x = static_cast<float>(below(7)) - 3;  // whole numbers: no rounding
        std::vector<i64> starts(count + 1, static_cast<i64>(n)), ids(n), first(n), queries, lists;
        for (u64 i = 0; i < count; ++i) starts[i] = static_cast<i64>(n * i / count);
        for (u64 i = 0; i < n; ++i) {
            ids[i] = static_cast<i64>(i), first[i] = static_cast<i64>(below(count));
            for (u64 list = 0; list < count; ++list)
                if (below(2) && static_cast<i64>(list) != first[i])
                    queries.push_back(static_cast<i64>(i)), lists.push_back(static_cast<i64>(list));
        }
        const Array<float> held = exact(values);
        const Array<i64> held_starts = exact(starts), held_ids = exact(ids), held_first = exact(first),
                         held_queries = exact(queries), held_lists = exact(lists);
        const vectors::Table table{n, width, held.data.get()};
        const vectors::Far<float> far{held.data.get(), held.data.get(), width, nullptr, nullptr};
        const vectors::Lists searched{
            count,          held_starts.data.get(),  held_ids.data.get(),  held_first.data.get(),
            queries.size(), held_queries.data.get(), held_lists.data.get()};
        const vectors::Nearest nearest = vectors::nearest_in_lists(
            table, searched, table, far, {vectors::Kind::differences, 1.0001, 0.0001}, top, 1 + round % 2);
        std::vector<std::vector<std::pair<double, i64>>> met(n);
        const auto search = [&](u64 query, u64 list) {
            for (i64 row = starts[list]; row < starts[list + 1]; ++row)
                met[query].push_back({far.of(query, static_cast<u64>(row)), row});
        };
        for (u64 i = 0; i < n; ++i) search(i, static_cast<u64>(first[i]));
        for (u64 i = 0; i < queries.size(); ++i) search(static_cast<u64>(queries[i]), static_cast<u64>(lists[i]));
        for (u64 a = 0; a < n; ++a) {
            std::sort(met[a].begin(), met[a].end());
            for (u64 i = 0; i < top; ++i)
                EXPECT(nearest.rows[a * top + i] == (i < met[a].size() ? met[a][i].second : -1));
        }
    }
}

void test_near_bits() {
    for (int round = 0; round < 30; ++round) {
        const u64 n = below(300), words = 1 + below(9), bands = 1 + below(4), most = 20 * words;
        std::vector<u64> values(n * words);
        for (u64& x : values) x = random_source();
        const Array<u64> held = exact(values);
        const vectors::Bits bits{n, words, held.data.get(), most};
        const Array<u32> keys = vectors::keys(bits, 64 * words, bands, 1 + below(3), below(9), 2);
        const vectors::Keys keyed{n, bands, keys.data.get()};
        std::set<std::pair<i64, i64>> wanted;
        for (u64 a = 0; a < n; ++a)
            for (u64 b = a + 1; b < n; ++b) {
                u64 differing = 0;
                for (u64 j = 0; j < words; ++j)
                    differing += static_cast<u64>(__builtin_popcountll(values[a * words + j] ^ values[b * words + j]));
                if (differing <= most && vectors::met_before(keyed, a, b, bands)) wanted.insert({i64(a), i64(b)});
            }
        EXPECT(pairs_of(vectors::near(bits, keyed, 1 + round % 2, {~0ull})) == wanted);
    }
}

void test_bits_within_a_distance() {
    for (int round = 0; round < 60; ++round) {
        const u64 n = below(300), m = below(200), words = 1 + below(5), distance = below(round % 10 ? 12 : 64 * words);
        std::vector<u64> values((n + m) * words);
        for (u64& x : values) x = random_source() & (round % 3 ? ~0ull : random_source());
        for (u64 i = 1; i < n + m; ++i)  // many rows are near others
            if (below(2)) {
                std::copy_n(&values[below(i) * words], words, &values[i * words]);
                for (u64 turned = below(4); turned > 0; --turned) values[i * words + below(words)] ^= 1ull << below(64);
            }
        const Array<u64> one = exact(std::vector<u64>(values.begin(), values.begin() + i64(n * words)));
        const Array<u64> two = exact(std::vector<u64>(values.begin() + i64(n * words), values.end()));
        const vectors::Bits left{n, words, one.data.get()}, right{m, words, two.data.get()};
        std::set<std::pair<i64, i64>> inside, between;
        for (u64 a = 0; a < n; ++a)
            for (u64 b = a + 1; b < n + m; ++b) {
                u64 differing = 0;
                for (u64 j = 0; j < words; ++j)
                    differing += static_cast<u64>(__builtin_popcountll(values[a * words + j] ^ values[b * words + j]));
                if (differing <= distance)
                    b < n ? inside.insert({i64(a), i64(b)}) : between.insert({i64(a), i64(b - n)});
            }
        EXPECT(pairs_of(vectors::within_distance(left, nullptr, distance, 1 + round % 2, ~0ull)) == inside);
        EXPECT(pairs_of(vectors::within_distance(left, &right, distance, 1 + round % 2, ~0ull)) == between);
    }
}

}  // namespace
