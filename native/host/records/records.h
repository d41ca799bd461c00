// Records as sets of weighted tokens: the nearest of each by what rare tokens they share, and how much two of them
// share.
#pragma once
#include "../array.h"

namespace lookalike::records {

// Rows of tokens, each row ascending and without repeats. Tokens are numbered by rarity, the rarest first.
struct Rows {
    u64 count;
    const i64* offsets;
    const u32* tokens;
};

struct Nearest {
    Array<i64> left, right;  // ordered by (left, rank)
    Array<double> score;     // the cosine over the tokens that were looked at
    u64 looked_at = 0;       // entries of the index
};

// The `top` rows of `index` that have the largest cosine with each row of `queries`, ties by row. Of a row so many of
// its rarest tokens are looked up as have at most `budget` entries together. `within` says that both sides are the same
// rows: none is its own neighbour. `weights` are those of the tokens, squared.
Nearest nearest(const Rows& queries, const Rows& index, const double* weights, u64 vocabulary, u64 top, u64 budget,
                bool within, int threads);

// For each pair of rows the sum of the weights of the tokens that both have.
void shared(const Rows& one, const Rows& two, const double* weights, const i64* left, const i64* right, u64 count,
            int threads, double* out);

}  // namespace lookalike::records
