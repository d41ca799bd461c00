#include "similar.h"

#include "counted.h"
#include "forest.h"
#include "join.h"
#include "threads.h"

namespace lookalike {

void check_tables(const Keys& keys, const Sets& sets) {
    keys.check();
    sets.check();
    require(keys.rows == sets.rows, "keys and sets must have the same rows, got " + std::to_string(keys.rows) +
                                        " rows of keys and " + std::to_string(sets.rows) + " sets");
}

Array<u8> without_elements(const Sets& sets) {
    Array<u8> empty(sets.rows);
    for (u64 i = 0; i < sets.rows; ++i) empty[i] = sets.size(i) == 0;
    return empty;
}

bool repeats_earlier_bucket(const Keys& keys, const u32* rows, u64 n, u64 band) {
    for (u64 b = 0; b < band; ++b) {
        const u64 key = keys.row(rows[0])[b];
        u64 i = 1;
        while (i < n && keys.row(rows[i])[b] == key) ++i;
        if (i == n) return true;
    }
    return false;
}

namespace {

struct Bucket {
    u32 band;
    const u32* rows;
    u64 size;
};

// Buckets with more than kSmallBucket members that do not all share a key in an earlier band.
std::vector<Bucket> large_buckets(const Keys& keys, const std::vector<Buckets>& bands) {
    std::vector<Bucket> large;
    for (u32 band = 0; band < bands.size(); ++band)
        for (u64 b = 0; b < bands[band].count(); ++b) {
            const Bucket bucket{band, bands[band].bucket(b), bands[band].size(b)};
            if (bucket.size <= kSmallBucket) continue;
            if (!repeats_earlier_bucket(keys, bucket.rows, bucket.size, band)) large.push_back(bucket);
        }
    return large;
}

// The number of distinct pairs in large buckets; −1 if counting them would take quadratic time.
i64 count_pairs(const Keys& keys, const std::vector<Bucket>& large, const Share& share, int threads, u64& total) {
    for (const Bucket& bucket : large) {
        if (bucket.size > kMostCounted) return -1;
        total += bucket.size * (bucket.size - 1) / 2;
        if (total > kMostPairsCounted) return -1;
    }
    std::atomic<i64> count{0};
    parallel_for(large.size(), 1, threads, [&](u32, u64 l, u64) {
        const Bucket& bucket = large[l];
        i64 here = 0;
        for (u64 i = 0; i < bucket.size; ++i)
            for (u64 j = i + 1; j < bucket.size; ++j)
                here += share.has(bucket.rows[i], bucket.rows[j]) &&
                        !keys.met_before(bucket.rows[i], bucket.rows[j], bucket.band);
        count += here;
    });
    return count;
}

}  // namespace

SimilarPairs similar_pairs(const Keys& keys, const Sets& sets, const Threshold& threshold, int threads, u64 most,
                           const Share& share) {
    check_tables(keys, sets);
    const Array<u8> empty = without_elements(sets);
    const std::vector<Buckets> bands = group(keys, empty.data.get(), threads, share);
    const std::vector<Stretch> work = stretches(bands, 2, kSmallBucket);
    Listed listed(most);
    struct alignas(64) Worker {  // aligned to a cache line: its counters change often
        std::vector<Pair> pairs;
        u64 candidates = 0, checked = 0;
    };
    const auto check = [&](Worker& worker, u32 a, u32 b) {
        const u64 common = sets.similar(a, b, threshold, worker.checked);
        if (!common) return;
        worker.pairs.push_back(a < b ? Pair{a, b, common} : Pair{b, a, common});
        listed.grown_to(worker.pairs.size());
    };
    std::vector<Worker> workers(static_cast<u64>(std::max(threads, 1)));
    const std::vector<Bucket> large = large_buckets(keys, bands);
    u64 members = 0;
    for (const Bucket& bucket : large) members += bucket.size;
    Counted counted(work.size() + members);
    parallel_for(work.size(), 1, threads, [&](u32 w, u64 i, u64) {
        each_pair(keys, bands, work[i], share, [&](u32 a, u32 b) {
            ++workers[w].candidates;
            check(workers[w], a, b);
        });
        counted.add(1);
    });
    // The two sides of a split are groups, so that pairs within a side are left out.
    const auto sides = [&](const Bucket& bucket) {
        std::vector<u32> groups(share.split ? bucket.size : 0);
        for (u64 i = 0; i < groups.size(); ++i) groups[i] = bucket.rows[i] < share.split ? 1 : 2;
        return groups;
    };
    const auto groups_of = [](const std::vector<u32>& groups) { return groups.empty() ? nullptr : groups.data(); };
    const auto probe = [&](const Bucket& bucket, const BucketJoin& join, BucketJoin::Visitor& visitor, Worker& worker,
                           u64 begin, u64 end) {
        for (u64 r = begin; r < end; ++r) {
            checkpoint();
            join.probe(static_cast<u32>(r), visitor, [&](u32 other) {
                const u32 a = join.row(r), b = join.row(other);
                if (join.may_reach(static_cast<u32>(r), other) && !keys.met_before(a, b, bucket.band))
                    check(worker, a, b);
            });
        }
        counted.add(end - begin);
    };
    parallel_for(large.size(), 1, threads, [&](u32 w, u64 l, u64) {
        const Bucket& bucket = large[l];
        if (bucket.size > kGiantBucket) return;
        const std::vector<u32> groups = sides(bucket);
        const BucketJoin join(sets, threshold, bucket.rows, bucket.size, groups_of(groups), 1);
        BucketJoin::Visitor visitor = join.visitor();
        probe(bucket, join, visitor, workers[w], 0, bucket.size);
    });
    for (const Bucket& bucket : large) {
        if (bucket.size <= kGiantBucket) continue;
        const std::vector<u32> groups = sides(bucket);
        const BucketJoin join(sets, threshold, bucket.rows, bucket.size, groups_of(groups), threads);
        std::vector<BucketJoin::Visitor> visitors(workers_for(bucket.size, 256, threads), join.visitor());
        parallel_for(bucket.size, 256, threads,
                     [&](u32 w, u64 begin, u64 end) { probe(bucket, join, visitors[w], workers[w], begin, end); });
    }
    SimilarPairs result;
    result.candidates = count_pairs(keys, large, share, threads, result.in_large);
    std::vector<std::vector<Pair>> found;
    for (Worker& worker : workers) {
        if (result.candidates >= 0) result.candidates += static_cast<i64>(worker.candidates);
        result.checked += worker.checked;
        found.push_back(std::move(worker.pairs));
    }
    result.pairs = in_order(found, keys.rows, threads);
    return result;
}

Array<i64> connect(u64 rows, const i64* left, const i64* right, u64 count) {
    check_row_count(rows);
    check_rows(left, count, rows, "left");
    check_rows(right, count, rows, "right");
    Forest forest(rows);
    for (u64 i = 0; i < count; ++i) forest.join(static_cast<u32>(left[i]), static_cast<u32>(right[i]));
    return forest.labels();
}

}  // namespace lookalike
