// Vectors → band keys, sixteen vectors at a time.
#include <cmath>

#include "../../core/hash.h"
#include "../simd/steps.h"
#include "../threads.h"
#include "vectors.h"

namespace lookalike::vectors {

namespace {

constexpr u64 kLanes = 16;
typedef u32 Keys16 __attribute__((vector_size(64)));
typedef int Bins16 __attribute__((vector_size(64)));
typedef float Lane16 __attribute__((vector_size(64)));

u64 random(u64 seed, u64 what, u64 index) { return mix(mix(seed + what * kGolden) + (index + 1) * kGolden); }

float shift_of(u64 seed, u64 function) {  // 24 bits: exact in single precision
    return static_cast<float>(random(seed, 2, function) >> 40) * 0x1p-24f;
}

// The greatest whole number not above x, clamped to a range beyond which bins are meaningless.
void take_floor(Lane16& x, Bins16& bins) {
    constexpr float far = 0x1p30f;
    x = x > far ? far - Lane16{} : x;
    x = x < -far ? -far - Lane16{} : x;
    bins = __builtin_convertvector(x, Bins16);
    bins += __builtin_convertvector(bins, Lane16) > x;  // a true comparison is −1
}

}  // namespace

u64 rotated_width(u64 width) {  // small sizes mix badly: a function may be 0 on several axes
    u64 size = 512;
    while (size < width) size *= 2;
    return size;
}

Array<u32> keys(const Table& table, const Functions& f, int threads) {
    table.check();
    require(f.bands >= 1 && f.bands <= 1 << 16, "there must be 1 … 65536 bands, got " + std::to_string(f.bands));
    require(f.rows >= 1 && f.rows <= (f.width > 0 ? 4096u : 32u), "too many rows per band: " + std::to_string(f.rows));
    const u64 n = table.rows, size = rotated_width(table.width), functions = f.bands * f.rows;
    const u64 rotations = functions / size + (functions % size != 0);
    Array<u32> signs(rotations * 3 * size);
    for (u64 i = 0; i < signs.size; ++i) signs[i] = static_cast<u32>(random(f.seed, 1, i) >> 63) << 31;
    // A coordinate of H D H D H D x is size^1.5 times that of a rotation, and a projection onto a Gaussian vector is
    // √size times a coordinate of the rotated vector.
    const float scale = f.width > 0 ? static_cast<float>(1 / (static_cast<double>(size) * f.width)) : 0;
    Array<float> shifts(f.width > 0 ? functions : 0);
    for (u64 i = 0; i < shifts.size; ++i) shifts[i] = shift_of(f.seed, i);

    Array<u32> out(n * f.bands);
    const auto& rotate = lookalike_steps::steps().rotate;
    std::vector<Buffer<float>> blocks(workers_for(n, 64 * kLanes, threads));
    parallel_for(n, 64 * kLanes, threads, [&](u32 worker, u64 begin, u64 end) {
        Buffer<float>& block = blocks[worker];
        block.resize(2 * size * kLanes);
        float *const original = block.data(), *const work = original + size * kLanes;
        for (u64 row = begin; row < end; row += kLanes) {
            const u64 lanes = std::min(kLanes, end - row);
            std::fill_n(original, size * kLanes, 0.0f);
            for (u64 k = 0; k < lanes; ++k)
                for (u64 j = 0; j < table.width; ++j) original[j * kLanes + k] = table.row(row + k)[j];
            u64 function = 0;
            Keys16 key = {};
            for (u64 r = 0; r < rotations; ++r) {
                std::copy_n(original, size * kLanes, work);
                rotate(work, size, signs.data.get() + r * 3 * size);
                for (u64 j = 0; j < size && function < functions; ++j, ++function) {
                    if (f.width > 0) {
                        Lane16 x = *reinterpret_cast<const Lane16*>(work + j * kLanes) * scale + shifts[function];
                        Bins16 bins;
                        take_floor(x, bins);
                        key = (key ^ (Keys16)bins) * 0x9E3779B1u;
                        key ^= key >> 15;
                    } else {
                        key = key << 1 | *reinterpret_cast<const Keys16*>(work + j * kLanes) >> 31;
                    }
                    if ((function + 1) % f.rows == 0) {
                        std::copy_n(reinterpret_cast<const u32*>(&key), lanes,
                                    out.begin() + function / f.rows * n + row);
                        key = Keys16{};
                    }
                }
            }
        }
    });
    return out;
}

Array<u32> keys(const Bits& bits, u64 size, u64 bands, u64 rows, u64 seed, int threads) {
    bits.check();
    require(size >= 1 && size <= 64 * bits.words, "size must be at least 1 and at most the number of bits in a row");
    require(
        bands >= 1 && bands <= 1 << 16 && rows >= 1 && rows <= 32,
        "there must be 1 … 65536 bands of 1 … 32 rows, got " + std::to_string(bands) + " of " + std::to_string(rows));
    Array<u64> places(bands * rows);
    for (u64 i = 0; i < places.size; ++i) places[i] = multiply_high(random(seed, 3, i), size);
    Array<u32> out(bits.rows * bands);
    parallel_for(bits.rows, 1024, threads, [&](u32, u64 begin, u64 end) {
        for (u64 row = begin; row < end; ++row) {
            const u64* const words = bits.row(row);
            for (u64 band = 0, f = 0; band < bands; ++band) {
                u32 key = 0;
                for (u64 r = 0; r < rows; ++r, ++f) key = key << 1 | (words[places[f] / 64] >> places[f] % 64 & 1);
                out[band * bits.rows + row] = key;
            }
        }
    });
    return out;
}

}  // namespace lookalike::vectors
