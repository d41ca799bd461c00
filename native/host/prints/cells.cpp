// Minutiae → the set of cells around each, and its band keys.
#include <cmath>

#include "../check.h"
#include "../threads.h"
#include "prints.h"

namespace lookalike::prints {

namespace {

// From −180 up to 180, for angles that differ by less than 540.
double turned(double degrees) {
    if (degrees < -180) return degrees + 360;
    return degrees >= 180 ? degrees - 360 : degrees;
}

void describe(const Minutiae& all, u64 from, u64 to, u64 own, const Cells& cells, u64* set) {
    double reach = 0;
    for (u64 c = 0; c < cells.places; ++c) reach = std::max(reach, cells.x[c] * cells.x[c] + cells.y[c] * cells.y[c]);
    reach = std::sqrt(reach) + cells.distance + 1e-6 * cells.distance;
    const double near = cells.distance * cells.distance, width = 360.0 / static_cast<double>(cells.sectors);
    for (u64 other = from; other < to; ++other) {
        if (other == own) continue;
        const double dx = all.x[other] - all.x[own], dy = all.y[other] - all.y[own];
        if (dx * dx + dy * dy > reach * reach) continue;
        const double x = dx * all.cosine[own] + dy * all.sine[own], y = dy * all.cosine[own] - dx * all.sine[own];
        const double turn = turned(all.angle[other] - all.angle[own]);
        for (u64 place = 0; place < cells.places; ++place) {
            const double u = x - cells.x[place], v = y - cells.y[place];
            if (u * u + v * v > near) continue;
            for (u64 sector = 0; sector < cells.sectors; ++sector) {
                const double middle = (static_cast<double>(sector) + 0.5) * width - 180;
                if (std::fabs(turned(turn - middle)) > cells.turn) continue;
                const u64 cell = sector * cells.places + place;
                set[cell / 64] |= 1ull << cell % 64;
            }
        }
    }
}

}  // namespace

Array<u64> neighbourhoods(const Minutiae& minutiae, const Cells& cells, int threads) {
    require(cells.count() <= kMostCells, "there must be at most " + std::to_string(kMostCells) + " cells");
    Array<u64> sets(minutiae.size() * kWords);
    std::fill(sets.begin(), sets.end(), 0);
    parallel_for(minutiae.prints, 64, threads, [&](u32, u64 begin, u64 end) {
        for (u64 p = begin; p < end; ++p) {
            const u64 from = static_cast<u64>(minutiae.offsets[p]), to = static_cast<u64>(minutiae.offsets[p + 1]);
            for (u64 own = from; own < to; ++own) describe(minutiae, from, to, own, cells, &sets[own * kWords]);
        }
    });
    return sets;
}

Array<u32> band_keys(const u64* sets, u64 count, const u16* ranks, u64 cells, u64 bands, u64 rows, int threads) {
    require(cells <= kMostCells, "there must be at most " + std::to_string(kMostCells) + " cells");
    u64 most = 1;
    for (u64 i = 0; i < rows; ++i) most *= cells + 1;
    require(rows <= 3 && most <= 0xFFFFFFFFull, "a key of so many rows and cells does not fit 32 bits");
    const u64 hashes = bands * rows;
    for (u64 i = 0; i < cells * hashes; ++i) require(ranks[i] < cells, "every rank must be below the number of cells");
    Array<u32> keys(count * bands);
    parallel_for(count, 1024, threads, [&](u32, u64 begin, u64 end) {
        Buffer<u16> least;
        least.resize(hashes);
        for (u64 row = begin; row < end; ++row) {
            const u64* const set = sets + row * kWords;
            std::fill(least.begin(), least.end(), static_cast<u16>(cells));
            for (u64 cell = 0; cell < cells; ++cell)
                if (set[cell / 64] >> cell % 64 & 1)
                    for (u64 h = 0; h < hashes; ++h) least[h] = std::min(least[h], ranks[cell * hashes + h]);
            const bool empty = cells_of(set) == 0;
            for (u64 band = 0; band < bands; ++band) {
                u32 key = 0;
                for (u64 i = 0; i < rows; ++i) key = key * static_cast<u32>(cells) + least[band * rows + i];
                keys[row * bands + band] = empty ? 0 : key;
            }
        }
    });
    return keys;
}

}  // namespace lookalike::prints
