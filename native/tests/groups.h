// Groups: similar sets are in one group, with any number of threads, in memory or in a file.
#pragma once
#include <cstdio>

#include "../host/exact/groups.h"
#include "checks.h"

namespace {

void test_similar_sets_are_in_one_group() {
    for (int round = 0; round < 100; ++round) {
        std::vector<u64> values;
        std::vector<i64> offsets{0};
        const u64 rows = below(300), elements = below(2) ? 40 : 100'000;
        for (u64 i = 0; i < rows; ++i) {
            std::vector<u64> set;
            if (i > 0 && below(2)) {
                const u64 from = below(i);
                set.assign(values.begin() + offsets[from], values.begin() + offsets[from + 1]);
            } else {
                for (u64 n = below(20); n > 0; --n) set.push_back(below(elements));
            }
            if (below(2)) set.push_back(below(elements));
            std::sort(set.begin(), set.end());
            set.erase(std::unique(set.begin(), set.end()), set.end());
            values.insert(values.end(), set.begin(), set.end());
            offsets.push_back(static_cast<i64>(values.size()));
        }
        const Sets sets{rows, offsets.data(), values.data(), values.size()};
        const Threshold threshold{1 + below(10), 10};
        const int threads = 1 + static_cast<int>(below(3));
        Groups groups(threshold, rows, values.size(), below(2) ? 0 : 100'000);
        groups.count(sets, threads);
        std::FILE* const file = std::tmpfile();
        if (file && below(2)) groups.spill(fileno(file), below(2) ? 0 : 1000);
        groups.add(sets, threads);
        const Array<i64> labels = groups.labels(threads);
        u64 checked = 0;
        for (u64 i = 0; i < rows; ++i)
            for (u64 j = 0; j < i; ++j)
                if (sets.size(i) > 0 && sets.similar(i, j, threshold, checked)) EXPECT(labels[i] == labels[j]);
        if (file) std::fclose(file);
    }
}

}  // namespace
