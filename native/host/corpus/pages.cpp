#include "pages.h"

#include "../check.h"

namespace lookalike {

namespace {

void check_width(u64 width) {
    require(width >= 1 && width <= kPayload, "a record has 1 … 4092 bytes, got " + std::to_string(width));
}

}  // namespace

Array<u8> record_pages(const u8* records, u64 count, u64 width) {
    check_width(width);
    const u64 per_page = kPayload / width, pages = pages_for(count, width);
    Array<u8> out(pages * kPage);
    for (u64 p = 0; p < pages; ++p) {
        u8* const page = out.begin() + p * kPage;
        const u64 bytes = std::min(per_page, count - p * per_page) * width;
        std::copy_n(records + p * per_page * width, bytes, page);
        std::fill(page + bytes, page + kPage, u8{0});
        seal(page);
    }
    return out;
}

Array<u8> read_records(int file, u64 first, u64 count, u64 width, const i64* positions, u64 n) {
    check_width(width);
    check_rows(positions, n, count, "positions");
    const u64 per_page = kPayload / width;
    Array<u8> out(n * width), page(kPage);
    u64 loaded = ~0ull;
    for (u64 i = 0; i < n; ++i) {
        const u64 position = static_cast<u64>(positions[i]), wanted = position / per_page;
        if (wanted != loaded) {
            loaded = ~0ull;
            read_pages(file, first + wanted, 1, page.begin());
            check_page(page.begin(), first + wanted);
            loaded = wanted;
        }
        std::copy_n(page.begin() + position % per_page * width, width, out.begin() + i * width);
    }
    return out;
}

}  // namespace lookalike
