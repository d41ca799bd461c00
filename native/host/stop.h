// Long loops can be stopped. The thread that called asks its owner now and then whether to go on; when it is told to
// stop, all threads of the call leave at their next checkpoint. Other calls, of other threads, go on.
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

struct Asking {                             // the state of one thread
    std::atomic<bool>* stopping = nullptr;  // of the call that it works for
    bool caller = false;
    std::chrono::steady_clock::time_point last{};
};
inline thread_local Asking asking;

// Marks this thread as the one that called, for as long as it lives. Whoever is asked may call in turn.
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
    if (!asking.caller || !ask_to_go_on) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - asking.last < std::chrono::milliseconds(50)) return;
    asking.last = now;
    try {
        ask_to_go_on();
    } catch (...) {
        *asking.stopping = true;
        throw;
    }
}

}  // namespace lookalike
