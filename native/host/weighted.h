// Weighted sets → signatures.
#pragma once
#include "sets.h"

namespace lookalike {

inline constexpr double kLeastWeight = 1e-100, kMostWeight = 1e100;

// weights[i] is the weight of values[i]. An element of weight 0 counts as absent.
Array<u64> sign_weighted(const Sets& sets, const double* weights, i64 hashes, u64 seed, int threads);

}  // namespace lookalike
