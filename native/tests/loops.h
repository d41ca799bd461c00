// Parallel loops: nested ones, one after another, and ones that throw.
#pragma once
#include <algorithm>
#include <atomic>

#include "../host/threads.h"
#include "checks.h"
#include "exact.h"

namespace {

void test_exceptions_leave_threads() {
    for (const int threads : {1, 4})
        EXPECT(refused([&] { parallel_for(1000, 1, threads, [](u32, u64 i, u64) { require(i != 500, "no 500"); }); }));
}

void test_a_team_does_loop_after_loop() {
    const Team team;
    for (int round = 0; round < 200; ++round) {
        const int threads = 1 + static_cast<int>(below(5));
        const u64 n = below(300), chunk = 1 + below(20);
        std::vector<u32> times(n);
        std::atomic<u64> inner{0};
        parallel_for(n, chunk, threads, [&](u32 worker, u64 begin, u64 end) {
            EXPECT(worker < workers_for(n, chunk, threads) && begin < end && end <= n);
            for (u64 i = begin; i < end; ++i) ++times[i];
            if (begin > 0) return;
            parallel_for(5, 1, 2, [&](u32, u64 i, u64) {  // nested loops start new threads
                parallel_for(2, 1, 2, [&](u32, u64 j, u64) { inner += i * j; });
            });
        });
        EXPECT(inner == (n ? 10 : 0));
        EXPECT(std::count(times.begin(), times.end(), 1u) == static_cast<std::ptrdiff_t>(n));
    }
    test_exceptions_leave_threads();
    test_exact_joins_agree_with_the_definition();
}

}  // namespace
