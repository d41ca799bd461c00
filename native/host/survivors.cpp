// Rows are taken in blocks, so that threads can work on a block together and still give the answer of one row after
// another. First, all rows of a block are compared with the survivors of earlier blocks. For rows that are then left,
// the rows of the same block that may replace them are listed, without comparing them. At last, one thread goes through
// these rows in order, and compares each with those on its list that have survived.
//
// Buckets of up to kSmallBucket members are scanned. Rows in larger buckets are found through one index of all of them;
// if two of them share only a small bucket, that does no harm, since they are candidates, too.
#include "survivors.h"

#include "counted.h"
#include "similar.h"
#include "survivor_index.h"
#include "threads.h"

namespace lookalike {

namespace {

constexpr u32 kNoRow = ~0u;
constexpr u64 kFirstBlock = 64, kLargestBlock = 4096, kAtOnce = 16;

struct SmallBuckets {  // for each row, its buckets that are scanned
    std::vector<u64> starts;
    std::vector<const u32*> firsts;
    std::vector<u8> sizes;
};

// Calls act(bucket, size) for each bucket of up to kSmallBucket members.
template <class Act>
void each_small(const std::vector<Buckets>& bands, Act&& act) {
    for (const Buckets& buckets : bands)
        for (u64 b = 0; b < buckets.count(); ++b)
            if (buckets.size(b) <= kSmallBucket) act(buckets.bucket(b), buckets.size(b));
}

SmallBuckets small_buckets(const std::vector<Buckets>& bands, u64 rows) {
    SmallBuckets small;
    small.starts.resize(rows + 1);
    each_small(bands, [&](const u32* members, u64 size) {
        for (u64 i = 0; i < size; ++i) ++small.starts[members[i] + 1];
    });
    for (u64 i = 0; i < rows; ++i) small.starts[i + 1] += small.starts[i];
    small.firsts.resize(small.starts[rows]);
    small.sizes.resize(small.starts[rows]);
    std::vector<u64> next(small.starts.begin(), small.starts.end() - 1);
    each_small(bands, [&](const u32* members, u64 size) {
        for (u64 i = 0; i < size; ++i) {
            const u64 at = next[members[i]]++;
            small.firsts[at] = members;
            small.sizes[at] = static_cast<u8>(size);
        }
    });
    return small;
}

class Chooser {
  public:
    Chooser(const Keys& keys, const Sets& sets, const Replaceable& replaceable, const Preference& preference,
            std::vector<RowPair> different, int threads)
        : keys_(keys),
          sets_(sets),
          replaceable_(replaceable),
          preference_(preference),
          different_(std::move(different)),
          threads_(threads),
          empty_(without_elements(sets)),
          bands_(group(keys, empty_.data.get(), threads)),
          small_(small_buckets(bands_, keys.rows)),
          places_(places_of(preference, keys.rows)),
          records_(keys.rows, kNoRow),
          states_(keys.rows, State::waiting),
          index_(sets, replaceable, rows_in_large_buckets(), threads) {
        for (auto& [a, b] : different_)
            if (a > b) std::swap(a, b);
        std::sort(different_.begin(), different_.end());
        result_.survivor = Array<i64>(keys.rows);
        result_.common = Array<i64>(keys.rows);
        for (u64 i = 0; i < keys.rows; ++i) result_.survivor[i] = static_cast<i64>(i);
        std::fill_n(result_.common.begin(), keys.rows, 0);
    }

    Survivors choose() {
        const u64 n = keys_.rows;
        Counted counted(n);
        workers_.resize(static_cast<u64>(std::max(threads_, 1)));
        for (Worker& worker : workers_) worker.seen.assign(n, 0);
        for (u64 p = 0; p < preference_.always_kept; ++p) survive(row_at(p));
        counted.add(preference_.always_kept);
        u64 block = kFirstBlock;
        for (u64 begin = preference_.always_kept; begin < n;
             begin += block, block = std::min(2 * block, kLargestBlock)) {
            const u64 end = std::min(n, begin + block);
            choose_block(begin, end);
            counted.add(end - begin);
        }
        for (const Worker& worker : workers_) result_.checked += worker.checked;
        return std::move(result_);
    }

  private:
    enum class State : u8 { waiting, open, survivor, removed };  // open: to be decided within its block

    struct Worker {
        std::vector<u32> seen;  // for each row, the last turn in which it was met
        u32 turn = 0;
        u64 checked = 0;
    };

    u32 row_at(u64 place) const { return static_cast<u32>(preference_.order[place]); }

    std::vector<u32> rows_in_large_buckets() {
        std::vector<u8> large(keys_.rows);
        for (const Buckets& buckets : bands_)
            for (u64 b = 0; b < buckets.count(); ++b)
                for (u64 i = 0; buckets.size(b) > kSmallBucket && i < buckets.size(b); ++i)
                    large[buckets.bucket(b)[i]] = 1;
        std::vector<u32> rows;
        for (u64 p = 0; p < keys_.rows; ++p) {
            if (!large[row_at(p)]) continue;
            records_[row_at(p)] = static_cast<u32>(rows.size());
            rows.push_back(row_at(p));
        }
        return rows;
    }

    bool are_different(u32 a, u32 b) const {
        return !different_.empty() &&
               std::binary_search(different_.begin(), different_.end(), RowPair{std::min(a, b), std::max(a, b)});
    }

    bool share_key(u32 a, u32 b) const { return keys_.met_before(a, b, keys_.bands); }

    // |A∩B| if b may replace a, otherwise 0.
    u64 compare(u32 a, u32 b, Worker& worker) const {
        const u64 na = sets_.size(a), nb = sets_.size(b), needed = replaceable_.overlap(na, nb);
        if (needed > na || needed > nb) return 0;
        ++worker.checked;
        const u64 common = intersection(sets_.set(a), na, sets_.set(b), nb, needed);
        return common >= needed ? common : 0;
    }

    // Calls meet(other) once for each row in this state that may replace row a. meet() may reduce `until`: less
    // preferred rows are not considered.
    template <class Meet>
    void each_candidate(u32 a, State state, u64 from, const u32& until, Worker& worker, Meet&& meet) const {
        const u32 turn = ++worker.turn;
        for (u64 s = small_.starts[a]; s < small_.starts[a + 1]; ++s)
            for (u64 i = 0; i < small_.sizes[s]; ++i) {
                const u32 b = small_.firsts[s][i];
                if (states_[b] != state || places_[b] >= until || worker.seen[b] == turn) continue;
                worker.seen[b] = turn;
                if (!are_different(a, b)) meet(b);
            }
        if (records_[a] == kNoRow) return;
        // The same bounds as numbers of records, which have the same order as places.
        const auto record_at = [&](u64 place) {
            u64 low = 0, high = index_.count();
            while (low < high) {
                const u64 middle = (low + high) / 2;
                if (places_[index_.row(static_cast<u32>(middle))] < place)
                    low = middle + 1;
                else
                    high = middle;
            }
            return static_cast<u32>(low);
        };
        u32 before = record_at(until);
        index_.probe(
            records_[a], from ? record_at(from) : 0, before,
            [&](u32 other) {
                const u32 b = index_.row(other);
                if (worker.seen[b] == turn) return false;
                worker.seen[b] = turn;
                return true;
            },
            [&](u32 other) {
                const u32 b = index_.row(other);
                if (states_[b] != state || !share_key(a, b) || are_different(a, b)) return;
                const u32 limit = until;
                meet(b);
                if (until != limit) before = other;
            });
    }

    void choose_block(u64 begin, u64 end) {
        std::vector<u32> open;
        find_earlier_survivors(begin, end);
        for (u64 p = begin; p < end; ++p)
            if (states_[row_at(p)] == State::waiting) open.push_back(row_at(p));
        if (open.empty()) return;
        for (const u32 a : open) {
            states_[a] = State::open;
            if (records_[a] != kNoRow) index_.add(records_[a]);
        }
        std::vector<std::vector<u32>> others(open.size());
        parallel_for(open.size(), kAtOnce, threads_, [&](u32 w, u64 from, u64 to) {
            for (u64 i = from; i < to; ++i) {
                const u32 a = open[i], until = places_[a];
                each_candidate(a, State::open, begin, until, workers_[w], [&](u32 b) { others[i].push_back(b); });
                std::sort(others[i].begin(), others[i].end(), [&](u32 x, u32 y) { return places_[x] < places_[y]; });
            }
        });
        for (u64 i = open.size(); i-- > 0;)
            if (records_[open[i]] != kNoRow) index_.remove(records_[open[i]]);
        for (u64 i = 0; i < open.size(); ++i) {
            checkpoint();
            decide(open[i], others[i]);
        }
    }

    // Removes the rows of a block that an earlier survivor may replace.
    void find_earlier_survivors(u64 begin, u64 end) {
        struct Replacement {
            u32 row = kNoRow;
            u64 common = 0;
        };
        std::vector<Replacement> replacements(end - begin);
        parallel_for(end - begin, kAtOnce, threads_, [&](u32 w, u64 from, u64 to) {
            for (u64 i = from; i < to; ++i) {
                const u32 a = row_at(begin + i);
                u32 until = static_cast<u32>(begin);
                each_candidate(a, State::survivor, 0, until, workers_[w], [&](u32 b) {
                    if (const u64 common = compare(a, b, workers_[w])) {
                        replacements[i] = {b, common};
                        until = places_[b];
                    }
                });
            }
        });
        for (u64 i = 0; i < replacements.size(); ++i)
            if (replacements[i].row != kNoRow) remove(row_at(begin + i), replacements[i].row, replacements[i].common);
    }

    void decide(u32 a, const std::vector<u32>& others) {
        for (const u32 b : others) {
            if (states_[b] != State::survivor) continue;
            if (const u64 common = compare(a, b, workers_[0])) return remove(a, b, common);
        }
        survive(a);
    }

    void remove(u32 a, u32 survivor, u64 common) {
        states_[a] = State::removed;
        result_.survivor[a] = survivor;
        result_.common[a] = static_cast<i64>(common);
    }

    void survive(u32 a) {
        states_[a] = State::survivor;
        if (records_[a] != kNoRow) index_.add(records_[a]);
    }

    const Keys& keys_;
    const Sets& sets_;
    const Replaceable replaceable_;
    const Preference preference_;
    std::vector<RowPair> different_;
    const int threads_;
    const Array<u8> empty_;
    const std::vector<Buckets> bands_;
    const SmallBuckets small_;
    std::vector<u32> places_;   // of each row in the order of preference
    std::vector<u32> records_;  // of each row in the index, or kNoRow
    std::vector<State> states_;
    SurvivorIndex index_;
    std::vector<Worker> workers_;
    Survivors result_;
};

}  // namespace

std::vector<u32> places_of(const Preference& preference, u64 rows) {
    require(preference.always_kept <= rows,
            "always_kept must be at most the number of rows, got " + std::to_string(preference.always_kept));
    check_rows(preference.order, rows, rows, "order");
    std::vector<u32> places(rows, kNoRow);
    for (u64 p = 0; p < rows; ++p) {
        const u64 row = static_cast<u64>(preference.order[p]);
        require(places[row] == kNoRow, "order must contain every row once, got " + std::to_string(row) + " twice");
        places[row] = static_cast<u32>(p);
    }
    return places;
}

Array<i64> removing_pairs(u64 rows, const i64* left, const i64* right, u64 count, const Preference& preference) {
    check_row_count(rows);
    check_rows(left, count, rows, "left");
    check_rows(right, count, rows, "right");
    const std::vector<u32> places = places_of(preference, rows);
    const auto preferred = [&](u64 i) { return std::min(places[u64(left[i])], places[u64(right[i])]); };
    std::vector<u64> starts(rows + 1);  // of the pairs of each place, in the order in which rows are taken
    for (u64 i = 0; i < count; ++i) ++starts[preferred(i) + 1];
    for (u64 p = 0; p < rows; ++p) starts[p + 1] += starts[p];
    std::vector<u64> next(starts.begin(), starts.end() - 1), pairs(count);
    for (u64 i = 0; i < count; ++i) pairs[next[preferred(i)]++] = i;
    Array<i64> removed_by(rows);
    std::fill_n(removed_by.begin(), rows, -1);
    for (u64 p = 0; p < rows; ++p) {
        if (removed_by[static_cast<u64>(preference.order[p])] >= 0) continue;  // only survivors remove others
        for (u64 k = starts[p]; k < starts[p + 1]; ++k) {
            const u64 i = pairs[k], a = static_cast<u64>(left[i]), b = static_cast<u64>(right[i]);
            const u64 other = places[a] == p ? b : a;
            if (places[other] >= preference.always_kept && removed_by[other] < 0) removed_by[other] = i64(i);
        }
    }
    return removed_by;
}

Survivors choose_survivors(const Keys& keys, const Sets& sets, const Replaceable& replaceable,
                           const Preference& preference, std::vector<RowPair> different, int threads) {
    check_tables(keys, sets);
    for (const auto& [a, b] : different)
        require(a < keys.rows && b < keys.rows, "different must contain rows, got " + std::to_string(std::max(a, b)));
    return Chooser(keys, sets, replaceable, preference, std::move(different), threads).choose();
}

}  // namespace lookalike
