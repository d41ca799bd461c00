// Scores that cannot matter are skipped a block at a time; the others are kept until there are enough to raise the bar.
#include "top_scores.h"

#include <limits>

#include "../simd/above.h"
#include "../simd/steps.h"
#include "../threads.h"

namespace lookalike::vectors {

namespace {

constexpr u64 kRoom = 64;   // scores kept per query, beside twice `top`
constexpr u64 kStep = 512;  // scores tested before the bar may be raised

u64 reaching(const float* scores, const float* own, u64 n, float bar, u32* out) {
    return lookalike_steps::steps().above(scores, own, n, bar, out);
}

u64 reaching(const double* scores, const double* own, u64 n, double bar, u32* out) {
    return above(scores, own, n, bar, out);
}

}  // namespace

template <class T>
TopScores<T>::TopScores(const T* margins, u64 queries, u64 top)
    : top_(top), margins_(margins, margins + queries), found_(queries) {
    require(top >= 1, "top must be at least 1");
    for (Query& query : found_) query.room = 2 * top + kRoom, query.bar = -std::numeric_limits<T>::infinity();
}

template <class T>
void TopScores<T>::add(const T* scores, u64 first, u64 queries, u64 first_row, u64 rows, const T* own, int threads) {
    require(first <= found_.size() && queries <= found_.size() - first, "there are not so many queries");
    require(first_row + rows <= kMostRows, "there are too many rows");
    parallel_for(queries, 8, threads, [&](u32, u64 begin, u64 end) {
        u32 hits[kStep];
        for (u64 q = begin; q < end; ++q) {
            Query& query = found_[first + q];
            for (u64 at = 0; at < rows; at += kStep) {
                const T* const here = scores + q * rows + at;
                const u64 count = reaching(here, own + at, std::min(kStep, rows - at), query.bar, hits);
                for (u64 h = 0; h < count; ++h) {
                    const T most = here[hits[h]] + own[at + hits[h]];
                    if (most < query.bar) continue;
                    query.scores.push_back(
                        {most, most - 2 * own[at + hits[h]], static_cast<u32>(first_row + at + hits[h])});
                    if (query.scores.size() >= query.room) prune(query, margins_[first + q]);
                }
            }
        }
    });
}

// Raises the bar to the `top`-th best certain score, and drops the scores below it. If many remain, because they are
// nearly equal, the next pruning waits for more.
template <class T>
void TopScores<T>::prune(Query& query, T margin) const {
    std::vector<Score>& scores = query.scores;
    const auto last = scores.begin() + static_cast<std::ptrdiff_t>(top_ - 1);
    std::nth_element(scores.begin(), last, scores.end(),
                     [](const Score& a, const Score& b) { return a.least > b.least; });
    query.bar = std::max(query.bar, last->least - 2 * margin);
    std::erase_if(scores, [&](const Score& one) { return one.most < query.bar; });
    query.room = std::max<u64>(query.room, 2 * scores.size());
}

template <class T>
u64 TopScores<T>::remaining(i64* queries, i64* rows) const {
    u64 count = 0;
    std::vector<u32> here;
    for (u64 q = 0; q < found_.size(); ++q) {
        here.clear();
        for (const Score& one : found_[q].scores)
            if (one.most >= found_[q].bar) here.push_back(one.row);
        if (queries) {
            std::sort(here.begin(), here.end());
            for (const u32 row : here) *queries++ = static_cast<i64>(q), *rows++ = row;
        }
        count += here.size();
    }
    return count;
}

template <class T>
void TopScores<T>::keep(const i64* queries, const i64* rows, u64 count) {
    for (u64 q = 0, at = 0; q < found_.size(); ++q) {
        const u64 begin = at;
        while (at < count && queries[at] == static_cast<i64>(q)) ++at;
        std::erase_if(found_[q].scores, [&](const Score& one) {
            return !std::binary_search(rows + begin, rows + at, static_cast<i64>(one.row));
        });
        found_[q].room = std::max<u64>(2 * top_ + kRoom, 2 * found_[q].scores.size());
    }
}

template <class T>
u64 TopScores<T>::waiting() const {
    u64 sum = 0;
    for (const Query& query : found_) sum += query.scores.size();
    return sum;
}

template <class T>
Cells cells_above(const T* values, u64 rows, u64 columns, const T* own, const T* bars, int threads) {
    constexpr u64 chunk = 16;
    std::vector<std::vector<std::pair<u32, u32>>> found(rows / chunk + 1);
    parallel_for(rows, chunk, threads, [&](u32, u64 begin, u64 end) {
        u32 hits[kStep];
        for (u64 row = begin; row < end; ++row)
            for (u64 at = 0; at < columns; at += kStep) {
                const u64 count =
                    reaching(values + row * columns + at, own + at, std::min(kStep, columns - at), bars[row], hits);
                for (u64 h = 0; h < count; ++h)
                    found[begin / chunk].emplace_back(static_cast<u32>(row), static_cast<u32>(at + hits[h]));
            }
    });
    u64 count = 0;
    for (const auto& some : found) count += some.size();
    Cells out{Array<i64>(count), Array<i64>(count)};
    u64 at = 0;
    for (const auto& some : found)
        for (const auto& [row, column] : some) out.rows[at] = row, out.columns[at++] = column;
    return out;
}

template Cells cells_above(const float*, u64, u64, const float*, const float*, int);
template Cells cells_above(const double*, u64, u64, const double*, const double*, int);
template class TopScores<float>;
template class TopScores<double>;

}  // namespace lookalike::vectors
