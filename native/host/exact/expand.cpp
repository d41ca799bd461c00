#include "expand.h"

#include "../threads.h"

namespace lookalike {

namespace {

constexpr u64 kChunk = 1024;  // rows or records per chunk

struct Partner {
    u32 record, common;
};

// Edges grouped by their right record.
struct Partners {
    std::vector<u64> starts;
    Array<Partner> partners;

    Partners(const Edges& found, u64 records, bool both_ways) : starts(records + 1) {
        const auto each = [&](auto&& put) {
            for (const auto& part : found)
                for (const Edge& edge : part) {
                    put(edge.right, edge.left, edge.common);
                    if (both_ways) put(edge.left, edge.right, edge.common);
                }
        };
        each([&](u32 to, u32, u32) { ++starts[to + 1]; });
        for (u64 r = 0; r < records; ++r) starts[r + 1] += starts[r];
        partners = Array<Partner>(starts[records]);
        std::vector<u64> next(starts.begin(), starts.end() - 1);
        each([&](u32 to, u32 from, u32 common) { partners[next[to]++] = {from, common}; });
    }
};

// For each left record, its partner rows on the right: the low half is the row, the high half the overlap. With
// `ascending`, only rows after the first copy of the record. A record's copies, from `equal_from` on, are listed only
// if it has other partners.
class Lists {
  public:
    Lists(const Edges& found, const Records& left, const Records& right, u64 equal_from, bool ascending, int threads)
        : starts_(left.count() + 1) {
        if (std::all_of(found.begin(), found.end(), [](const auto& part) { return part.empty(); })) return;
        const Partners partners(found, right.count(), ascending);
        std::vector<End> ends(left.count());
        const auto behind_first = [&](u32 record, u64 r) {  // copies of r
            const u32 *y = right.copies(r), *stop = y + right.copy_count(r);
            if (!ascending || *y > *left.copies(record)) return stop - y;
            return stop - std::upper_bound(y, stop, *left.copies(record));
        };
        for (u64 r = 0; r < right.count(); ++r)
            for (u64 k = partners.starts[r]; k < partners.starts[r + 1]; ++k) {
                const u32 record = partners.partners[k].record;
                starts_[record + 1] += static_cast<u64>(behind_first(record, r));
            }
        for (u64 record = 0; record < left.count(); ++record) {
            const u64 others = starts_[record + 1];
            const bool copies = others > 0 && record >= equal_from;
            starts_[record + 1] += starts_[record] + (copies ? left.copy_count(record) - ascending : 0);
            ends[record] = {starts_[record], ascending ? *left.copies(record) + 1 : 0, copies};
        }
        rows_ = scattered<u64>(starts_.back());
        // Parts of the records, with about the same number of rows, in parallel: each part scans all rows on the right.
        const u64 parts = std::max(threads, 1);
        const auto part = [&](u64 k) {
            const auto at = std::lower_bound(starts_.begin(), starts_.end() - 1, starts_.back() * k / parts);
            return k < parts ? static_cast<u32>(at - starts_.begin()) : static_cast<u32>(left.count());
        };
        parallel_for(parts, 1, threads, [&](u32, u64 k, u64) {
            const u32 begin = part(k), end = part(k + 1);
            const auto put = [&](u32 record, u64 common, u64 y) {
                if (record < begin || record >= end) return;
                End& mine = ends[record];
                if (y >= mine.least) rows_[mine.at++] = common << 32 | y;
            };
            for (u64 y = 0; y < right.row_count(); ++y) {
                if (y % kChunk == 0) checkpoint();
                const u32 r = right.record(y);
                for (u64 i = partners.starts[r]; i < partners.starts[r + 1]; ++i)
                    put(partners.partners[i].record, partners.partners[i].common, y);
                if (r >= equal_from && ends[r].copies) put(r, left.size(r), y);
            }
        });
    }

    const u64* begin(u64 record) const { return rows_.data.get() + starts_[record]; }
    const u64* end(u64 record) const { return rows_.data.get() + starts_[record + 1]; }

  private:
    struct End {  // of a list under construction; rows before `least` are left out
        u64 at;
        u32 least;
        bool copies;  // whether the copies of the record are listed
    };
    std::vector<u64> starts_;
    Array<u64> rows_;
};

u32 row_of(u64 entry) { return static_cast<u32>(entry); }

}  // namespace

RowPairs expand(const Edges& found, const Records& left, const Records& right, u64 equal_from, Rows which,
                int threads) {
    const bool ascending = which == Rows::ascending;
    const u64 left_rows = left.row_count();
    const Lists lists(found, left, right, equal_from, ascending, threads);
    // Each row takes the whole list of its record except itself; or, with `ascending`, the rows after itself.
    std::vector<u64> ends(left_rows + 1);
    parallel_for(left.count(), kChunk, threads, [&](u32, u64 first, u64 last) {
        for (u64 record = first; record < last; ++record) {
            const u64 *at = lists.begin(record), *const end = lists.end(record), copies = left.copy_count(record);
            if (at == end && (copies == 1 || record < equal_from)) continue;
            for (u64 i = 0; i < copies; ++i) {
                const u32 x = left.copies(record)[i];
                if (at == end && lists.begin(record) == end) {
                    ends[x + 1] = copies - 1 - (ascending ? i : 0);
                    continue;
                }
                u64 count = static_cast<u64>(end - lists.begin(record));
                if (which != Rows::all) {
                    while (at < end && row_of(*at) < x) ++at;
                    const bool itself = at < end && row_of(*at) == x;
                    count = ascending ? static_cast<u64>(end - at) - itself : count - itself;
                }
                ends[x + 1] = count;
            }
        }
    });
    for (u64 x = 0; x < left_rows; ++x) ends[x + 1] += ends[x];
    const u64 total = ends[left_rows];
    RowPairs pairs{scattered<i64>(total), scattered<i64>(total), scattered<i64>(total)};
    parallel_for(left_rows, kChunk, threads, [&](u32, u64 first, u64 last) {
        for (u64 x = first; x < last; ++x) {
            const u64 begin = ends[x], count = ends[x + 1] - begin;
            if (count == 0) continue;
            const u64 record = left.record(x);
            std::fill_n(pairs.left.begin() + begin, count, static_cast<i64>(x));
            if (lists.begin(record) == lists.end(record)) {  // but there are copies of it
                const u32* const end = left.copies(record) + left.copy_count(record);
                if (ascending)
                    std::copy(end - count, end, pairs.right.begin() + begin);
                else
                    std::remove_copy(left.copies(record), end, pairs.right.begin() + begin, static_cast<u32>(x));
                std::fill_n(pairs.common.begin() + begin, count, static_cast<i64>(left.size(record)));
                continue;
            }
            const u64* const list = ascending ? lists.end(record) - count : lists.begin(record);
            if (which == Rows::different) {
                u64 at = begin;
                for (const u64* entry = list; entry < lists.end(record); ++entry) {
                    if (row_of(*entry) == x) continue;
                    pairs.right[at] = row_of(*entry);
                    pairs.common[at++] = static_cast<i64>(*entry >> 32);
                }
                continue;
            }
            for (u64 i = 0; i < count; ++i) pairs.right[begin + i] = row_of(list[i]);
            for (u64 i = 0; i < count; ++i) pairs.common[begin + i] = static_cast<i64>(list[i] >> 32);
        }
    });
    return pairs;
}

}  // namespace lookalike
