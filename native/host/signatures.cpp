#include "signatures.h"

#include "sets.h"
#include "threads.h"

namespace lookalike {

Sketch::Sketch(bool classic, i64 hashes, u64 seed) : steps_(lookalike_steps::steps()), classic_(classic), hashes_(0) {
    require(hashes >= 1 && hashes <= 4096, "hashes must lie in 1 … 4096, got " + std::to_string(hashes));
    hashes_ = static_cast<u32>(hashes);
    const u64 state = seed_state(seed);
    multipliers_ = Array<u64>((classic ? hashes_ : 2ull * hashes_) + lookalike_steps::kSlack);
    offsets_ = Array<u64>(classic ? hashes_ : 0);
    for (u64 i = 0; i < multipliers_.size; ++i) multipliers_[i] = multiplier(state, i);
    for (u64 i = 0; i < offsets_.size; ++i) offsets_[i] = offset(state, i);
}

Banding check_banding(i64 bands, i64 rows, u64 hashes) {
    require(bands >= 1 && rows >= 1 && bands <= 4096 && rows <= 4096 && static_cast<u64>(bands * rows) <= hashes,
            "bands · rows must lie in 1 … " + std::to_string(hashes) + ", the number of hashes, got " +
                std::to_string(bands) + " · " + std::to_string(rows));
    return {static_cast<u32>(bands), static_cast<u32>(rows)};
}

Array<u64> sign(const Sets& sets, const Sketch& sketch, int threads) {
    sets.check();
    Array<u64> signatures(sets.rows * sketch.hashes());
    parallel_for(sets.rows, 64, threads, [&](u32, u64 begin, u64 end) {
        for (u64 i = begin; i < end; ++i) sketch.sign(sets.set(i), sets.size(i), &signatures[i * sketch.hashes()]);
    });
    return signatures;
}

Array<u64> band_keys(const u64* signatures, u64 n, u64 hashes, const Banding& banding, int threads) {
    Array<u64> keys(n * banding.bands);
    parallel_for(n, 1024, threads, [&](u32, u64 begin, u64 end) {
        for (u64 i = begin; i < end; ++i)
            for (u32 b = 0; b < banding.bands; ++b)
                keys[i * banding.bands + b] = band_key(signatures + i * hashes + b * banding.rows, banding.rows, b);
    });
    return keys;
}

Array<i64> intersections(const Sets& sets, const i64* left, const i64* right, u64 count, int threads) {
    sets.check();
    check_rows(left, count, sets.rows, "left");
    check_rows(right, count, sets.rows, "right");
    Array<i64> result(count);
    parallel_for(count, 256, threads, [&](u32, u64 begin, u64 end) {
        for (u64 i = begin; i < end; ++i) {
            const u64 a = static_cast<u64>(left[i]), b = static_cast<u64>(right[i]);
            result[i] = static_cast<i64>(intersection(sets.set(a), sets.size(a), sets.set(b), sets.size(b), 0));
        }
    });
    return result;
}

}  // namespace lookalike
