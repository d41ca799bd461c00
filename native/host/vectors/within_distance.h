// All pairs of rows of bits within a Hamming distance, by pigeonhole blocks (bit_blocks.h).
#pragma once
#include "bit_blocks.h"

namespace lookalike::vectors {

// The plan for joining all of these rows: with each other, or those on the left with those on the right.
BlockPlan plan_within(const Bits& left, const Bits* right, u64 distance);

// Pairs of rows left < right, or of a row on the left and one on the right, that differ in at most `distance` places,
// in order. `checked` is the number of pairs of distinct rows that were compared. Throws std::overflow_error if there
// are more than `most` pairs.
Near within_distance(const Bits& left, const Bits* right, u64 distance, int threads, u64 most);

}  // namespace lookalike::vectors
