// Threads that stay together for as long as a call lasts: its loops follow one another closely, and many are over
// before threads that were started for them would be there.
//
// A team is a variable of the thread that calls: when the call is over it is gone, and nothing is left for a fork, an
// exit or another call to trip over. Its threads are started when there is a first loop for them. Whoever has no team,
// as those who are at work in a loop, makes one for each loop.
#pragma once
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "../core/base.h"

namespace lookalike {

class Team {
  public:
    using Work = std::function<void(u32 worker)>;  // throws nothing

    Team() : before_(std::exchange(ours_, this)) {}
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    ~Team() {
        ours_ = before_;
        change([this] { leaving_ = true; });
        begun_.notify_all();
        for (std::thread& other : others_) other.join();
    }

    // Calls work(0) here and work(1) … work(workers − 1) on other threads; but those that come when work(0) is through,
    // or that the machine does not give, are left out: whoever is there does all that there is to do.
    static void together(u32 workers, const Work& work) {
        if (!ours_) {
            const Team for_once;
            return together(workers, work);
        }
        Team* const team = std::exchange(ours_, nullptr);  // whoever is at work has none
        team->run(workers, work);
        ours_ = team;
    }

  private:
    void run(u32 workers, const Work& work) {
        try {
            while (others_.size() + 1 < workers) others_.emplace_back(&Team::serve, this, others_.size() + 1);
        } catch (const std::system_error&) {  // the machine gives no more threads
        } catch (const std::bad_alloc&) {     // nor memory to list them
        }
        change([&] {
            work_ = &work;
            workers_ = workers;
            ++loop_;
        });
        begun_.notify_all();
        work(0);
        change([this] { work_ = nullptr; });
        spin([this] { return inside_ == 0; });
        std::unique_lock<std::mutex> lock(mutex_);
        over_.wait(lock, [this] { return inside_ == 0; });
    }

    void serve(u64 worker) {
        u64 last = 0;
        const auto called = [&] { return leaving_ || (loop_ != last && worker < workers_); };
        for (;;) {
            spin(called);
            std::unique_lock<std::mutex> lock(mutex_);
            begun_.wait(lock, called);
            if (leaving_) return;
            last = loop_;
            const Work* const work = work_;
            if (!work) continue;  // too late
            ++inside_;
            lock.unlock();
            (*work)(static_cast<u32>(worker));
            lock.lock();
            if (--inside_ == 0) over_.notify_one();
        }
    }

    template <class Change>
    void change(Change&& make) {
        const std::lock_guard<std::mutex> lock(mutex_);
        make();
    }

    // The next loop, and the end of one, are mostly near: to sleep and be woken would take longer.
    template <class Condition>
    static void spin(Condition&& condition) {
        for (int i = 0; i < 100 && !condition(); ++i) std::this_thread::yield();
    }

    static inline thread_local Team* ours_ = nullptr;  // of this thread, while it is not at work
    Team* const before_;
    std::vector<std::thread> others_;
    std::mutex mutex_;
    std::condition_variable begun_, over_;
    const Work* work_ = nullptr;
    std::atomic<u64> loop_{0};  // the number of the current one
    std::atomic<u32> workers_{0}, inside_{0};
    std::atomic<bool> leaving_{false};
};

}  // namespace lookalike
