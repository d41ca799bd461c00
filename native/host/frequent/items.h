// Items are byte strings. A dictionary numbers them in order of first occurrence; it is exact, not a hash.
#pragma once
#include <cstring>
#include <vector>

#include "../../core/hash.h"
#include "../array.h"

namespace lookalike::frequent {

inline constexpr u32 kUnknown = 0xFFFFFFFFu;  // the number of an item that is not in the dictionary
inline constexpr u64 kAllHashes = 1ull << 32;

// An item of up to seven bytes is its own key, so that most lookups access a single slot.
inline constexpr u64 kShort = 7;
inline constexpr u64 kLong = 0xFFull << 56;

struct Item {
    const u8* text;
    u64 key;  // the bytes and their number; kLong if more than seven
    u32 size, hash;
};

// `readable` is how many bytes may be read, starting at `text`; at least `size`.
inline Item item_of(const u8* text, u64 size, u64 readable) {
    const u32 n = static_cast<u32>(size);
    if (size > kShort) return {text, kLong, n, static_cast<u32>(hash_bytes(text, size, readable) >> 32)};
    const u64 bytes = readable >= 8 ? load64(text) & low_bytes(size) : load_some(text, size);
    const u64 key = bytes | size << 56;
    return {text, key, n, static_cast<u32>(mix(key) >> 32)};
}

class Dictionary {
  public:
    u32 find(const Item& item) const {
        if (slots_.empty()) return kUnknown;
        for (u64 at = home(item.hash);; at = (at + 1) & (slots_.size() - 1)) {
            const Slot& slot = slots_[at];
            if (slot.number == kUnknown) return kUnknown;
            if (item.key == kLong ? holds(slot, item) : slot.key == item.key) return slot.number;
        }
    }
    void prefetch(const Item& item) const {
        if (!slots_.empty()) __builtin_prefetch(&slots_[home(item.hash)]);
    }
    u32 insert(const Item& item);  // returns its number, which may be new

    u64 size() const { return size_; }
    u64 bytes() const { return slots_.capacity() * sizeof(Slot) + arena_.capacity(); }
    bool has_only_integers() const { return integers_; }  // in the usual form of an int64

    // If not all items fit, one range of hashes is counted after another.
    bool takes(const Item& item) const { return item.hash >= begin_ && item.hash < end_; }
    u64 begin() const { return begin_; }
    u64 end() const { return end_; }
    void restart(u64 begin, u64 end);
    std::vector<u32>
    halve();  // drops the upper half of the range; returns the old numbers of the remaining items, ascending

    // Calls found(number, text, size) for every item, in no particular order.
    template <class Found>
    void each(Found&& found) const {
        for (const Slot& slot : slots_) {
            if (slot.number == kUnknown) continue;
            u8 bytes[8];
            const u8* text = bytes;
            u32 size = static_cast<u32>(slot.key >> 56);
            if (is_long(slot))
                text = stored(slot, size);
            else
                for (u32 i = 0; i < size; ++i) bytes[i] = static_cast<u8>(slot.key >> 8 * i);
            found(slot.number, text, u64{size});
        }
    }

  private:
    struct Slot {
        u64 key;  // for long items, kLong and their position in the arena
        u32 hash, number;
    };

    static bool is_long(const Slot& slot) { return slot.key >= kLong; }
    // Not the leading bits of the hash: items of one range of hashes would all fall into one part of the table.
    u64 home(u32 hash) const { return u64{hash * 0x9E3779B1u} >> shift_; }
    const u8* stored(const Slot& slot, u32& size) const {
        const u8* const at = arena_.data() + (slot.key & ~kLong);
        std::memcpy(&size, at, sizeof size);
        return at + sizeof size;
    }
    bool holds(const Slot& slot, const Item& item) const {
        if (slot.hash != item.hash || !is_long(slot)) return false;
        u32 size;
        const u8* const text = stored(slot, size);
        return size == item.size && std::memcmp(text, item.text, size) == 0;
    }
    u64 store(const u8* text, u32 size);
    void put(const Slot& slot);
    void resize(u64 items);

    std::vector<Slot> slots_;  // a power of two of them
    std::vector<u8> arena_;    // long items: their size in four bytes, then their bytes
    u64 size_ = 0, begin_ = 0, end_ = kAllHashes;
    u32 shift_ = 32;
    bool integers_ = true;
};

}  // namespace lookalike::frequent
