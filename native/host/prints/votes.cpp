// Sets of cells → the pairs of prints in which similar minutiae agree on a rotation.
#include <cmath>
#include <vector>

#include "../check.h"
#include "../counted.h"
#include "../threads.h"
#include "prints.h"

namespace lookalike::prints {

namespace {

constexpr u64 kTurns = 12;  // rotations are counted in steps of 30 degrees, two neighbouring steps at a time
constexpr u64 kChunk = 16;

// The minutiae of one side by their keys in one band.
struct Band {
    std::vector<u32> starts;   // by the upper part of a key
    std::vector<u64> entries;  // key and minutia, ascending

    static constexpr u64 kParts = 1 << 16;
    u64 scale = 1;  // keys per part

    void index(const Side& side, const std::vector<u32>& sizes, u64 bands, u64 band) {
        const u64 count = sizes.size();
        u64 largest = 0, filled = 0;
        for (u64 row = 0; row < count; ++row)
            if (sizes[row]) {
                largest = std::max<u64>(largest, side.keys[row * bands + band]);
                ++filled;
            }
        scale = largest / kParts + 1;
        starts.assign(kParts + 1, 0);
        for (u64 row = 0; row < count; ++row)
            if (sizes[row]) ++starts[side.keys[row * bands + band] / scale + 1];
        for (u64 part = 0; part < kParts; ++part) starts[part + 1] += starts[part];
        entries.resize(filled);
        std::vector<u32> next(starts.begin(), starts.end() - 1);
        for (u64 row = 0; row < count; ++row)
            if (sizes[row]) {
                const u64 key = side.keys[row * bands + band];
                entries[next[key / scale]++] = key << 32 | row;
            }
        for (u64 part = 0; part < kParts; ++part)
            std::sort(entries.begin() + starts[part], entries.begin() + starts[part + 1]);
    }

    // The entries of a key, from a minutia on.
    template <class Each>
    void find(u64 key, u64 from, Each&& each) const {
        if (key / scale >= kParts) return;
        const auto begin = entries.begin() + starts[key / scale], end = entries.begin() + starts[key / scale + 1];
        for (auto at = std::lower_bound(begin, end, key << 32 | from); at != end && *at >> 32 == key; ++at)
            each(static_cast<u32>(*at));
    }
};

std::vector<u32> sizes_of(const Side& side) {
    std::vector<u32> sizes(static_cast<u64>(side.offsets[side.prints]));
    for (u64 row = 0; row < sizes.size(); ++row) sizes[row] = static_cast<u32>(cells_of(side.sets + row * kWords));
    return sizes;
}

std::vector<u32> prints_of(const Side& side) {
    std::vector<u32> prints(static_cast<u64>(side.offsets[side.prints]));
    for (u64 p = 0; p < side.prints; ++p)
        for (i64 row = side.offsets[p]; row < side.offsets[p + 1]; ++row)
            prints[static_cast<u64>(row)] = static_cast<u32>(p);
    return prints;
}

u64 turn_between(double left, double right) {
    double turn = left - right;
    if (turn < 0) turn += 360;
    if (!(turn >= 0 && turn < 360)) return 0;
    return static_cast<u64>(turn * (static_cast<double>(kTurns) / 360)) % kTurns;
}

// What one thread keeps: the votes of a print for each other print and rotation.
struct Scores {
    std::vector<i64> sums;
    std::vector<u32> touched;
    std::vector<u8> known;
    std::vector<u64> seen;  // by minutia: the last minutia of the left side, plus one, that met it

    Scores() = default;
    void open(u64 prints, u64 minutiae) {
        if (!sums.empty()) return;
        sums.resize(prints * kTurns);
        known.resize(prints);
        seen.resize(minutiae);
    }
};

}  // namespace

Votes votes(const Side& left, const Side& right, u64 bands, u64 numerator, u64 denominator, i64 least, bool within,
            int threads) {
    const std::vector<u32> left_sizes = sizes_of(left), right_sizes = sizes_of(right);
    const std::vector<u32> owners = prints_of(right);
    std::vector<Band> index(bands);
    parallel_for(bands, 1, threads, [&](u32, u64 begin, u64 end) {
        for (u64 band = begin; band < end; ++band) index[band].index(right, right_sizes, bands, band);
    });
    const u64 base = numerator * kVote / denominator;
    struct Found {
        std::vector<i64> left, right, votes;
    };
    std::vector<Found> parts((left.prints + kChunk - 1) / kChunk);
    std::vector<Scores> scores(workers_for(left.prints, kChunk, threads));
    Counted counted(left.prints);
    parallel_for(left.prints, kChunk, threads, [&](u32 worker, u64 begin, u64 end) {
        Scores& own = scores[worker];
        own.open(right.prints, right_sizes.size());
        Found& found = parts[begin / kChunk];
        for (u64 p = begin; p < end; ++p) {
            const u64 from = within ? static_cast<u64>(right.offsets[p + 1]) : 0;
            for (u64 a = static_cast<u64>(left.offsets[p]); a < static_cast<u64>(left.offsets[p + 1]); ++a) {
                if (!left_sizes[a]) continue;
                const u64* const set = left.sets + a * kWords;
                for (u64 band = 0; band < bands; ++band)
                    index[band].find(left.keys[a * bands + band], from, [&](u32 b) {
                        if (own.seen[b] == a + 1) return;
                        own.seen[b] = a + 1;
                        const u64 shared = shared_cells(set, right.sets + b * kWords);
                        const u64 either = left_sizes[a] + right_sizes[b] - shared;
                        if (shared * denominator <= either * numerator) return;
                        const u32 print = owners[b];
                        if (!own.known[print]) {
                            own.known[print] = 1;
                            own.touched.push_back(print);
                        }
                        own.sums[print * kTurns + turn_between(left.angle[a], right.angle[b])] +=
                            static_cast<i64>(shared * kVote / either - base);
                    });
            }
            std::sort(own.touched.begin(), own.touched.end());
            for (const u32 print : own.touched) {
                i64* const sums = &own.sums[print * kTurns];
                i64 best = 0;
                for (u64 t = 0; t < kTurns; ++t) best = std::max(best, sums[t] + sums[(t + 1) % kTurns]);
                if (best > least) {
                    found.left.push_back(static_cast<i64>(p));
                    found.right.push_back(print);
                    found.votes.push_back(best);
                }
                std::fill_n(sums, kTurns, 0);
                own.known[print] = 0;
            }
            own.touched.clear();
        }
        counted.add(end - begin);
    });
    u64 total = 0;
    for (const Found& part : parts) total += part.left.size();
    Votes out{Array<i64>(total), Array<i64>(total), Array<i64>(total)};
    u64 at = 0;
    for (const Found& part : parts) {
        std::copy(part.left.begin(), part.left.end(), out.left.begin() + at);
        std::copy(part.right.begin(), part.right.end(), out.right.begin() + at);
        std::copy(part.votes.begin(), part.votes.end(), out.votes.begin() + at);
        at += part.left.size();
    }
    return out;
}

}  // namespace lookalike::prints
