// Rows of tokens → the nearest rows of each, by an inverted index and one sum per row found. Rare tokens have short
// lists and carry most of a row's weight.
#include <cmath>
#include <vector>

#include "../counted.h"
#include "../threads.h"
#include "records.h"

namespace lookalike::records {

namespace {

constexpr u64 kChunk = 256;

// Token → the rows that contain it.
struct Index {
    std::vector<u64> starts;
    Buffer<u32> rows;

    Index(const Rows& of, u64 vocabulary) : starts(vocabulary + 1) {
        const u64 begin = static_cast<u64>(of.offsets[0]), end = static_cast<u64>(of.offsets[of.count]);
        for (u64 i = begin; i < end; ++i) ++starts[of.tokens[i] + 1];
        for (u64 t = 0; t < vocabulary; ++t) starts[t + 1] += starts[t];
        rows.resize(end - begin);
        std::vector<u64> next(starts.begin(), starts.end() - 1);
        for (u64 row = 0; row < of.count; ++row)
            for (i64 i = of.offsets[row]; i < of.offsets[row + 1]; ++i)
                rows[next[of.tokens[i]]++] = static_cast<u32>(row);
    }
};

std::vector<double> lengths(const Rows& of, const double* weights) {
    std::vector<double> out(of.count);
    for (u64 row = 0; row < of.count; ++row) {
        double sum = 0;
        for (i64 i = of.offsets[row]; i < of.offsets[row + 1]; ++i) sum += weights[of.tokens[i]];
        out[row] = std::sqrt(sum);
    }
    return out;
}

struct Met {
    double score;
    u32 row;
    bool operator<(const Met& other) const { return score != other.score ? score > other.score : row < other.row; }
};

}  // namespace

Nearest nearest(const Rows& queries, const Rows& index, const double* weights, u64 vocabulary, u64 top, u64 budget,
                bool within, int threads) {
    Index lists(index, vocabulary);
    const std::vector<double> of_query = lengths(queries, weights), of_index = lengths(index, weights);
    const u64 chunks = (queries.count + kChunk - 1) / kChunk;
    struct Part {
        std::vector<Met> met;
        std::vector<u32> sizes;
    };
    std::vector<Part> parts(chunks);
    const u32 workers = workers_for(queries.count, kChunk, threads);
    std::vector<std::vector<double>> sums(workers);
    std::vector<u64> looked(workers);
    Counted counted(queries.count);
    parallel_for(queries.count, kChunk, threads, [&](u32 worker, u64 begin, u64 end) {
        counted.add(end - begin);
        auto& sum = sums[worker];
        sum.resize(index.count);  // all zero; reset to zero after each row
        Part& part = parts[begin / kChunk];
        std::vector<u32> touched;
        std::vector<Met> met;
        for (u64 row = begin; row < end; ++row) {
            touched.clear();
            u64 spent = 0;
            for (i64 i = queries.offsets[row]; i < queries.offsets[row + 1]; ++i) {
                const u32 token = queries.tokens[i];
                const u64 from = lists.starts[token], to = lists.starts[token + 1];
                if ((spent += to - from) > budget) break;
                looked[worker] += to - from;
                for (u64 j = from; j < to; ++j) {
                    const u32 other = lists.rows[j];
                    if (sum[other] == 0) touched.push_back(other);
                    sum[other] += weights[token];
                }
            }
            met.clear();
            for (const u32 other : touched) {
                if (!(within && other == row) && sum[other] > 0)
                    met.push_back({sum[other] / (of_query[row] * of_index[other]), other});
                sum[other] = 0;
            }
            const u64 kept = std::min<u64>(top, met.size());
            std::partial_sort(met.begin(), met.begin() + static_cast<i64>(kept), met.end());
            part.met.insert(part.met.end(), met.begin(), met.begin() + static_cast<i64>(kept));
            part.sizes.push_back(static_cast<u32>(kept));
        }
    });
    u64 total = 0;
    for (const Part& part : parts) total += part.met.size();
    Nearest out{Array<i64>(total), Array<i64>(total), Array<double>(total)};
    for (const u64 some : looked) out.looked_at += some;
    u64 at = 0, row = 0;
    for (const Part& part : parts) {
        u64 i = 0;
        for (const u32 size : part.sizes) {
            for (u32 n = 0; n < size; ++n, ++i, ++at) {
                out.left[at] = static_cast<i64>(row);
                out.right[at] = static_cast<i64>(part.met[i].row);
                out.score[at] = part.met[i].score;
            }
            ++row;
        }
    }
    return out;
}

void shared(const Rows& one, const Rows& two, const double* weights, const i64* left, const i64* right, u64 count,
            int threads, double* out) {
    parallel_for(count, 1024, threads, [&](u32, u64 begin, u64 end) {
        for (u64 pair = begin; pair < end; ++pair) {
            i64 i = one.offsets[left[pair]], j = two.offsets[right[pair]];
            const i64 i_end = one.offsets[left[pair] + 1], j_end = two.offsets[right[pair] + 1];
            double sum = 0;
            while (i < i_end && j < j_end) {
                const u32 a = one.tokens[i], b = two.tokens[j];
                if (a == b) sum += weights[a];
                i += a <= b;
                j += b <= a;
            }
            out[pair] = sum;
        }
    });
}

}  // namespace lookalike::records
