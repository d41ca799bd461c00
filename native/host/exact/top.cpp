// The most similar sets of each set: a join in which, for each probe, the threshold rises to the worst similarity kept.
#include "../counted.h"
#include "../threads.h"
#include "join.h"

namespace lookalike {

namespace {

struct Near {
    u32 row, record;
    u64 common;
};

// The best rows found so far for one probe: a heap with the worst of them on top.
class Best {
  public:
    Best(const Measure& measure, const Records& others, u64 a, u64 top)
        : threshold_(measure), others_(others), a_(a), top_(top) {}

    const Measure& threshold() const { return threshold_; }

    // Records of one size ascend by their first row: if this one can at best tie with the worst row kept, and loses the
    // tie, so do the later ones. Without this test, many sets of equal similarity would all be compared.
    bool hopeless(u32 record, u64 left) const {
        if (heap_.size() < top_) return false;
        const u64 common = std::min(left, others_.size(record));
        return !before({others_.copies(record)[0], record, common}, heap_.front());
    }

    void offer(u32 record, u64 common) {
        const auto order = [this](const Near& x, const Near& y) { return before(x, y); };
        for (u64 i = 0; i < std::min(top_, others_.copy_count(record)); ++i) {
            const Near near{others_.copies(record)[i], record, common};
            if (heap_.size() == top_) {
                if (!before(near, heap_.front())) return;  // copies have higher rows and lose as well
                std::pop_heap(heap_.begin(), heap_.end(), order);
                heap_.pop_back();
            }
            heap_.push_back(near);
            std::push_heap(heap_.begin(), heap_.end(), order);
        }
        if (heap_.size() == top_) threshold_ = at(heap_.front());
    }

    void sort() {
        std::sort(heap_.begin(), heap_.end(), [this](const Near& x, const Near& y) { return before(x, y); });
    }
    const std::vector<Near>& rows() const { return heap_; }

  private:
    Measure at(const Near& near) const { return threshold_.at(a_, others_.size(near.record), near.common); }
    // More similar; or equally similar, with a smaller row.
    bool before(const Near& x, const Near& y) const {
        const bool reaches = at(y).reached(a_, others_.size(x.record), x.common);
        const bool reached = at(x).reached(a_, others_.size(y.record), y.common);
        return reaches == reached ? x.row < y.row : reaches;
    }
    Measure threshold_;
    const Records& others_;
    u64 a_, top_;
    std::vector<Near> heap_;
};

}  // namespace

ExactPairs exact_top(const Sets& left, const Sets* right, const Measure& measure, u64 top, int threads, u64 most) {
    check_exact(left);
    if (right) check_exact(*right);
    require(top >= 1, "top must be at least 1, got 0");
    const Codes codes(left, right, threads);
    Records records(left, threads);
    records.cut(codes, threads, [&](u64 size) { return measure.prefix(size); });
    std::unique_ptr<Records> second;
    if (right || measure.kind == Measure::Kind::containment) {  // the two sides have different prefixes
        second = std::make_unique<Records>(right ? *right : left, threads);
        second->cut(codes, threads, [&](u64 size) { return measure.prefix_of_second(size); });
    }
    const Records& others = second ? *second : records;

    ExactPairs result;
    result.records = records.count() + (right ? others.count() : 0);
    std::vector<Best> best;
    const u64 kept = top + (right ? 0 : 1), selves = right ? 0 : left.rows;  // a row finds itself too
    std::atomic<u64> held{0};
    for (u64 r = 0; r < records.count(); ++r) best.emplace_back(measure, others, records.size(r), kept);
    struct alignas(64) Worker {
        Counters counters;
        u64 compared = 0;
    };
    constexpr u64 chunk = 64;
    std::vector<Worker> workers(static_cast<u64>(std::max(threads, 1)));
    const u64 words = parity_words(measure, others);
    for (u32 begin = 0; begin < others.count();) {
        const Index index = index_records(others, codes.count(), begin, words, threads,
                                          [&](u64 size) { return measure.prefix_of_second(size); });
        std::vector<std::unique_ptr<Probe>> states(workers_for(records.count(), chunk, threads));
        Counted counted(records.count());
        parallel_for(records.count(), chunk, threads, [&](u32 w, u64 from, u64 to) {
            counted.add(to - from);
            if (!states[w]) states[w] = std::make_unique<Probe>(index, others, codes.count(), false);
            u64 grown = 0;
            for (u64 i = from; i < to; ++i) {
                const u32 r = static_cast<u32>(i);
                const u64 a = records.size(r);
                const Measure& threshold = best[r].threshold();
                const auto compare = [&](u32 other) {
                    ++workers[w].compared;
                    const u64 b = others.size(other), needed = threshold.needed(a, b);
                    const u64 o = intersection(records.elements(r), a, others.elements(other), b, needed);
                    if (o >= needed && o > 0) best[r].offer(other, o);
                };
                const u64 before = best[r].rows().size();
                states[w]->run(records, r, measure.least_size(a), best[r], workers[w].counters, compare);
                grown += (best[r].rows().size() - before) * records.copy_count(r);
            }
            const u64 now = held += grown;
            if (now > selves && now - selves > most) throw std::overflow_error("too many pairs");
        });
        begin = index.end;
    }
    for (const Worker& worker : workers) {
        result.counters.met += worker.counters.met;
        result.counters.candidates += worker.counters.candidates;
        result.compared += worker.compared;
    }
    for (Best& each : best) each.sort();
    const auto each = [&](u64 row, auto&& put) {
        u64 given = 0;
        for (const Near& near : best[records.record(row)].rows())
            if ((right || near.row != row) && given++ < top) put(near);
    };
    std::vector<u64> ends(left.rows + 1);
    for (u64 row = 0; row < left.rows; ++row) {
        u64 count = 0;
        each(row, [&](const Near&) { ++count; });
        ends[row + 1] = ends[row] + count;
    }
    const u64 total = ends[left.rows];
    result.pairs = {Array<i64>(total), Array<i64>(total), Array<i64>(total)};
    for (u64 row = 0; row < left.rows; ++row) {
        u64 at = ends[row];
        each(row, [&](const Near& near) {
            result.pairs.left[at] = static_cast<i64>(row);
            result.pairs.right[at] = near.row;
            result.pairs.common[at++] = static_cast<i64>(near.common);
        });
    }
    return result;
}

}  // namespace lookalike
