// A block of text or of lists → baskets of numbered items, each ascending and without repetitions.
#pragma once
#include "../threads.h"
#include "items.h"

namespace lookalike::frequent {

// Whole lines, one basket per line. Items are divided by the separator (0: any white space) and stripped of white
// space.
struct Text {
    const u8* data;
    u64 size;
    u8 separator;
};

// Row r has the strings lists[r] … lists[r + 1], string s the bytes strings[s] … strings[s + 1].
struct Lists {
    const u8* data;
    const i64* strings;
    const i64* lists;
    u64 rows, bytes;
};

// An item in a basket: its number in the high half, its hash in the low half, so that sorting is by number.
inline u64 entry_of(u32 number, u32 hash) { return u64{number} << 32 | hash; }
inline u32 number_of(u64 entry) { return static_cast<u32>(entry >> 32); }
inline u32 hash_of(u64 entry) { return static_cast<u32>(entry); }

// Consecutive baskets of a block. Their memory is reused for the next block.
struct Stripe {
    Buffer<u64> entries;
    Buffer<u64> ends;  // basket b has the entries ends[b - 1] … ends[b]
    Buffer<Item> items;
    u64 read = 0;  // items in the input, including repetitions

    u64 baskets() const { return ends.size(); }
    u64 first(u64 basket) const { return basket ? ends[basket - 1] : 0; }
    u64 bytes() const;
};

// Looks up all items of a block. Unknown items get the number kUnknown, or are left out if `only_known`.
void look_up(const Text& text, const Dictionary& dictionary, bool only_known, std::vector<Stripe>& stripes,
             int threads);
void look_up(const Lists& lists, const Dictionary& dictionary, bool only_known, std::vector<Stripe>& stripes,
             int threads);

// Sorts each basket and removes repetitions. Unknown items come last and keep their repetitions.
void put_in_order(std::vector<Stripe>& stripes, int threads);

}  // namespace lookalike::frequent
