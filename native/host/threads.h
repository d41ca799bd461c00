// A loop over 0 … n, in chunks, on several threads. The result of a chunk must not depend on the thread.
#pragma once
#include <atomic>
#include <exception>
#include <mutex>

#include "../core/base.h"
#include "stop.h"
#include "team.h"

namespace lookalike {

// The number of workers that a loop over n items in chunks of this size can use. Loops with one state per worker call
// this first.
inline u32 workers_for(u64 n, u64 chunk, int threads) {
    const u64 chunks = n / chunk + (n % chunk != 0);
    const u64 wanted = threads < 1 ? 1 : static_cast<u64>(threads);
    return static_cast<u32>(wanted < chunks ? wanted : chunks ? chunks : 1);
}

// Calls work(worker, begin, end) until 0 … n is done. The first exception stops the loop and is thrown here.
template <class Work>
void parallel_for(u64 n, u64 chunk, int threads, Work&& work) {
    const u32 workers = workers_for(n, chunk, threads);
    if (workers == 1) {
        for (u64 begin = 0; begin < n; begin += chunk) {
            checkpoint();
            work(0u, begin, n - begin < chunk ? n : begin + chunk);
        }
        return;
    }
    std::atomic<u64> next{0};
    std::exception_ptr failure;
    std::mutex failing;
    std::atomic<bool>* const stopping = asking.stopping;
    const auto loop = [&](u32 worker) {
        if (worker > 0) asking.stopping = stopping;  // this thread works for the same call
        try {
            for (u64 begin; (begin = next.fetch_add(chunk)) < n;) {
                checkpoint();
                work(worker, begin, begin + chunk < n ? begin + chunk : n);
            }
        } catch (const Stopped&) {  // another worker's exception has the reason
            next = n;
        } catch (...) {
            const std::lock_guard<std::mutex> lock(failing);
            if (!failure) failure = std::current_exception();
            next = n;
        }
    };
    Team::together(workers, std::ref(loop));
    if (failure) std::rethrow_exception(failure);
    checkpoint();
}

}  // namespace lookalike
