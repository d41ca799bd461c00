#include "winnow.h"

#include <algorithm>

#include "check.h"
#include "cutter.h"
#include "threads.h"

namespace lookalike {

namespace {

constexpr u64 kAtOnce = 32;  // documents per chunk
constexpr u64 kMostRun = 1 << 16;

// Shingles are hashes, and are stored as such. Chosen by their own values, they would all be small, and searches in
// sorted keys would start in the wrong place.
u64 order_of(u64 shingle) { return shingle * kGolden; }

// The least shingles of the runs of a document, which is added in one or more pieces.
class Winnower {
  public:
    explicit Winnower(u64 run) : run_(run) {}

    void clear() {
        waiting_.clear();
        chosen_.clear();
        is_short_ = true;
    }
    void add(const u64* shingles, u64 n) {
        const u64 before = waiting_.size();
        waiting_.resize(before + n);
        std::copy_n(shingles, n, waiting_.data() + before);
        const u64 all = waiting_.size();
        if (all < run_) return;
        is_short_ = false;
        choose(waiting_.data(), all);
        std::copy_n(waiting_.data() + all - (run_ - 1), run_ - 1, waiting_.data());
        waiting_.resize(run_ - 1);
    }
    // The shingles that were chosen, ascending and distinct.
    Buffer<u64>& finish() {
        if (is_short_ && waiting_.size())
            chosen_.push(*std::min_element(waiting_.begin(), waiting_.end(),
                                           [](u64 a, u64 b) { return order_of(a) < order_of(b); }));
        std::sort(chosen_.begin(), chosen_.end());
        chosen_.resize(static_cast<u64>(std::unique(chosen_.begin(), chosen_.end()) - chosen_.begin()));
        return chosen_;
    }

  private:
    // The least shingle is compared with the one that enters the run, and looked for again when it has left it.
    void choose(const u64* shingles, u64 n) {
        u64 best = 0, least = 0;
        for (u64 begin = 0; begin + run_ <= n; ++begin) {
            const u64 last = begin + run_ - 1, entering = order_of(shingles[last]);
            if (begin == 0 || best < begin) {
                best = begin, least = order_of(shingles[begin]);
                for (u64 i = begin + 1; i <= last; ++i)
                    if (order_of(shingles[i]) <= least) best = i, least = order_of(shingles[i]);
            } else if (entering <= least) {
                best = last, least = entering;
            } else {
                continue;
            }
            chosen_.push(shingles[best]);
        }
    }

    const u64 run_;
    Buffer<u64> waiting_, chosen_;  // the last shingles, whose runs are not complete; and the result
    bool is_short_ = true;
};

}  // namespace

ShingleTable winnow(const Documents& documents, const Shingling& shingling, u64 run, int threads) {
    documents.check();
    shingling.check();
    require(run >= 1 && run <= kMostRun, "a run must lie in 1 … 65536, got " + std::to_string(run));
    const u64 rows = documents.rows;
    ShingleTable table;
    table.offsets = Array<i64>(rows + 1);
    table.offsets[0] = 0;
    std::vector<Buffer<u64>> parts(rows / kAtOnce + 1);
    struct Worker {
        Cutter cutter;
        Winnower winnower;
    };
    std::vector<std::unique_ptr<Worker>> workers(workers_for(rows, kAtOnce, threads));
    for (auto& worker : workers) worker.reset(new Worker{Cutter(shingling), Winnower(run)});
    parallel_for(rows, kAtOnce, threads, [&](u32 number, u64 begin, u64 end) {
        auto& [cutter, winnower] = *workers[number];
        Buffer<u64>& part = parts[begin / kAtOnce];
        for (u64 i = begin; i < end; ++i) {
            winnower.clear();
            const auto add = [&] { winnower.add(cutter.windows(), cutter.window_count()); };
            if (cutter.is_huge(documents, i)) {
                cutter.each_block(documents, i, add);
                cutter.free();
            } else {
                cutter.cut_in_order(documents, i);
                add();
            }
            Buffer<u64>& chosen = winnower.finish();
            const u64 at = part.size();
            part.resize(at + chosen.size());
            std::copy_n(chosen.data(), chosen.size(), part.data() + at);
            table.offsets[i + 1] = static_cast<i64>(chosen.size());
        }
    });
    for (u64 i = 0; i < rows; ++i) table.offsets[i + 1] += table.offsets[i];
    table.values = Array<u64>(static_cast<u64>(table.offsets[rows]));
    for (u64 p = 0; p < parts.size(); ++p)
        std::copy_n(parts[p].data(), parts[p].size(),
                    table.values.begin() + table.offsets[std::min(rows, p * kAtOnce)]);
    return table;
}

}  // namespace lookalike
