// Lines of JSON: no byte outside the block is read, and lines are found where a simple search finds them.
#pragma once
#include "../host/json_lines.h"
#include "checks.h"

namespace {

void test_lines_of_json_are_found_within_the_block() {
    const std::string parts[] = {"{",   "}",     "\n",  "\r", "[", "a",    " ",
                                 "Inf", "inity", "NaN", ",",  "n", "{}\n", "{\"a\":1}\r\n"};
    for (int round = 0; round < 5000; ++round) {
        std::vector<u8> text;
        for (u64 n = below(12); n > 0; --n) {
            const std::string& part = parts[below(below(2) ? 14 : 3) % 14];
            text.insert(text.end(), part.begin(), part.end());
        }
        Array<u8> bytes = exact(text);
        JsonLines lines;
        if (!json_lines(bytes.begin(), bytes.size, lines)) continue;
        EXPECT(lines.starts.size() == lines.ends.size());
        i64 before = 0;
        for (u64 i = 0; i < lines.starts.size(); ++i) {
            EXPECT(lines.starts[i] >= before && lines.starts[i] < lines.ends[i] && text[u64(lines.starts[i])] == '{');
            before = lines.ends[i];
            EXPECT(text[u64(before) - 1] == '\n' || u64(before) == text.size());
        }
    }
}

}  // namespace
