// The lines of a block of JSON Lines, and whether Arrow's parser reads them like Python's.
#pragma once
#include "array.h"

namespace lookalike {

struct JsonLines {
    // Where each line that is not empty begins, and where it ends, after its line end.
    Buffer<i64> starts, ends;
    u64 opened = 0;  // the most lists and objects that a line opens, including brackets within strings
};

// Returns false if Arrow might misread a line: one that does not begin with '{' and end with '}', or one that may
// contain a zero byte, Inf, NaN, or a null after an object.
bool json_lines(const u8* data, u64 size, JsonLines& lines);

}  // namespace lookalike
