#include "weighted.h"

#include <cmath>

#include "../core/darts.h"
#include "simd/steps.h"
#include "threads.h"

namespace lookalike {

namespace {

void check_weights(const double* weights, u64 count) {
    for (u64 i = 0; i < count; ++i)
        if (!(weights[i] == 0 || (weights[i] >= kLeastWeight && weights[i] <= kMostWeight)))
            throw std::invalid_argument("weights must be 0 or lie in 1e-100 … 1e100, got " +
                                        std::to_string(weights[i]) + " at " + std::to_string(i));
}

}  // namespace

Array<u64> sign_weighted(const Sets& sets, const double* weights, i64 hashes, u64 seed, int threads) {
    require(hashes >= 1 && hashes <= 4096, "hashes must lie in 1 … 4096, got " + std::to_string(hashes));
    sets.check();
    check_weights(weights, sets.value_count);
    const u32 t = static_cast<u32>(hashes);
    const u64 state = seed_state(seed);
    Array<u64> keys(kBlocks);
    Array<double> steps(kStrips);
    for (u32 i = 0; i < kBlocks; ++i) keys[i] = block_key(state, i);
    for (u32 i = 0; i < kStrips; ++i) steps[i] = strip_step(kLowestStrip + static_cast<int>(i));
    // This many darts fill all slots in 19 of 20 cases; otherwise the limit is doubled.
    const double darts = t * (std::log(t) + 3);
    Array<u64> signatures(sets.rows * t);
    const auto sketch = lookalike_steps::steps().weighted;
    parallel_for(sets.rows, 16, threads, [&](u32, u64 begin, u64 end) {
        for (u64 i = begin; i < end; ++i) {
            const double* const own = weights + sets.offsets[i];
            u64* const slots = &signatures[i * t];
            double total = 0, most = 0;
            for (u64 e = 0; e < sets.size(i); ++e) {
                total += own[e];
                most = std::max(most, own[e]);
            }
            clear_slots(slots, t);
            double limit = darts / total;
            for (bool whole = total == 0; !whole; limit *= 2)
                whole =
                    sketch(sets.set(i), own, sets.size(i), state, keys.begin(), steps.begin(), limit, most, t, slots);
        }
    });
    return signatures;
}

}  // namespace lookalike
