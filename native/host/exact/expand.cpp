#include "expand.h"

#include "../threads.h"

namespace lookalike {

namespace {

struct Partner {
    u32 record, common;
};

// Edges by the record on their right.
struct Partners {
    std::vector<u64> starts;
    Array<Partner> partners;

    Partners(const std::vector<std::vector<Edge>>& found, u64 records, bool both_ways) : starts(records + 1) {
        const auto each = [&](auto&& put) {
            for (const auto& part : found)
                for (const Edge& edge : part) {
                    put(edge.right, edge.left, edge.common);
                    if (both_ways && edge.left != edge.right) put(edge.left, edge.right, edge.common);
                }
        };
        each([&](u32 to, u32, u32) { ++starts[to + 1]; });
        for (u64 r = 0; r < records; ++r) starts[r + 1] += starts[r];
        partners = Array<Partner>(starts[records]);
        std::vector<u64> next(starts.begin(), starts.end() - 1);
        each([&](u32 to, u32 from, u32 common) { partners[next[to]++] = {from, common}; });
    }
};

}  // namespace

RowPairs expand(const std::vector<std::vector<Edge>>& found, const Records& left, const Records& right, u64 left_rows,
                Rows which, int threads) {
    const Partners partners(found, right.count(), which == Rows::ascending);
    std::vector<u32> rows;  // those on the right that have partners
    for (u64 y = 0; y < right.row_count(); ++y)
        if (partners.starts[right.record(y)] < partners.starts[right.record(y) + 1]) rows.push_back(static_cast<u32>(y));
    std::vector<u64> ends(left_rows + 1);
    // Calls put(x, y, common) for all rows x on the left from `begin` to `end`: by y, but in no order of x.
    const auto each = [&](u64 begin, u64 end, auto&& put) {
        u64 turn = 0;
        for (const u32 y : rows) {
            if (++turn % 1024 == 0) checkpoint();
            const u32 r = right.record(y);
            for (u64 k = partners.starts[r]; k < partners.starts[r + 1]; ++k) {
                const Partner& partner = partners.partners[k];
                const u32 *x = left.copies(partner.record), *stop = x + left.copy_count(partner.record);
                if (begin > 0 && *x < begin) x = std::lower_bound(x, stop, begin);
                const u64 limit = which == Rows::ascending ? std::min<u64>(end, y) : end;
                for (; x < stop && *x < limit; ++x)
                    if (which != Rows::different || *x != y) put(*x, y, partner.common);
            }
        }
    };
    const u64 parts = std::max(threads, 1);
    const auto parallel = [&](auto&& work) {
        parallel_for(parts, 1, threads,
                     [&](u32, u64 k, u64) { work(left_rows * k / parts, left_rows * (k + 1) / parts); });
    };
    parallel([&](u64 begin, u64 end) { each(begin, end, [&](u32 x, u32, u64) { ++ends[x + 1]; }); });
    for (u64 x = 0; x < left_rows; ++x) ends[x + 1] += ends[x];
    const u64 total = ends[left_rows];
    RowPairs pairs{scattered<i64>(total), scattered<i64>(total), scattered<i64>(total)};
    parallel([&](u64 begin, u64 end) {
        std::vector<u64> next(ends.begin() + static_cast<i64>(begin), ends.begin() + static_cast<i64>(end));
        // Both numbers in one word at first: it is written here and there.
        each(begin, end, [&](u32 x, u32 y, u64 common) {
            pairs.right[next[x - begin]++] = static_cast<i64>(common << 32 | y);
        });
        for (u64 x = begin; x < end; ++x)
            for (u64 at = ends[x]; at < ends[x + 1]; ++at) {
                pairs.left[at] = static_cast<i64>(x);
                pairs.common[at] = pairs.right[at] >> 32;
                pairs.right[at] &= ~0u;
            }
    });
    return pairs;
}

}  // namespace lookalike
