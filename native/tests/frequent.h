// Frequent pairs: random baskets, memory limits and thread counts, compared with a map of counts.
#pragma once
#include <map>

#include "../host/frequent/passes.h"
#include "checks.h"

namespace {

std::map<u64, u32> pairs_of(const std::vector<std::set<u32>>& baskets, const std::map<u32, u32>& rank, u32 support) {
    std::map<u64, u32> counts;
    for (const auto& basket : baskets)
        for (const u32 a : basket)
            for (const u32 b : basket)
                if (rank.count(a) && rank.count(b) && rank.at(a) < rank.at(b))
                    ++counts[frequent::pair_of(rank.at(a), rank.at(b))];
    std::erase_if(counts, [support](const auto& entry) { return entry.second < support; });
    return counts;
}

template <class Pass>
void feed(Pass& pass, const std::string& text, int threads) {
    const u64 middle = text.find('\n', text.size() / 2) + 1;  // npos + 1 is 0
    for (const auto& [begin, end] : {std::pair<u64, u64>{0, middle}, {middle, text.size()}}) {
        const Array<u8> block = exact(std::vector<u8>(text.begin() + i64(begin), text.begin() + i64(end)));
        pass.take(frequent::Text{block.data.get(), block.size, 0}, threads);
    }
}

void test_frequent_pairs() {
    for (int round = 0; round < 60; ++round) {
        const u32 support = 1 + static_cast<u32>(below(4)), kinds = 2 + static_cast<u32>(below(400));
        const int threads = 1 + round % 3;
        std::vector<std::set<u32>> baskets(below(80));
        std::string text;
        for (auto& basket : baskets) {
            for (u64 n = below(20); n > 0; --n) {
                const u32 item = static_cast<u32>(below(kinds) * (round % 2 ? 1 : 1000003));
                basket.insert(item);
                text += (round % 5 ? "" : "a longer name ") + std::to_string(item) + " ";
            }
            text += "\n";
        }
        if (round % 5 == 0) continue;  // items of several words: only a test of memory safety
        frequent::FirstPass first(below(3000), below(4000), 1, 3 + static_cast<u32>(below(10)), 1);
        std::map<std::string, u32> found;
        for (bool again = true; again; again = first.has_more() ? (first.next(), true) : false) {
            feed(first, text, threads);
            frequent::Items items = first.frequent(support);
            for (u64 i = 0; i + 1 < items.offsets.size(); ++i)
                found[std::string(items.text.begin() + items.offsets[i], items.text.begin() + items.offsets[i + 1])] =
                    static_cast<u32>(items.counts[i]);
        }
        std::map<u32, u32> rank;
        std::vector<u8> names;
        std::vector<i64> ends{0};
        for (const auto& [name, count] : found) {
            const u32 item = static_cast<u32>(std::stoul(name));
            u32 real = 0;
            for (const auto& basket : baskets) real += static_cast<u32>(basket.count(item));
            EXPECT(real == count);
            rank[item] = static_cast<u32>(rank.size());
            names.insert(names.end(), name.begin(), name.end());
            ends.push_back(static_cast<i64>(names.size()));
        }
        const auto expected = pairs_of(baskets, rank, support);
        u64 frequent_buckets = 0;
        const Array<u8> bits = first.buckets[0].bitmap(support, frequent_buckets);
        for (const bool triangle : {true, false}) {
            std::vector<frequent::Bitmap> bitmaps;
            if (round % 2) bitmaps.emplace_back(first.buckets[0].bucketing, bits.data.get(), bits.size);
            frequent::PairPass pass(names.data(), ends.data(), rank.size(), std::move(bitmaps), below(9000),
                                    below(4000));
            triangle ? pass.count_triangle(threads) : pass.count_triples();
            std::map<u64, u32> counted;
            for (bool again = true; again; again = pass.has_more() ? (pass.next(), true) : false) {
                feed(pass, text, threads);
                frequent::Counted part = pass.finish(support);
                for (u64 k = 0; k < part.pairs.size(); ++k) counted[part.pairs[k]] = part.counts[k];
            }
            EXPECT(counted == expected);
        }
    }
}

}  // namespace
