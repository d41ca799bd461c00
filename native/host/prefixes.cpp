#include "prefixes.h"

#include <atomic>

#include "threads.h"

namespace lookalike {

Prefixes::Prefixes(const Sets& sets, const u32* rows, u64 n, const std::function<u64(u64)>& length, int threads)
    : bits(n), first_shared(n), starts(n + 1) {
    constexpr u64 at_once = 64;
    u64 total = 0;
    for (u64 r = 0; r < n; ++r) total += sets.size(rows[r]);
    // Count how often each element occurs. Elements that share a slot are counted together: a count that is too high
    // moves an element towards the end of the order, which costs a little time and misses no pair.
    u64 slots = 1024;
    while (slots < 2 * total && slots < (1u << 26)) slots *= 2;
    std::vector<u32> counts(slots);
    parallel_for(n, at_once, threads, [&](u32, u64 begin, u64 end) {
        for (u64 r = begin; r < end; ++r) {
            const u64* const set = sets.set(rows[r]);
            for (u64 e = 0; e < sets.size(rows[r]); ++e) {
                std::atomic_ref<u32>(counts[set[e] & (slots - 1)]).fetch_add(1, std::memory_order_relaxed);
                bits[r].flip(set[e]);
            }
        }
    });
    const bool exact_ones =
        total < (1ull << 32);  // counts cannot overflow: a count of one means that no other record contains it
    struct Element {
        u64 value;
        u32 count;
        bool operator<(const Element& o) const { return count != o.count ? count < o.count : value < o.value; }
    };
    std::vector<std::vector<Element>> scratch(workers_for(n, at_once, threads));
    std::vector<std::vector<u64>> parts(n / at_once + 1);
    parallel_for(n, at_once, threads, [&](u32 worker, u64 begin, u64 end) {
        std::vector<Element>& elements = scratch[worker];
        std::vector<u64>& part = parts[begin / at_once];
        for (u64 r = begin; r < end; ++r) {
            const u64 size = sets.size(rows[r]), prefix = length(size);
            const u64* const set = sets.set(rows[r]);
            elements.resize(size);
            for (u64 e = 0; e < size; ++e) elements[e] = {set[e], counts[set[e] & (slots - 1)]};
            if (prefix < size) std::nth_element(elements.begin(), elements.begin() + i64(prefix), elements.end());
            elements.resize(prefix);
            std::sort(elements.begin(), elements.end());
            u64 alone = 0;
            while (exact_ones && alone < prefix && elements[alone].count == 1) ++alone;
            first_shared[r] = static_cast<u32>(alone);
            starts[r + 1] = prefix - alone;
            for (u64 e = alone; e < prefix; ++e) part.push_back(elements[e].value);
        }
    });
    for (u64 r = 0; r < n; ++r) starts[r + 1] += starts[r];
    postings.reserve(starts[n]);
    for (u64 p = 0; p < parts.size(); ++p) {
        u64 r = p * at_once;
        for (u64 e = 0; e < parts[p].size(); ++e) {
            const u64 at = postings.size();
            while (at >= starts[r + 1]) ++r;
            const u32 position = first_shared[r] + static_cast<u32>(at - starts[r]);
            postings.push({parts[p][e], static_cast<u32>(r), position});
        }
        std::vector<u64>().swap(parts[p]);
    }
}

}  // namespace lookalike
