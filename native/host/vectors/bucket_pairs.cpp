// Rows are copied into contiguous memory, so that comparing all of them reads distant memory only once.
#include "bucket_pairs.h"

#include <utility>

#include "../stop.h"

namespace lookalike::vectors {

namespace {

constexpr u64 kAhead = 8;  // rows prefetched before they are copied

}  // namespace

void BucketPairs::compare(const Bucket& bucket, u64 begin, u64 end, const Level* level) {
    level_ = level;
    const u64 row = task_.bits.words + 1;
    for (u64 i = begin; i < end; i += kGathered) {
        const u64 stop = std::min(i + kGathered, end);
        gather(bucket, i, stop, one_);
        if (task_.within)
            for (u64 k = i; k + 1 < stop; ++k)
                compare_row(one_.data() + (k - i) * row, bucket.rows[k], one_.data() + (k + 1 - i) * row,
                            bucket.rows + k + 1, stop - k - 1);
        for (u64 j = task_.within ? stop : bucket.left; j < bucket.count; j += kGathered) {
            const u64 until = std::min(j + kGathered, bucket.count);
            gather(bucket, j, until, two_);
            for (u64 k = i; k < stop; ++k)
                compare_row(one_.data() + (k - i) * row, bucket.rows[k], two_.data(), bucket.rows + j, until - j);
            task_.add(std::exchange(waiting_, 0));
            checkpoint();
        }
        if (waiting_) task_.add(std::exchange(waiting_, 0));
    }
}

// The layout is the one that the step `near` reads.
void BucketPairs::gather(const Bucket& bucket, u64 begin, u64 end, Buffer<u64>& to) const {
    const u64 words = task_.bits.words;
    to.resize((end - begin) * (words + 1));
    for (u64 i = begin; i < end; ++i) {
        if (i + kAhead < bucket.count) __builtin_prefetch(task_.bits.row(bucket.rows[i + kAhead]));
        std::copy_n(task_.bits.row(bucket.rows[i]), words, to.data() + (i - begin) * (words + 1));
    }
}

void BucketPairs::compare_row(const u64* row, u64 number, const u64* others, const u64* numbers, u64 count) {
    const u64 words = task_.bits.words;
    const u64 hits = steps_.near(others, count, words, row, task_.distance, hits_);
    checked += count;
    for (u64 h = 0; h < hits; ++h) {
        if (level_ && !level_->is_first(row, others + hits_[h] * (words + 1))) continue;
        const u64 other = numbers[hits_[h]];
        found.push_back({static_cast<u32>(number), static_cast<u32>(other)});
        waiting_ += task_.members(number) * task_.members(other);
    }
}

}  // namespace lookalike::vectors
