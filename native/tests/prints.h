// Fingerprints: votes and alignments, compared with their definitions; and odd prints, which must do no harm.
#pragma once
#include <cmath>
#include <limits>
#include <map>

#include "../host/prints/prints.h"
#include "checks.h"

namespace {

using prints::kWords;

// Prints of random minutiae, with their sets and keys.
struct Prints {
    std::vector<i64> offsets{0};
    std::vector<double> x, y, angle, cosine, sine;
    Array<u64> sets;
    Array<u32> keys;
    static constexpr u64 kBands = 8, kRows = 2;

    void add(double at_x, double at_y, double degrees) {
        const double turned = degrees - 360 * std::floor(degrees / 360), radians = turned * std::acos(-1.0) / 180;
        x.push_back(at_x), y.push_back(at_y), angle.push_back(turned < 360 ? turned : 0);
        cosine.push_back(std::cos(radians)), sine.push_back(std::sin(radians));
    }
    void close() { offsets.push_back(static_cast<i64>(x.size())); }
    u64 size() const { return offsets.size() - 1; }

    prints::Minutiae minutiae() const {
        return {size(), offsets.data(), x.data(), y.data(), angle.data(), cosine.data(), sine.data()};
    }
    prints::Side side() const { return {size(), offsets.data(), sets.data.get(), keys.data.get(), angle.data()}; }

    void describe(int threads = 1) {
        static const std::vector<double> across{-1, 0, 1, -1, 0, 1, -1, 0, 1}, down{-1, -1, -1, 0, 0, 0, 1, 1, 1};
        const prints::Cells cells{9, across.data(), down.data(), 4, 0.7, 60};
        sets = prints::neighbourhoods(minutiae(), cells, threads);
        std::vector<u16> ranks;
        for (u64 cell = 0; cell < cells.count(); ++cell)
            for (u64 hash = 0; hash < kBands * kRows; ++hash)
                ranks.push_back(static_cast<u16>((cell * (2 * hash + 1) * 5 + 7 * hash) % cells.count()));
        keys = prints::band_keys(sets.begin(), x.size(), exact(ranks).begin(), cells.count(), kBands, kRows, threads);
    }
};

double random_place(double width) { return width * static_cast<double>(below(1 << 20)) / (1 << 20); }

Prints random_prints(u64 count, u64 most) {
    Prints made;
    for (u64 p = 0; p < count; ++p) {
        for (u64 n = below(most + 1); n > 0; --n) made.add(random_place(4), random_place(4), random_place(360));
        made.close();
    }
    made.describe();
    return made;
}

template <class T>
bool same(const Array<T>& one, const Array<T>& two) {
    return one.size == two.size && std::equal(one.data.get(), one.data.get() + one.size, two.data.get());
}

void test_votes_for_prints_agree_with_the_definition() {
    for (int round = 0; round < 20; ++round) {
        const Prints one = random_prints(below(40), 12), other = random_prints(below(40), 12);
        const bool within = round % 2;
        const prints::Side left = one.side(), right = within ? left : other.side();
        const i64 least = static_cast<i64>(below(2000));
        std::map<std::pair<i64, i64>, i64> expected;
        for (u64 p = 0; p < left.prints; ++p)
            for (u64 q = within ? p + 1 : 0; q < right.prints; ++q) {
                std::vector<i64> turns(12);
                for (i64 a = left.offsets[p]; a < left.offsets[p + 1]; ++a)
                    for (i64 b = right.offsets[q]; b < right.offsets[q + 1]; ++b) {
                        const u64 *const set = left.sets + a * i64{kWords}, *const partner =
                                                                                right.sets + b * i64{kWords};
                        bool met = false;
                        for (u64 band = 0; band < Prints::kBands; ++band)
                            met |= left.keys[static_cast<u64>(a) * Prints::kBands + band] ==
                                   right.keys[static_cast<u64>(b) * Prints::kBands + band];
                        const u64 shared = prints::shared_cells(set, partner);
                        const u64 either = prints::cells_of(set) + prints::cells_of(partner) - shared;
                        if (!met || !prints::cells_of(set) || !prints::cells_of(partner) || shared * 10 <= either * 3)
                            continue;
                        double turn = left.angle[a] - right.angle[b];
                        if (turn < 0) turn += 360;
                        turns[static_cast<u64>(turn / 30) % 12] +=
                            static_cast<i64>(shared * prints::kVote / either - 3 * prints::kVote / 10);
                    }
                i64 best = 0;
                for (u64 t = 0; t < 12; ++t) best = std::max(best, turns[t] + turns[(t + 1) % 12]);
                if (best > least) expected[{static_cast<i64>(p), static_cast<i64>(q)}] = best;
            }
        for (const int threads : {1, 2, 5}) {
            const prints::Votes found = prints::votes(left, right, Prints::kBands, 3, 10, least, within, threads);
            u64 at = 0;
            EXPECT(found.votes.size == expected.size());
            for (const auto& [pair, votes] : expected) {
                if (at == found.votes.size) break;
                EXPECT(found.left[at] == pair.first && found.right[at] == pair.second && found.votes[at] == votes);
                ++at;
            }
        }
    }
}

const prints::Tolerance kTolerance{0.2, 0.9, 3, 10, 16};

void test_prints_are_moved_onto_their_copies() {
    Prints one, other;
    for (u64 p = 0; p < 100; ++p) {
        const double turn = random_place(360), radians = turn * std::acos(-1.0) / 180;
        const double dx = random_place(30), dy = random_place(30), cosine = std::cos(radians), sine = std::sin(radians);
        for (u64 n = 0; n < 20; ++n) {
            const double x = random_place(5), y = random_place(5), angle = random_place(360);
            one.add(x, y, angle);
            other.add(cosine * x - sine * y + dx, sine * x + cosine * y + dy, angle + turn);
        }
        one.close();
        other.close();
    }
    one.describe();
    other.describe(3);
    std::vector<i64> rows;
    for (i64 p = 0; p < 100; ++p) rows.push_back(p);
    const auto align = [&](int threads) {
        return prints::align(other.minutiae(), other.sets.data.get(), one.minutiae(), one.sets.data.get(), rows.data(),
                             rows.data(), rows.size(), kTolerance, threads);
    };
    const prints::Alignments found = align(1), again = align(4);
    EXPECT(same(found.strength, again.strength) && same(found.paired, again.paired) && same(found.x, again.x));
    for (u64 p = 0; p < 100; ++p) {
        EXPECT(found.paired[p] == 20);
        for (u64 i = 20 * p; i < 20 * p + 20; ++i) {
            const double x = found.cosine[p] * one.x[i] - found.sine[p] * one.y[i] + found.x[p];
            const double y = found.sine[p] * one.x[i] + found.cosine[p] * one.y[i] + found.y[p];
            EXPECT(std::hypot(x - other.x[i], y - other.y[i]) < 0.2);
        }
    }
}

void test_odd_prints_do_no_harm() {
    const double huge = 1.7e308, missing = std::numeric_limits<double>::quiet_NaN();
    Prints odd;
    odd.close();  // no minutiae
    odd.add(1, 1, 0);
    odd.close();
    for (const double place : {0.0, huge, missing})
        for (int copy = 0; copy < 2; ++copy) {
            for (u64 n = 0; n < 40; ++n) odd.add(place, place, 9.0 * static_cast<double>(n) + 45 * copy);
            odd.close();
        }
    odd.close();
    odd.describe(2);
    std::vector<i64> left, right;
    for (i64 p = 0; p < static_cast<i64>(odd.size()); ++p)
        for (i64 q = 0; q < static_cast<i64>(odd.size()); ++q) left.push_back(p), right.push_back(q);
    const prints::Minutiae minutiae = odd.minutiae();
    const auto align = [&](const std::vector<i64>& rows, int threads) {
        return prints::align(minutiae, odd.sets.data.get(), minutiae, odd.sets.data.get(), exact(rows).begin(),
                             exact(right).begin(), right.size(), kTolerance, threads);
    };
    EXPECT(same(align(left, 1).paired, align(left, 3).paired));
    for (const bool within : {false, true}) prints::votes(odd.side(), odd.side(), Prints::kBands, 3, 10, 0, within, 2);
    for (const i64 bad : {i64{-1}, static_cast<i64>(odd.size())}) {
        std::vector<i64> rows = left;
        rows.back() = bad;
        EXPECT(refused([&] { align(rows, 1); }));
    }
    const u16 rank[] = {1};
    EXPECT(refused([&] { prints::band_keys(odd.sets.data.get(), 1, rank, 1, 1, 1, 1); }));
    const prints::Cells many{81, odd.x.data(), odd.y.data(), 4, 1, 45};
    EXPECT(refused([&] { prints::neighbourhoods(minutiae, many, 1); }));

    Prints nothing;
    nothing.describe();
    EXPECT(prints::votes(nothing.side(), odd.side(), Prints::kBands, 3, 10, 0, false, 2).votes.size == 0);
    EXPECT(prints::votes(odd.side(), nothing.side(), Prints::kBands, 3, 10, 0, false, 2).votes.size == 0);
}

}  // namespace
