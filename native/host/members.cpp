#include "members.h"

#include "cutter.h"
#include "threads.h"

namespace lookalike {

namespace {

constexpr u64 kAtOnce = 32;  // documents per chunk

// The places of values, with open addressing. Values are as good as random, so their low bits choose the slot.
class Places {
  public:
    Places(const u64* values, u64 count) : values_(values) {
        u64 slots = 16;
        while (slots < 4 * count) slots *= 2;
        slots_ = Array<u64>(slots);
        std::fill_n(slots_.begin(), slots, kNowhere);
        for (u64 i = 0; i < count; ++i) {
            u64 slot = values[i] & (slots - 1);
            while (slots_[slot] != kNowhere) slot = (slot + 1) & (slots - 1);
            slots_[slot] = i;
        }
    }
    // Calls found(place) for every place of the value.
    template <class Found>
    void each(u64 value, Found&& found) const {
        const u64 mask = slots_.size - 1;
        for (u64 slot = value & mask; slots_[slot] != kNowhere; slot = (slot + 1) & mask)
            if (values_[slots_[slot]] == value) found(slots_[slot]);
    }

  private:
    static constexpr u64 kNowhere = ~0ull;
    const u64* values_;
    Array<u64> slots_;
};

}  // namespace

Members members(const Documents& documents, const Shingling& shingling, const u64* values, u64 count, const u8* sets,
                u64 set_count, int threads) {
    documents.check();
    shingling.check();
    const u64 rows = documents.rows;
    const Places places(values, count);
    Members found{Array<i64>(rows * set_count), Array<i64>(rows), Array<u8>(rows)};
    std::fill_n(found.counts.begin(), rows * set_count, 0);
    std::vector<std::unique_ptr<Cutter>> cutters(workers_for(rows, kAtOnce, threads));
    for (auto& cutter : cutters) cutter = std::make_unique<Cutter>(shingling);
    parallel_for(rows, kAtOnce, threads, [&](u32 worker, u64 begin, u64 end) {
        Cutter& cutter = *cutters[worker];
        for (u64 i = begin; i < end; ++i) {
            i64* const row = found.counts.begin() + i * set_count;
            found.flags[i] = cutter.cut(documents, i);
            found.windows[i] = static_cast<i64>(cutter.window_count());
            for (u64 w = 0; w < cutter.window_count(); ++w)
                places.each(cutter.windows()[w], [&](u64 place) {
                    for (u64 s = 0; s < set_count; ++s) row[s] += sets[place * set_count + s];
                });
        }
    });
    return found;
}

}  // namespace lookalike
