// The choice of pigeonhole blocks, and their places.
#include "bit_blocks.h"

#include <cmath>

namespace lookalike::vectors {

namespace {

// Nanoseconds on one core, measured in November 2026; only the ratios matter.
constexpr double kSort = 45;       // per row and table: computing a key, sorting it, fetching the row
constexpr double kSortWord = 1.5;  // the same, per word of the row
constexpr double kCompare = 0.5;   // per pair in one bucket
constexpr double kCompareWord = 0.4;
constexpr double kMostTables = 4096;

// Two rows agree in this place with probability 1, as far as the sample shows.
bool varies(double chance) { return chance < 1; }

}  // namespace

BlockPlan choose_blocks(const BlockTask& task, u64 distance) {
    const double compare = kCompare + kCompareWord * static_cast<double>(task.words);
    const double sort = task.rows * (kSort + kSortWord * static_cast<double>(task.words));
    BlockPlan best{0, 0, 0, task.pairs * compare};
    double tables = 1;
    for (u64 agreeing = 1; distance < task.places && agreeing <= task.places - distance; ++agreeing) {
        const u64 count = distance + agreeing;
        tables *= static_cast<double>(count) / static_cast<double>(agreeing);  // C(count, agreeing)
        if (tables > kMostTables || tables * sort >= best.cost) break;
        const double shared = task.information * static_cast<double>(agreeing) / static_cast<double>(count);
        const double cost = tables * (sort + task.pairs * std::exp2(-shared) * compare);
        if (cost < best.cost) best = {count, agreeing, static_cast<u64>(std::llround(tables)), cost};
    }
    return best;
}

void agreement(const Bits& bits, const u32* rows, u64 count, const u64* within, std::vector<double>& out) {
    const u64 sampled = std::min(count, kSampled);
    std::vector<u32> ones(64 * bits.words, 0);
    for (u64 i = 0; i < sampled; ++i) {
        const u64* const row = bits.row(rows ? rows[i * count / sampled] : i * count / sampled);
        for (u64 w = 0; w < bits.words; ++w)
            for (u64 left = row[w] & within[w]; left; left &= left - 1) ++ones[64 * w + __builtin_ctzll(left)];
    }
    out.assign(ones.size(), 1.0);
    for (u64 place = 0; place < ones.size(); ++place) {
        if (!(within[place / 64] >> place % 64 & 1)) continue;
        const double share = static_cast<double>(ones[place]) / static_cast<double>(std::max<u64>(1, sampled));
        out[place] = share * share + (1 - share) * (1 - share);
    }
}

void add_information(const std::vector<double>& agreement, BlockTask& task) {
    task.places = 0;
    task.information = 0;
    for (const double chance : agreement) {
        if (!varies(chance)) continue;
        ++task.places;
        task.information -= std::log2(chance);
    }
}

std::vector<Block> cut_blocks(const std::vector<double>& agreement, const u64* within, u64 words, u64 count) {
    BlockTask all;
    add_information(agreement, all);
    std::vector<Block> blocks(count);
    u64 here = 0, remaining = all.places, inside = 0;  // varying places: not yet assigned, and in this block
    double before = 0;
    for (u64 place = 0; place < 64 * words; ++place) {
        if (!(within[place / 64] >> place % 64 & 1)) continue;
        if (varies(agreement[place])) {
            const double full = all.information * static_cast<double>(here + 1) / static_cast<double>(count);
            const double middle = before - std::log2(agreement[place]) / 2;
            if (inside && here + 1 < count && (middle > full || remaining <= count - here - 1)) ++here, inside = 0;
            before -= std::log2(agreement[place]);
            --remaining;
            ++inside;
        }
        Block& block = blocks[here];
        if (block.empty() || block.back().word != place / 64) block.push_back({static_cast<u32>(place / 64), 0});
        block.back().mask |= 1ull << place % 64;
    }
    return blocks;
}

}  // namespace lookalike::vectors
