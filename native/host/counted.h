// How far a long loop has come, for the progress display. Another thread reads the numbers while the loop runs; they
// change no result. If two calls run at the same time, the numbers are those of one of them.
#pragma once
#include <atomic>

#include "../core/base.h"

namespace lookalike {

inline std::atomic<u64> steps_done{0}, steps_total{0};  // total is 0 if no loop is counted

// Counts the steps of a loop during the object's lifetime.
class Counted {
  public:
    explicit Counted(u64 total) {
        steps_done.store(0, std::memory_order_relaxed);
        steps_total.store(total, std::memory_order_relaxed);
    }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
    ~Counted() { steps_total.store(0, std::memory_order_relaxed); }

    void add(u64 steps) { steps_done.fetch_add(steps, std::memory_order_relaxed); }
};

}  // namespace lookalike
