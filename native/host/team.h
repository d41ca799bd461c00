// A pool of threads for the duration of one call. The loops of a call follow one another closely, and many are shorter
// than the start of a thread.
//
// A team is a local variable of the calling thread: it ends with the call, so that no threads remain that a fork, an
// exit or another call would have to handle. Its threads are started at the first loop. A thread without a team, for
// example one that is working in a loop, creates a team per loop.
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
    using Work = std::function<void(u32 worker)>;  // must not throw

    Team() : before_(std::exchange(ours_, this)) {}
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    ~Team() {
        ours_ = before_;
        change([this] { leaving_ = true; });
        begun_.notify_all();
        for (std::thread& other : others_) other.join();
    }

    // Calls work(0) here and work(1) … work(workers − 1) on other threads. Threads that cannot be started, or that
    // start only after work(0) has finished, are left out: the others do all of the work.
    static void together(u32 workers, const Work& work) {
        if (!ours_) {
            const Team for_once;
            return together(workers, work);
        }
        Team* const team = std::exchange(ours_, nullptr);  // a working thread has no team
        team->run(workers, work);
        ours_ = team;
    }

  private:
    void run(u32 workers, const Work& work) {
        try {
            while (others_.size() + 1 < workers) others_.emplace_back(&Team::serve, this, others_.size() + 1);
        } catch (const std::system_error&) {  // no more threads can be started
        } catch (const std::bad_alloc&) {     // or there is no memory for them
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

    // Spins first: the next loop, or the end of this one, is usually so close that sleeping would take longer.
    template <class Condition>
    static void spin(Condition&& condition) {
        for (int i = 0; i < 100 && !condition(); ++i) std::this_thread::yield();
    }

    static inline thread_local Team* ours_ = nullptr;  // this thread's team; null while it is working
    Team* const before_;
    std::vector<std::thread> others_;
    std::mutex mutex_;
    std::condition_variable begun_, over_;
    const Work* work_ = nullptr;
    std::atomic<u64> loop_{0};  // number of the current loop
    std::atomic<u32> workers_{0}, inside_{0};
    std::atomic<bool> leaving_{false};
};

}  // namespace lookalike
