// Long loops can be stopped. The thread that called asks its owner now and then whether to go on; when it is told to stop,
// all threads of the call leave at their next checkpoint.
#pragma once
#include <atomic>
#include <chrono>
#include <exception>

namespace lookalike {

struct Stopped : std::exception {
    const char* what() const noexcept override { return "stopped"; }
};

// Throws if the owner wants to stop. Set by the bindings; without it nothing ever stops.
inline void (*ask_to_go_on)() = nullptr;

struct Asking {  // the state of one thread
    bool caller = false;
    std::chrono::steady_clock::time_point last{};
};
inline thread_local Asking asking;
inline std::atomic<bool> stopping{false};

// Marks this thread as the one that called, for as long as it lives.
class Caller {
  public:
    Caller() {
        asking = {true, std::chrono::steady_clock::now()};
        stopping = false;
    }
    ~Caller() { asking.caller = false; }
};

inline void checkpoint() {
    if (stopping.load(std::memory_order_relaxed)) throw Stopped();
    if (!asking.caller || !ask_to_go_on) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - asking.last < std::chrono::milliseconds(50)) return;
    asking.last = now;
    try {
        ask_to_go_on();
    } catch (...) {
        stopping = true;
        throw;
    }
}

}  // namespace lookalike
