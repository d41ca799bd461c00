// Pigeonhole blocks. The places of rows of bits are cut into `count` blocks. Rows that differ in at most `distance`
// places differ in at most that many blocks, so they agree in at least `agreeing` = count − distance of them. Rows that
// agree in some `agreeing` blocks are found by sorting, once per combination of blocks.
#pragma once
#include <vector>

#include "vectors.h"

namespace lookalike::vectors {

struct BlockPlan {
    u64 count = 0, agreeing = 0;  // count 0: every pair is compared
    u64 tables = 0;               // combinations of blocks, each of which sorts all rows
    double cost = 0;              // predicted nanoseconds on one core
};

// What is known about the rows to join: numbers of rows and of pairs, words per row, places that vary, and the
// information in them: in bits, minus the logarithm of the probability that two rows agree in all of them.
struct BlockTask {
    double rows = 0, pairs = 0;
    u64 words = 0, places = 0;
    double information = 0;
};

// The cheapest plan that finds every pair within the distance.
BlockPlan choose_blocks(const BlockTask& task, u64 distance);

// The probability, per place, that two rows agree: estimated from at most `kSampled` of these rows (null: rows 0 …
// count − 1), at even distances. `within` has a bit for each place of interest; other places get probability 1.
inline constexpr u64 kSampled = 1024;
void agreement(const Bits& bits, const u32* rows, u64 count, const u64* within, std::vector<double>& out);

// Adds the varying places and their information to the task.
void add_information(const std::vector<double>& agreement, BlockTask& task);

// Part of a word: the places whose bits are set in the mask.
struct Masked {
    u32 word;
    u64 mask;
};
using Block = std::vector<Masked>;

// Cuts the places in `within` into `count` blocks that contain about the same information, in order. Each block
// contains at least one place that varies; `count` must not exceed their number.
std::vector<Block> cut_blocks(const std::vector<double>& agreement, const u64* within, u64 words, u64 count);

inline bool agree(const u64* a, const u64* b, const Block& block) {
    for (const Masked& part : block)
        if ((a[part.word] ^ b[part.word]) & part.mask) return false;
    return true;
}

}  // namespace lookalike::vectors
