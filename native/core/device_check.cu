// Calls every function of native/core from device code. tests/kernel/test_device_code.py compiles this file with NVRTC,
// so that the core keeps compiling for GPUs; nothing is run.
//
// Device code must be compiled with --fmad=false, as host code is with -ffp-contract=off: by default NVIDIA's compilers
// fuse a product with a sum, which rounds once instead of twice, and ranks of darts (darts.h) would differ from the
// CPU's.
#include "base.h"
#include "darts.h"
#include "hash.h"
#include "hash128.h"
#include "sets.h"
#include "sketch.h"
#include "text.h"

using namespace lookalike;

namespace {

// On a device memory does not grow: what has no room is counted and left out.
template <class T>
struct Fixed {
    T* data_;
    u64 capacity, size_ = 0, lost = 0;

    LK_FN Fixed(T* data, u64 n) : data_(data), capacity(n) {}
    LK_FN T* data() { return data_; }
    LK_FN u64 size() const { return size_; }
    LK_FN void clear() { size_ = 0; }
    LK_FN void push(const T& value) {
        if (size_ < capacity)
            data_[size_++] = value;
        else
            ++lost;
    }
};

struct FixedText {
    Fixed<u8> bytes;

    LK_FN void ascii(const u8* s, u64 n, bool lower, u64) {
        for (u64 i = 0; i < n; ++i) bytes.push(lower ? ascii_lower(s[i]) : s[i]);
    }
    LK_FN void put(u32 cp, u64, u64) {
        u8 encoded[4];
        const u32 n = encode(cp, encoded);
        for (u32 i = 0; i < n; ++i) bytes.push(encoded[i]);
    }
};

}  // namespace

// Texts of up to `room` bytes each → their words' hashes, windows, signature and band keys.
extern "C" __global__ void check_texts(const u8* data, const i64* offsets, i64 rows, int form, u64 room, u8* bytes,
                                       Unit* units, u64* tokens, u64* windows, const u64* multipliers, u32 hashes,
                                       u64* slots, u32 band_rows, u64* keys, Hash128* hashes_of_words, u64 k) {
    const i64 row = static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    FixedText text{Fixed<u8>(bytes + row * room, room)};
    Fixed<Unit> segment(units + row * room, room);
    Normalizer<FixedText, Fixed<Unit>>(static_cast<Form>(form), text, segment)
        .run(data + offsets[row], static_cast<u64>(offsets[row + 1] - offsets[row]));
    Fixed<u64> found(tokens + row * room, room);
    const u8* const s = text.bytes.data();
    const u64 n = text.bytes.size();
    each_word(s, n, [&](u64 start, u64 end) { found.push(hash_bytes(s + start, end - start)); });
    if (k > 99) each_word<true>(s, n, [&](u64 start, u64 end) { found.push(hash_bytes(s + start, end - start)); });
    if (found.size() == 0)
        each_stretch(s, n, [&](u64 start, u64 end) { found.push(hash_bytes(s + start, end - start)); });
    if (found.size() == 0)
        each_character(s, n, Whitespace::fold, [&](u32 cp, u64, u64) { found.push(hash_character(cp)); });
    u64* const out = windows + row * room;
    u64 count = 0;
    if (found.size() >= k) {
        hash_windows(found.data(), found.size(), k, out);
        count = found.size() - k + 1;
    } else if (found.size()) {
        out[count++] = hash_window(found.data(), found.size());
    }
    hashes_of_words[row] = hash128(reinterpret_cast<const u8*>(found.data()), 8 * found.size(), Hash128{1, 2});
    WindowSums sums;
    for (u64 i = 0; i < count; ++i) sums.add(out[i]);
    out[0] = sums.shingle();
    sketch_fast(out, count, multipliers, hashes, slots + row * hashes);
    for (u32 b = 0; b < hashes / band_rows; ++b)
        keys[row * (hashes / band_rows) + b] = band_key(slots + row * hashes + b * band_rows, band_rows, b);
}

extern "C" __global__ void check_sets(const u64* values, const i64* offsets, i64 rows, u64 seed, u32 hashes,
                                      u64* constants, u64* slots, u64 p, u64 q, u64* common) {
    const i64 row = static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x;
    const u64 state = seed_state(seed);
    if (row < hashes) {
        constants[row] = multiplier(state, static_cast<u64>(row));
        constants[hashes + row] = offset(state, static_cast<u64>(row));
    }
    if (row + 1 >= rows) return;
    const u64* const a = values + offsets[row];
    const u64* const b = values + offsets[row + 1];
    const u64 na = static_cast<u64>(offsets[row + 1] - offsets[row]),
              nb = static_cast<u64>(offsets[row + 2] - offsets[row + 1]);
    sketch_classic(a, na, constants, constants + hashes, hashes, slots + row * hashes);
    const Threshold threshold{p, q};
    common[row] = threshold.sizes_fit(na, nb) && nb >= threshold.least_size(na)
                      ? intersection(a, na, b, nb, threshold.overlap(na, nb))
                      : shorten(occurrence(fold(na, nb), 1));
}

extern "C" __global__ void check_weighted(const u64* values, const double* weights, const i64* offsets, i64 rows,
                                          u64 seed, u32 hashes, u64* keys, double* steps, Bounds* bounds, double limit,
                                          u64* slots) {
    const i64 row = static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x;
    const u64 state = seed_state(seed);
    if (row < kBlocks) keys[row] = block_key(state, static_cast<u32>(row));
    if (row < kStrips) steps[row] = strip_step(static_cast<int>(row) + kLowestStrip);
    if (row >= rows) return;
    const i64 begin = offsets[row];
    const Reach reach(keys, steps, limit, kHighestStrip, bounds[row]);
    sketch_weighted(values + begin, weights + begin, static_cast<u64>(offsets[row + 1] - begin), state, reach, hashes,
                    slots + row * hashes);
}
