// Interrupting long loops. The calling thread polls `check_interrupt` now and then; if that throws, all threads working
// on the call leave at their next checkpoint. Calls made by other threads are not affected.
#pragma once
#include <atomic>
#include <chrono>
#include <exception>

namespace lookalike {

struct Stopped : std::exception {
    const char* what() const noexcept override { return "stopped"; }
};

// Throws if the call should be interrupted. Set by the bindings; if not set, no call is interrupted.
inline void (*check_interrupt)() = nullptr;

struct Asking {                             // per-thread state
    std::atomic<bool>* stopping = nullptr;  // of the call that it works for
    bool caller = false;
    std::chrono::steady_clock::time_point last{};
};
inline thread_local Asking asking;

// Marks this thread as the calling one during the object's lifetime. Nested calls are allowed: `check_interrupt` may
// make one.
class Caller {
  public:
    Caller() : before_(asking) { asking = {&stopping_, true, std::chrono::steady_clock::now()}; }
    Caller(const Caller&) = delete;
    Caller& operator=(const Caller&) = delete;
    ~Caller() { asking = before_; }

  private:
    const Asking before_;
    std::atomic<bool> stopping_{false};
};

inline void checkpoint() {
    if (!asking.stopping) return;
    if (asking.stopping->load(std::memory_order_relaxed)) throw Stopped();
    if (!asking.caller || !check_interrupt) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - asking.last < std::chrono::milliseconds(50)) return;
    asking.last = now;
    try {
        check_interrupt();
    } catch (...) {
        *asking.stopping = true;
        throw;
    }
}

}  // namespace lookalike
