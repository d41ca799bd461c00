// Checks of arguments, made before any of them is used. std::invalid_argument becomes ValueError in Python.
#pragma once
#include <stdexcept>
#include <string>

#include "../core/base.h"

namespace lookalike {

inline void require(bool holds, const std::string& otherwise) {
    if (!holds) throw std::invalid_argument(otherwise);
}

// Offsets must start at 0 or later, never decrease, and end within the array they point into.
inline void check_offsets(const i64* offsets, u64 count, u64 size, const char* name) {
    require(count >= 1, std::string(name) + " must have one element more than there are rows, got none");
    require(offsets[0] >= 0, std::string(name) + " must not be negative, got " + std::to_string(offsets[0]) + " first");
    for (u64 i = 1; i < count; ++i)
        if (offsets[i] < offsets[i - 1])
            throw std::invalid_argument(std::string(name) + " must not decrease, got " + std::to_string(offsets[i]) +
                                        " after " + std::to_string(offsets[i - 1]) + " at " + std::to_string(i));
    require(static_cast<u64>(offsets[count - 1]) <= size, std::string(name) + " must end within the " +
                                                              std::to_string(size) + " elements there are, got " +
                                                              std::to_string(offsets[count - 1]));
}

inline void check_rows(const i64* rows, u64 count, u64 n, const char* name) {
    for (u64 i = 0; i < count; ++i)
        if (rows[i] < 0 || static_cast<u64>(rows[i]) >= n)
            throw std::invalid_argument(std::string(name) + " must contain rows 0 … " + std::to_string(i64(n) - 1) +
                                        ", got " + std::to_string(rows[i]) + " at " + std::to_string(i));
}

inline constexpr u64 kMostRows = 0xFFFFFFFEull;  // row numbers within one call have 32 bits

inline void check_row_count(u64 n) {
    require(n <= kMostRows, "one call takes at most 4294967294 rows, got " + std::to_string(n));
}

}  // namespace lookalike
