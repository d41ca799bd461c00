#include "values.h"

#include <cstring>

namespace lookalike {

namespace {

u64 length_at(const u8* input) {
    return input[0] | static_cast<u64>(input[1]) << 8 | static_cast<u64>(input[2]) << 16 |
           static_cast<u64>(input[3]) << 24;
}

}  // namespace

PlainValues plain_values(const u8* input, u64 bytes, u64 most) {
    u64 count = 0, end = 0;
    while (count < most && bytes - end >= 4 && bytes - end - 4 >= length_at(input + end)) {
        end += 4 + length_at(input + end);
        ++count;
    }
    PlainValues values{Array<i64>(count + 1), Array<u8>(end - 4 * count), end};
    values.offsets[0] = 0;
    u8* to = values.data.begin();
    for (u64 i = 0, at = 0; i < count; ++i) {
        const u64 length = length_at(input + at);
        to = std::copy_n(input + at + 4, length, to);
        at += 4 + length;
        values.offsets[i + 1] = to - values.data.begin();
    }
    return values;
}

}  // namespace lookalike
