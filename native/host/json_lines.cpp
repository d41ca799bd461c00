#include "json_lines.h"

#include <array>

namespace lookalike {

namespace {

// Few bytes of a text are among these; all others are skipped as fast as they can be loaded.
constexpr std::array<bool, 256> kNoticed = [] {
    std::array<bool, 256> noticed{};
    for (const u8 byte : {u8(0), u8('\n'), u8('{'), u8('['), u8('}'), u8('I'), u8('N')}) noticed[byte] = true;
    return noticed;
}();

const u8* without_blanks(const u8* at, const u8* end) {
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r')) ++at;
    return at;
}

bool begins(const u8* at, const u8* end, const char* word, u64 length) {
    return u64(end - at) >= length && std::memcmp(at, word, length) == 0;
}

// True if a value ends here.
bool ends_value(const u8* at, const u8* end) {
    at = without_blanks(at, end);
    return at < end && (*at == ',' || *at == ']' || *at == '}');
}

bool is_lax(const u8* at, const u8* end) {
    switch (*at) {
        case 0: return true;
        case '}': at = without_blanks(at + 1, end); return at < end && *at == 'n';
        case 'I':
            if (!begins(at, end, "Inf", 3)) return false;
            return ends_value(at + 3, end) || (begins(at + 3, end, "inity", 5) && ends_value(at + 8, end));
        case 'N': return begins(at, end, "NaN", 3) && ends_value(at + 3, end);
        default: return false;
    }
}

// Adds the line from `start` to `end`, whose last byte is before `next`. Returns false if it is not an object.
bool add(JsonLines& lines, const u8* data, u64 start, u64 end, u64 next, u64 opened) {
    const u64 inner = end > start && data[end - 1] == '\r' ? end - 1 : end;
    if (inner == start) return true;
    if (data[start] != '{' || data[inner - 1] != '}') return false;
    lines.starts.push(i64(start));
    lines.ends.push(i64(next));
    lines.opened = std::max(lines.opened, opened);
    return true;
}

}  // namespace

bool json_lines(const u8* data, u64 size, JsonLines& lines) {
    const u8* const end = data + size;
    u64 start = 0, opened = 0;
    for (const u8* at = data;; ++at) {
        while (at < end && !kNoticed[*at]) ++at;
        if (at == end) break;
        if (*at == '{' || *at == '[') {
            ++opened;
        } else if (*at == '\n') {
            const u64 here = u64(at - data);
            if (!add(lines, data, start, here, here + 1, opened)) return false;
            start = here + 1;
            opened = 0;
        } else if (is_lax(at, end)) {
            return false;
        }
    }
    return add(lines, data, start, size, size, opened);
}

}  // namespace lookalike
