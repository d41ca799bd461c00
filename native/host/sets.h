// A table of shingle sets, and the sizes of their intersections.
#pragma once
#include "../core/sets.h"
#include "array.h"
#include "check.h"

namespace lookalike {

// Set i is values[offsets[i] … offsets[i + 1]], ascending and distinct.
struct Sets {
    u64 rows = 0;
    const i64* offsets = nullptr;
    const u64* values = nullptr;
    u64 value_count = 0;

    void check() const {
        check_row_count(rows);
        check_offsets(offsets, rows + 1, value_count, "offsets");
        u64 largest = 0;
        for (u64 i = 0; i < rows; ++i) largest = std::max(largest, size(i));
        require(largest < (1ull << 32), "a set has at most 4294967295 elements, got one of " + std::to_string(largest));
    }
    u64 size(u64 i) const { return static_cast<u64>(offsets[i + 1] - offsets[i]); }
    const u64* set(u64 i) const { return values + offsets[i]; }

    // |A∩B| if the pair reaches the threshold, otherwise 0. `checked` counts the pairs whose sets were compared.
    u64 similar(u64 a, u64 b, const Threshold& threshold, u64& checked) const {
        const u64 na = size(a), nb = size(b);
        if (!threshold.sizes_fit(na, nb)) return 0;
        ++checked;
        const u64 needed = threshold.overlap(na, nb);
        const u64 common = intersection(set(a), na, set(b), nb, needed);
        return common >= needed ? common : 0;
    }
};

inline Threshold check_threshold(i64 numerator, i64 denominator) {
    require(numerator >= 1 && numerator <= denominator && denominator <= 1'000'000'000,
            "the threshold must be a fraction in (0, 1] of numbers up to 10⁹, got " + std::to_string(numerator) + "/" +
                std::to_string(denominator));
    return Threshold{static_cast<u64>(numerator), static_cast<u64>(denominator)};
}

// |A∩B| of each given pair.
Array<i64> intersections(const Sets& sets, const i64* left, const i64* right, u64 count, int threads);

}  // namespace lookalike
