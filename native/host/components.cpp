// Connected components without a list of pairs: a pair is verified only while its rows are in different components.
//
// There are two passes over all buckets. The first links stars: it compares each member with the first of its bucket,
// which merges most similar rows at one comparison per member. The second compares rows that are still unmerged: pair
// by pair in small buckets, by BucketJoin in large ones. A pair that shared an earlier band is not compared again.
//
// Threads work on different buckets of one band, using the forest from before that band; the links they find are merged
// after it. Giant buckets are processed one at a time, and threads share each block of their work in the same way. So
// the number of comparisons is the same for any number of threads, too.
#include "counted.h"
#include "forest.h"
#include "join.h"
#include "similar.h"
#include "threads.h"

namespace lookalike {

namespace {

struct Edge {
    u32 a, b;
};

struct Tables {
    const Keys& keys;
    const Sets& sets;
    const Threshold& threshold;
    const Share& share;
};

// The members of one bucket, by their position in it, and their components.
class Bucket {
  public:
    Bucket(const Tables& tables, u32 band, const u32* rows, u64 n, const Forest& known, int threads)
        : tables_(tables),
          band_(band),
          rows_(rows),
          n_(n),
          giant_(n > kGiantBucket),
          threads_(giant_ ? threads : 1),
          forest_(n) {
        std::vector<std::pair<u32, u32>> known_as(n);  // root and member
        for (u32 i = 0; i < n; ++i) known_as[i] = {known.look(rows[i]), i};
        std::sort(known_as.begin(), known_as.end());
        for (u64 i = 1; i < n; ++i)
            if (known_as[i].first == known_as[i - 1].first) forest_.join(known_as[i].second, known_as[i - 1].second);
    }

    // Links members to leaders: to the first member, and in large buckets to further ones while that merges enough.
    void link_stars() {
        std::vector<u32> apart(n_), later;
        for (u32 i = 0; i < n_; ++i) apart[i] = i;
        for (u32 round = 0; round < (n_ > kSmallBucket ? 32 : 1) && apart.size() > 1; ++round) {
            const u64 before = apart.size();
            link_to(apart[0], apart);
            later.clear();
            for (const u32 i : apart)
                if (forest_.find(i) != forest_.find(apart[0])) later.push_back(i);
            apart.swap(later);
            if (8 * (before - 1 - apart.size()) < before) break;
        }
    }

    // Links all similar members that are still unmerged.
    void link_rest() {
        u64 cross = 0;  // unmerged pairs
        std::vector<u32> size(n_);
        for (u32 i = 0; i < n_; ++i) cross += i - size[forest_.find(i)]++;
        if (cross == 0) return;
        if (n_ <= kSmallBucket || cross <= kSmallBucket * kSmallBucket) return link_pairs();
        if (repeats_earlier_bucket(tables_.keys, rows_, n_, band_)) return;
        std::vector<u32> groups(n_);  // components large enough to be a group
        for (u32 i = 0; i < n_; ++i) {
            const u32 root = forest_.find(i);
            if (size[root] > kSmallBucket) groups[i] = root + 1;
        }
        link_by_join(groups);
    }

    std::vector<Edge> edges;
    u64 checked = 0;

  private:
    bool apart(u32 a, u32 b) const { return forest_.look(a) != forest_.look(b); }

    bool similar(u32 a, u32 b, u64& checks) const {
        return tables_.share.has(rows_[a], rows_[b]) && !tables_.keys.met_before(rows_[a], rows_[b], band_) &&
               tables_.sets.similar(rows_[a], rows_[b], tables_.threshold, checks);
    }

    void link(u32 a, u32 b) {
        if (!forest_.join(a, b)) return;
        forest_.flatten(a);
        forest_.flatten(b);
        edges.push_back({rows_[a], rows_[b]});
    }

    void link_to(u32 leader, const std::vector<u32>& members) {
        const u64 block = giant_ ? 4096 : 1;
        std::vector<u8> hit(block);
        for (u64 begin = 0; begin < members.size(); begin += block) {
            const u64 size = std::min(block, members.size() - begin);
            std::atomic<u64> checks{0};
            parallel_for(size, 128, threads_, [&](u32, u64 from, u64 to) {
                u64 mine = 0;
                for (u64 i = from; i < to; ++i) {
                    const u32 member = members[begin + i];
                    hit[i] = apart(leader, member) && similar(leader, member, mine);
                }
                checks += mine;
            });
            checked += checks;
            for (u64 i = 0; i < size; ++i)
                if (hit[i]) link(leader, members[begin + i]);
        }
    }

    // All pairs except those of the first member, which the star has compared.
    void link_pairs() {
        for (u32 i = 1; i < n_; ++i)
            for (u32 j = i + 1; j < n_; ++j)
                if (apart(i, j) && similar(i, j, checked)) link(i, j);
    }

    void link_by_join(const std::vector<u32>& groups) {
        const BucketJoin join(tables_.sets, tables_.threshold, rows_, n_, groups.data(), threads_);
        // Links found in a block are used from the next block on. Blocks grow, because most links are found early.
        const u64 chunk = 16, largest = giant_ ? 2048 : 1;
        struct Worker {
            BucketJoin::Visitor visitor;
            std::vector<Edge> edges;
            std::vector<u32> joined;  // roots that this probe was found to belong to
            u64 checked = 0;
        };
        std::vector<Worker> workers(workers_for(largest, chunk, threads_));
        for (Worker& worker : workers) worker.visitor = join.visitor();
        for (u64 begin = 0, block = std::min<u64>(largest, 32); begin < n_;
             begin += block, block = std::min(2 * block, largest)) {
            parallel_for(std::min(block, n_ - begin), chunk, threads_, [&](u32 w, u64 from, u64 to) {
                for (u64 r = begin + from; r < begin + to; ++r) probe(join, static_cast<u32>(r), workers[w]);
            });
            for (Worker& worker : workers) {
                for (const Edge& edge : worker.edges) link(edge.a, edge.b);
                worker.edges.clear();
            }
        }
        for (const Worker& worker : workers) checked += worker.checked;
    }

    template <class Worker>
    void probe(const BucketJoin& join, u32 record, Worker& worker) const {
        checkpoint();
        const u32 a = join.member(record);
        worker.joined.assign(1, forest_.look(a));
        join.probe(record, worker.visitor, [&](u32 other) {
            const u32 b = join.member(other), root = forest_.look(b);
            if (std::find(worker.joined.begin(), worker.joined.end(), root) != worker.joined.end()) return;
            if (!join.may_reach(record, other) || !similar(a, b, worker.checked)) return;
            worker.joined.push_back(root);
            worker.edges.push_back({a, b});
        });
    }

    const Tables& tables_;
    const u32 band_;
    const u32* const rows_;
    const u64 n_;
    const bool giant_;
    const int threads_;
    Forest forest_;
};

void join_all(Forest& forest, std::vector<Edge>& edges, std::vector<Edge>& tree) {
    for (const Edge& edge : edges)
        if (forest.join(edge.a, edge.b)) tree.push_back(edge);
    for (const Edge& edge : edges) forest.flatten(edge.a), forest.flatten(edge.b);
    edges.clear();
}

enum class Pass { stars, rest };

void link(Bucket& bucket, Pass pass) { pass == Pass::stars ? bucket.link_stars() : bucket.link_rest(); }

// One pass over the buckets of one band. Returns the number of similarities computed.
// The edges that merged components are added to `tree`.
u64 link_band(const Tables& tables, u32 band, const Buckets& buckets, Forest& forest, std::vector<Edge>& tree,
              Pass pass, int threads) {
    constexpr u64 at_once = 64;
    struct Worker {
        std::vector<Edge> edges;
        u64 checked = 0;
    };
    std::vector<Worker> workers(workers_for(buckets.count(), at_once, threads));
    parallel_for(buckets.count(), at_once, threads, [&](u32 w, u64 begin, u64 end) {
        auto& [edges, checked] = workers[w];
        for (u64 b = begin; b < end; ++b) {
            const u32* const rows = buckets.bucket(b);
            const u64 n = buckets.size(b);
            if (n > kGiantBucket) continue;
            if (n == 2) {  // most buckets: too small to need a forest
                if (pass == Pass::stars && forest.look(rows[0]) != forest.look(rows[1]) &&
                    tables.share.has(rows[0], rows[1]) && !tables.keys.met_before(rows[0], rows[1], band) &&
                    tables.sets.similar(rows[0], rows[1], tables.threshold, checked))
                    edges.push_back({rows[0], rows[1]});
                continue;
            }
            Bucket bucket(tables, band, rows, n, forest, 1);
            link(bucket, pass);
            edges.insert(edges.end(), bucket.edges.begin(), bucket.edges.end());
            checked += bucket.checked;
        }
    });
    u64 checked = 0;
    for (Worker& worker : workers) {
        join_all(forest, worker.edges, tree);
        checked += worker.checked;
    }
    for (u64 b = 0; b < buckets.count(); ++b) {
        if (buckets.size(b) <= kGiantBucket) continue;
        Bucket bucket(tables, band, buckets.bucket(b), buckets.size(b), forest, threads);
        link(bucket, pass);
        join_all(forest, bucket.edges, tree);
        checked += bucket.checked;
    }
    return checked;
}

}  // namespace

Components similar_components(const Keys& keys, const Sets& sets, const Threshold& threshold, int threads,
                              const Share& share, const i64* known, bool stars_only) {
    check_tables(keys, sets);
    if (known) check_rows(known, keys.rows, keys.rows, "known");
    const Array<u8> empty = without_elements(sets);
    const std::vector<Buckets> bands = group(keys, empty.data.get(), threads, share);
    const Tables tables{keys, sets, threshold, share};
    Forest forest(keys.rows);
    for (u64 i = 0; known && i < keys.rows; ++i) forest.join(static_cast<u32>(i), static_cast<u32>(known[i]));
    Components components;
    std::vector<Edge> tree;
    Counted counted(bands.size() * (stars_only ? 1 : 2));
    for (const Pass pass : {Pass::stars, Pass::rest}) {
        if (stars_only && pass == Pass::rest) break;
        for (u32 band = 0; band < bands.size(); ++band) {
            components.checked += link_band(tables, band, bands[band], forest, tree, pass, threads);
            counted.add(1);
        }
    }
    components.labels = forest.labels();
    components.left = Array<i64>(tree.size());
    components.right = Array<i64>(tree.size());
    for (u64 i = 0; i < tree.size(); ++i) components.left[i] = tree[i].a, components.right[i] = tree[i].b;
    return components;
}

}  // namespace lookalike
