// Records as sets of weighted tokens: the nearest records of each, by the rare tokens they share, and the weight that
// two records share.
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
    Array<double> score;     // the cosine over the tokens that were looked up
    u64 looked_at = 0;       // entries of the index
};

// For each row of `queries`, the `top` rows of `index` with the largest cosine, ties by row. Only the rarest tokens of
// a query are looked up, as many as have at most `budget` index entries in total. With `within`, both sides are the
// same rows, and no row is its own neighbour. `weights` are the squared weights of the tokens.
Nearest nearest(const Rows& queries, const Rows& index, const double* weights, u64 vocabulary, u64 top, u64 budget,
                bool within, int threads);

// For each pair of rows, the sum of the weights of the tokens they share.
void shared(const Rows& one, const Rows& two, const double* weights, const i64* left, const i64* right, u64 count,
            int threads, double* out);

}  // namespace lookalike::records
