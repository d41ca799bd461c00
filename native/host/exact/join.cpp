#include "join.h"

#include "../counted.h"
#include "../threads.h"

namespace lookalike {

Measure check_measure(const std::string& name, i64 p, i64 q) {
    using Kind = Measure::Kind;
    if (name == "overlap" || name == "hamming") {
        const i64 least = name == "overlap";
        require(p >= least && p < (1ll << 31), "a count for " + name + " must lie in " + std::to_string(least) +
                                                   " … 2147483647, got " + std::to_string(p));
        return {name == "overlap" ? Kind::overlap : Kind::hamming, static_cast<u64>(p), 1};
    }
    const Threshold threshold = check_threshold(p, q);
    if (name == "jaccard") return {Kind::jaccard, threshold.p, threshold.q};
    if (name == "dice") return {Kind::dice, threshold.p, threshold.q};
    if (name == "cosine") return {Kind::cosine, threshold.p * threshold.p, threshold.q * threshold.q};
    require(name == "containment",
            "measure must be jaccard, dice, cosine, overlap, containment or hamming, got " + name);
    return {Kind::containment, threshold.p, threshold.q};
}

void check_exact(const Sets& sets) {
    sets.check();
    u64 largest = 0;
    for (u64 i = 0; i < sets.rows; ++i) largest = std::max(largest, sets.size(i));
    require(largest < (1ull << 31), "a set to be joined has fewer than 2147483648 elements");
}

u64 parity_words(const Measure& measure, const Records& records) {
    u64 total = 0;
    for (u64 r = 0; r < records.count(); ++r) total += records.size(r);
    const u64 mean = records.count() ? total / records.count() : 0;
    const u64 may_differ = most_differing(measure, mean, mean);
    for (u64 words = 1; words < 4; words *= 2) {
        // Two sets that share little differ in about n/2·(1 − e^(−4·mean/n)) of n bits.
        const double n = 64.0 * static_cast<double>(words), x = 1 + 4 * static_cast<double>(mean) / n / 64;
        double power = x;
        for (int i = 0; i < 6; ++i) power *= power;  // x⁶⁴ ≈ e^(4·mean/n), the same on every machine
        const double differ = n / 2 * (1 - 1 / power), most = static_cast<double>(may_differ);
        if (differ >= most + 2 * std::sqrt(most)) return words;
    }
    return 4;
}

namespace {

struct alignas(64) Worker {  // aligned to a cache line: its counters change often
    std::vector<Edge> edges;
    Counters counters;
    u64 compared = 0, uncounted = 0;
};

class Join {
  public:
    Join(const Records& probes, const Records& indexed, const Measure& measure, int threads, u64 most)
        : probes_(probes),
          indexed_(indexed),
          self_(&probes == &indexed),
          measure_(measure),
          directed_(measure),
          most_(most),
          threads_(threads),
          workers_(static_cast<u64>(std::max(threads, 1))) {
        measure_.symmetric = self_;
    }

    void run(u64 codes) {
        if (self_) equal_pairs();
        if (self_ && measure_.only_equal()) return;
        const u64 words = parity_words(measure_, indexed_);
        for (u32 begin = indexed_.first_cut(); begin < indexed_.count();) {
            const Index index = index_records(indexed_, codes, begin, words, threads_, [&](u64 size) {
                return self_ ? measure_.prefix_among_larger(size) : measure_.prefix_of_second(size);
            });
            probe(index, codes);
            begin = index.end;
        }
        if (measure_.kind == Measure::Kind::hamming) small_pairs();
    }

    ExactPairs result() {
        ExactPairs result;
        result.records = probes_.count() + (self_ ? 0 : indexed_.count());
        Edges found;
        for (Worker& worker : workers_) {
            result.counters.met += worker.counters.met;
            result.counters.candidates += worker.counters.candidates;
            result.compared += worker.compared;
            total_ += worker.uncounted;
            found.push_back(std::move(worker.edges));
        }
        if (total_ > most_) throw std::overflow_error("too many pairs");
        const Rows which = !self_ ? Rows::all : both_ways() ? Rows::different : Rows::ascending;
        result.pairs = expand(found, probes_, indexed_, equal_from(), which, threads_);
        return result;
    }

  private:
    static constexpr u64 kChunk = 64;

    void probe(const Index& index, u64 codes) {
        const u64 first = self_ ? index.begin + 1 : probes_.first_cut();
        const u64 n = probes_.count() > first ? probes_.count() - first : 0;
        std::vector<std::unique_ptr<Probe>> states(workers_for(n, kChunk, threads_));
        Counted counted(n);
        parallel_for(n, kChunk, threads_, [&](u32 w, u64 begin, u64 end) {
            counted.add(end - begin);
            if (!states[w]) states[w] = std::make_unique<Probe>(index, indexed_, codes, self_);
            for (u64 i = begin; i < end; ++i) {
                const u32 r = static_cast<u32>(first + i);
                const u64 least = measure_.least_size(probes_.size(r));
                if (indexed_.first_of_size(least) >= index.end) return;
                states[w]->run(probes_, r, least, Fixed{measure_}, workers_[w].counters, [&](u32 other) {
                    const u64 needed = measure_.needed(probes_.size(r), indexed_.size(other));
                    if (needed > 0) compare(workers_[w], r, other, needed);  // else see small_pairs
                });
            }
        });
    }

    void compare(Worker& worker, u32 r, u32 other, u64 needed) {
        ++worker.compared;
        const u64 o =
            intersection(probes_.elements(r), probes_.size(r), indexed_.elements(other), indexed_.size(other), needed);
        if (o >= needed) give(worker, r, other, o);
    }

    // Pairs that qualify without a common element (hamming), which the index cannot find.
    void small_pairs() {
        const u64 n = probes_.first_of_size(measure_.p + 1);
        parallel_for(n, kChunk, threads_, [&](u32 w, u64 begin, u64 end) {
            for (u64 i = begin; i < end; ++i) {
                const u32 r = static_cast<u32>(i), near = indexed_.first_of_size(measure_.p - probes_.size(r) + 1);
                const u32 end_of_others = self_ ? std::min(near, r) : near;
                for (u32 other = 0; other < end_of_others; ++other) compare(workers_[w], r, other, 0);
            }
        });
    }

    // Within one collection, copies of a record are pairs too, unless the set is too small to qualify. Records are
    // ordered by size: from this record on, copies are pairs.
    u64 equal_from() const {
        if (!self_) return ~0ull;
        u64 size = 0;
        while (size <= probes_.largest() && !measure_.reached(size, size, size)) ++size;
        return probes_.first_of_size(size);
    }
    void equal_pairs() {
        u64 pairs = 0;
        for (u64 r = equal_from(); r < probes_.count(); ++r)
            pairs += probes_.copy_count(r) * (probes_.copy_count(r) - 1) / 2;
        count(workers_[0], pairs * (both_ways() ? 2 : 1));
    }

    void give(Worker& worker, u32 r, u32 other, u64 o) {
        const bool forth = !both_ways() || directed_.reached(probes_.size(r), indexed_.size(other), o);
        const bool back = both_ways() && directed_.reached(indexed_.size(other), probes_.size(r), o);
        if (forth) worker.edges.push_back({r, other, static_cast<u32>(o)});
        if (back) worker.edges.push_back({other, r, static_cast<u32>(o)});
        count(worker, probes_.copy_count(r) * indexed_.copy_count(other) * (u64(forth) + u64(back)));
    }

    void count(Worker& worker, u64 pairs) {
        constexpr u64 step = 1024;  // added in steps, because all workers share the counter
        worker.uncounted += pairs;
        if (worker.uncounted < step) return;
        if ((total_ += std::exchange(worker.uncounted, 0)) > most_) throw std::overflow_error("too many pairs");
    }

    bool both_ways() const { return self_ && measure_.kind == Measure::Kind::containment; }

    const Records &probes_, &indexed_;
    bool self_;
    Measure measure_, directed_;
    u64 most_;
    int threads_;
    std::vector<Worker> workers_;
    std::atomic<u64> total_{0};
};

}  // namespace

Ordered::Ordered(const Sets& first, const Sets* second, const Measure& measure, int threads, bool ranked)
    : left(first, threads) {
    Measure either = measure;
    either.symmetric = !second;           // within one collection, a pair is found once and tested in both directions
    const auto of_left = [&](u64 size) {  // equal sets are one record and need not be found
        return second || either.can_differ(size) ? either.prefix(size) : 0;
    };
    const auto of_right = [&](u64 size) { return measure.prefix_of_second(size); };
    if (second) right = std::make_unique<Records>(*second, threads);
    if (ranked) {
        const Ranks ranks(first, second, threads);
        codes = ranks.count();
        left.cut(RankedSide{ranks, ranks.left()}, threads, of_left);
        if (second) right->cut(RankedSide{ranks, ranks.right()}, threads, of_right);
    } else {
        const Codes table(first, second, threads);
        codes = table.count();
        left.cut(table, threads, of_left);
        if (second) right->cut(table, threads, of_right);
    }
}

ExactPairs exact_pairs(const Ordered& ordered, const Measure& measure, int threads, u64 most) {
    Join join(ordered.left, ordered.right ? *ordered.right : ordered.left, measure, threads, most);
    join.run(ordered.codes);
    return join.result();
}

ExactPairs exact_pairs(const Sets& left, const Sets* right, const Measure& measure, int threads, u64 most) {
    check_exact(left);
    if (right) check_exact(*right);
    return exact_pairs(Ordered(left, right, measure, threads), measure, threads, most);
}

}  // namespace lookalike
