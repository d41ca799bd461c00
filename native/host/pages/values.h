// Strings in Parquet's plain encoding: each one follows its length, four bytes in little-endian order.
#pragma once
#include "../array.h"

namespace lookalike {

struct PlainValues {
    Array<i64> offsets;  // into data: one more than there are strings
    Array<u8> data;
    u64 read = 0;  // bytes of the input
};
// The strings that are complete in the input, at most `most`.
PlainValues plain_values(const u8* input, u64 bytes, u64 most);

}  // namespace lookalike
