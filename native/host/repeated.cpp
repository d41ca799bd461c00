#include "repeated.h"

#include <unordered_map>

#include "check.h"

namespace lookalike {

namespace {

// In how many documents each window is.
class DocumentCounts {
  public:
    explicit DocumentCounts(const ShingleTable& table, u64 rows) : slot_of_(table.values.size) {
        u64 slots = 16;
        while (slots < 2 * table.values.size) slots *= 2;
        slots_ = Array<Slot>(slots);
        std::fill_n(slots_.begin(), slots, Slot{});
        for (u64 i = 0; i < rows; ++i)
            for (i64 w = table.offsets[i]; w < table.offsets[i + 1]; ++w) {
                const u64 place = static_cast<u64>(w);
                slot_of_[place] = count(table.values[place], static_cast<u32>(i));
            }
    }
    u32 of(u64 place) const { return slots_[slot_of_[place]].documents; }

  private:
    struct Slot {
        u64 value = 0;
        u32 documents = 0, last = 0;  // an empty slot has no documents
    };
    u64 count(u64 value, u32 document) {
        const u64 mask = slots_.size - 1;
        u64 at = value & mask;
        while (slots_[at].documents && slots_[at].value != value) at = (at + 1) & mask;
        Slot& slot = slots_[at];
        if (!slot.documents || slot.last != document) slot = {value, slot.documents + 1, document};
        return at;
    }

    Array<Slot> slots_;
    Array<u64> slot_of_;
};

struct Run {
    u64 document, place, length, count;  // the place is that of its first window in the table
};

}  // namespace

Runs repeated_runs(const Documents& documents, const Shingling& shingling, i64 least, int threads) {
    check_row_count(documents.rows);
    require(least >= 1, "least must be at least 1, got " + std::to_string(least));
    const ShingleTable table = windows(documents, shingling, threads);
    const u64* const values = table.values.data.get();
    const DocumentCounts counts(table, documents.rows);
    std::vector<Run> runs;
    std::unordered_multimap<u64, u64> known;  // the hash of a run → its number
    const auto add = [&](const Run& run) {
        u64 hash = run.length;
        for (u64 w = 0; w < run.length; ++w) hash = mix(hash ^ values[run.place + w]);
        const auto [begin, end] = known.equal_range(hash);
        for (auto one = begin; one != end; ++one) {
            const Run& other = runs[one->second];
            if (other.length == run.length &&
                std::equal(values + run.place, values + run.place + run.length, values + other.place))
                return;
        }
        known.emplace(hash, runs.size());
        runs.push_back(run);
    };
    for (u64 i = 0; i < documents.rows; ++i) {
        Run open{i, 0, 0, 0};
        const auto end = static_cast<u64>(table.offsets[i + 1]);
        for (auto place = static_cast<u64>(table.offsets[i]); place < end; ++place) {
            const u64 count = counts.of(place);
            if (count < static_cast<u64>(least)) {
                if (open.length) add(open);
                open.length = 0;
            } else if (open.length++ == 0) {
                open.place = place;
                open.count = count;
            } else {
                open.count = std::min(open.count, count);
            }
        }
        if (open.length) add(open);
    }
    Runs found{Array<i64>(runs.size()), Array<i64>(runs.size()), Array<i64>(runs.size()), Array<i64>(runs.size())};
    for (u64 r = 0; r < runs.size(); ++r) {
        found.documents[r] = static_cast<i64>(runs[r].document);
        found.starts[r] = static_cast<i64>(runs[r].place) - table.offsets[runs[r].document];
        found.lengths[r] = static_cast<i64>(runs[r].length);
        found.counts[r] = static_cast<i64>(runs[r].count);
    }
    return found;
}

}  // namespace lookalike
