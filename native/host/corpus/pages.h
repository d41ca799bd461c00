// Pages of 4096 bytes, each with a check: the files of a segment that are read page by page.
#pragma once
#include <stdexcept>
#include <string>

#include "../array.h"
#include "../file.h"
#include "../hasher128.h"

namespace lookalike {

inline constexpr u64 kPage = 4096, kPayload = 4092;  // the last four bytes are the check

// A page whose bytes do not match its check.
struct DamagedPage : std::runtime_error {
    explicit DamagedPage(u64 page) : std::runtime_error("page " + std::to_string(page) + " is damaged") {}
};

inline u32 check_of(const u8* page) { return static_cast<u32>(hash128(page, kPayload).a); }

inline void seal(u8* page) {
    const u32 check = check_of(page);
    std::memcpy(page + kPayload, &check, 4);
}

// Reads `count` pages of an open file, from page `first` on, without checking them.
inline void read_pages(int file, u64 first, u64 count, u8* to) {
    read_all(file, to, count * kPage, static_cast<i64>(first * kPage));
}

inline void check_page(const u8* page, u64 number) {
    u32 check;
    std::memcpy(&check, page + kPayload, 4);
    if (check != check_of(page)) throw DamagedPage(number);
}

inline u64 pages_for(u64 items, u64 width) {
    const u64 per_page = kPayload / width;
    return items / per_page + (items % per_page != 0);
}

// Records of a fixed width as pages. A record never spans two pages.
Array<u8> record_pages(const u8* records, u64 count, u64 width);

// The records at these positions, from pages that start at page `first` of the file.
Array<u8> read_records(int file, u64 first, u64 count, u64 width, const i64* positions, u64 n);

}  // namespace lookalike
