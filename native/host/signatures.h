// Sets → signatures → band keys.
#pragma once
#include "../core/sketch.h"
#include "array.h"
#include "simd/steps.h"

namespace lookalike {

struct Sets;

struct Banding {
    u32 bands = 1, rows = 1;
};

// A sketch with its precomputed constants.
class Sketch {
  public:
    Sketch(bool classic, i64 hashes, u64 seed);
    u32 hashes() const { return hashes_; }
    // `slots` must have room for `hashes` values.
    void sign(const u64* set, u64 n, u64* slots) const {
        if (classic_)
            steps_.sketch_classic(set, n, multipliers_.data.get(), offsets_.data.get(), hashes_, slots);
        else
            steps_.sketch_fast(set, n, multipliers_.data.get(), hashes_, slots);
    }

  private:
    const lookalike_steps::Steps& steps_;
    bool classic_;
    u32 hashes_;
    Array<u64> multipliers_, offsets_;
};

Banding check_banding(i64 bands, i64 rows, u64 hashes);

Array<u64> sign(const Sets& sets, const Sketch& sketch, int threads);
Array<u64> band_keys(const u64* signatures, u64 n, u64 hashes, const Banding& banding, int threads);

}  // namespace lookalike
