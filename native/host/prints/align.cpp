// Pairs of prints → the rotation and shift under which most minutiae coincide.
//
// Each pair of similar minutiae suggests a motion. Minutiae that then coincide are paired, the nearest first, and the
// motion is fitted to them; this is done twice.
#include <cmath>
#include <vector>

#include "../check.h"
#include "../counted.h"
#include "../threads.h"
#include "prints.h"

namespace lookalike::prints {

namespace {

constexpr double kCoarse = 1.5;         // the tolerance of the first pairing, in tolerances of the others
constexpr u64 kFits = 2;                // how often the motion is fitted to the paired minutiae
constexpr double kLightest = 1.0 / 64;  // the weight of paired minutiae whose sets share no cell

// x ↦ rotate(x) + (dx, dy)
struct Motion {
    double cosine = 1, sine = 0, dx = 0, dy = 0;
};

struct Minutia {
    double x, y, cosine, sine;
};

struct Pair {
    double cost;  // or, of tries, minus the similarity
    u32 left, right;
    bool operator<(const Pair& other) const {
        if (cost != other.cost) return cost < other.cost;
        return left != other.left ? left < other.left : right < other.right;
    }
};

struct Found {
    double strength = 0;
    u64 paired = 0;
    Motion motion;
};

// What one thread keeps for one pair of prints.
class Aligner {
  public:
    Aligner(const Tolerance& tolerance) : tolerance_(tolerance) {}

    Found align(const Minutiae& left, const u64* left_sets, u64 p, const Minutiae& right, const u64* right_sets,
                u64 q) {
        load(left, p, left_);
        load(right, q, right_);
        compare(left_sets + static_cast<u64>(left.offsets[p]) * kWords,
                right_sets + static_cast<u64>(right.offsets[q]) * kWords);
        Found best;
        used_.assign(left_.size() * right_.size(), 0);
        u64 tried = 0;
        for (const Pair& seed : tries_) {
            if (tried == tolerance_.tries) break;
            if (used_[seed.left * right_.size() + seed.right]) continue;  // an earlier motion paired them
            ++tried;
            const Found found = follow(seed);
            if (found.strength > best.strength) best = found;
        }
        return best;
    }

  private:
    static void load(const Minutiae& all, u64 print, std::vector<Minutia>& out) {
        out.clear();
        for (u64 i = static_cast<u64>(all.offsets[print]); i < static_cast<u64>(all.offsets[print + 1]); ++i)
            out.push_back({all.x[i], all.y[i], all.cosine[i], all.sine[i]});
    }

    // The similarity of each minutia to each other one; and the pairs that are similar enough to be tried.
    void compare(const u64* left_sets, const u64* right_sets) {
        const u64 width = right_.size();
        similarity_.resize(left_.size() * width);
        tries_.clear();
        sizes_.resize(width);
        for (u64 j = 0; j < width; ++j) sizes_[j] = cells_of(right_sets + j * kWords);
        for (u64 i = 0; i < left_.size(); ++i) {
            const u64 size = cells_of(left_sets + i * kWords);
            for (u64 j = 0; j < width; ++j) {
                const u64 shared = shared_cells(left_sets + i * kWords, right_sets + j * kWords);
                const u64 either = size + sizes_[j] - shared;
                const double similarity = either ? static_cast<double>(shared) / static_cast<double>(either) : 0.0;
                similarity_[i * width + j] = similarity;
                if (shared * tolerance_.denominator > either * tolerance_.numerator)
                    tries_.push_back({-similarity, static_cast<u32>(i), static_cast<u32>(j)});
            }
        }
        std::sort(tries_.begin(), tries_.end());
    }

    Found follow(const Pair& seed) {
        const Minutia &a = left_[seed.left], &b = right_[seed.right];
        Motion motion;
        motion.cosine = a.cosine * b.cosine + a.sine * b.sine;
        motion.sine = a.sine * b.cosine - a.cosine * b.sine;
        motion.dx = a.x - (motion.cosine * b.x - motion.sine * b.y);
        motion.dy = a.y - (motion.sine * b.x + motion.cosine * b.y);
        for (u64 fit = 0; fit <= kFits; ++fit) {
            move(motion);
            pair(fit ? tolerance_.distance : kCoarse * tolerance_.distance);
            if (pairs_.size() < 2) return {};
            if (fit < kFits && !fitted(motion)) return {};
        }
        double sum = 0;
        for (const Pair& one : pairs_) {
            sum += similarity_[one.left * right_.size() + one.right];
            used_[one.left * right_.size() + one.right] = 1;
        }
        const double both = static_cast<double>(inside(left_, moved_)) * static_cast<double>(inside(moved_, left_));
        const double paired = static_cast<double>(pairs_.size());
        return {sum * paired / std::sqrt(both), pairs_.size(), motion};
    }

    void move(const Motion& by) {
        moved_.clear();
        for (const Minutia& one : right_)
            moved_.push_back({by.cosine * one.x - by.sine * one.y + by.dx, by.sine * one.x + by.cosine * one.y + by.dy,
                              by.cosine * one.cosine - by.sine * one.sine,
                              by.sine * one.cosine + by.cosine * one.sine});
    }

    // Pairs minutiae that coincide, the nearest first. No minutia is in two pairs.
    void pair(double distance) {
        const double near = distance * distance, turn = 1 - tolerance_.cosine;
        close_.clear();
        for (u64 i = 0; i < left_.size(); ++i)
            for (u64 j = 0; j < moved_.size(); ++j) {
                const double dx = left_[i].x - moved_[j].x, dy = left_[i].y - moved_[j].y, square = dx * dx + dy * dy;
                if (!(square <= near)) continue;  // also without a number, after an overflow
                const double cosine = left_[i].cosine * moved_[j].cosine + left_[i].sine * moved_[j].sine;
                if (!(cosine >= tolerance_.cosine)) continue;
                close_.push_back({square / near + (1 - cosine) / turn, static_cast<u32>(i), static_cast<u32>(j)});
            }
        std::sort(close_.begin(), close_.end());
        taken_left_.assign(left_.size(), 0);
        taken_right_.assign(right_.size(), 0);
        pairs_.clear();
        for (const Pair& one : close_) {
            if (taken_left_[one.left] || taken_right_[one.right]) continue;
            taken_left_[one.left] = taken_right_[one.right] = 1;
            pairs_.push_back(one);
        }
    }

    // The motion with the smallest squared distances between paired minutiae, weighted by their similarity.
    bool fitted(Motion& motion) const {
        double total = 0, lx = 0, ly = 0, rx = 0, ry = 0;
        for (const Pair& one : pairs_) {
            const double weight = weight_of(one);
            total += weight;
            lx += weight * left_[one.left].x;
            ly += weight * left_[one.left].y;
            rx += weight * right_[one.right].x;
            ry += weight * right_[one.right].y;
        }
        lx /= total, ly /= total, rx /= total, ry /= total;
        double along = 0, across = 0;
        for (const Pair& one : pairs_) {
            const double weight = weight_of(one);
            const double x = right_[one.right].x - rx, y = right_[one.right].y - ry;
            const double u = left_[one.left].x - lx, v = left_[one.left].y - ly;
            along += weight * (x * u + y * v);
            across += weight * (x * v - y * u);
        }
        const double length = std::sqrt(along * along + across * across);
        if (!(length > 0)) return false;
        motion.cosine = along / length;
        motion.sine = across / length;
        motion.dx = lx - (motion.cosine * rx - motion.sine * ry);
        motion.dy = ly - (motion.sine * rx + motion.cosine * ry);
        return true;
    }

    double weight_of(const Pair& one) const {
        return std::max(similarity_[one.left * right_.size() + one.right], kLightest);
    }

    // How many minutiae lie in the rectangle around the others, which stands for the area that both prints show.
    u64 inside(const std::vector<Minutia>& some, const std::vector<Minutia>& others) const {
        double left = others[0].x, right = left, low = others[0].y, high = low;
        for (const Minutia& one : others) {
            left = std::min(left, one.x), right = std::max(right, one.x);
            low = std::min(low, one.y), high = std::max(high, one.y);
        }
        const double by = tolerance_.distance;
        u64 count = 0;
        for (const Minutia& one : some)
            count += one.x >= left - by && one.x <= right + by && one.y >= low - by && one.y <= high + by;
        return count;
    }

    const Tolerance tolerance_;
    std::vector<Minutia> left_, right_, moved_;
    std::vector<double> similarity_;
    std::vector<u64> sizes_;
    std::vector<Pair> tries_, close_, pairs_;
    std::vector<u8> taken_left_, taken_right_, used_;
};

}  // namespace

Alignments align(const Minutiae& left, const u64* left_sets, const Minutiae& right, const u64* right_sets,
                 const i64* left_rows, const i64* right_rows, u64 count, const Tolerance& tolerance, int threads) {
    check_rows(left_rows, count, left.prints, "left rows");
    check_rows(right_rows, count, right.prints, "right rows");
    Alignments out{Array<double>(count), Array<double>(count), Array<double>(count),
                   Array<double>(count), Array<double>(count), Array<i64>(count)};
    Counted counted(count);
    parallel_for(count, 64, threads, [&](u32, u64 begin, u64 end) {
        Aligner aligner(tolerance);
        for (u64 i = begin; i < end; ++i) {
            const Found found = aligner.align(left, left_sets, static_cast<u64>(left_rows[i]), right, right_sets,
                                              static_cast<u64>(right_rows[i]));
            out.strength[i] = found.strength;
            out.paired[i] = static_cast<i64>(found.paired);
            out.cosine[i] = found.motion.cosine;
            out.sine[i] = found.motion.sine;
            out.x[i] = found.motion.dx;
            out.y[i] = found.motion.dy;
        }
        counted.add(end - begin);
    });
    return out;
}

}  // namespace lookalike::prints
