#include "items.h"

#include "../check.h"

namespace lookalike::frequent {

namespace {

// True if the text is the usual form of an int64: no plus, no leading zero, no minus zero, not too large.
bool is_integer(const u8* text, u64 size) {
    const bool negative = size > 0 && text[0] == '-';
    const u64 digits = size - negative;
    if (digits == 0 || digits > 19 || (text[negative] == '0' && size > 1)) return false;
    u64 value = 0;
    for (u64 i = negative; i < size; ++i) {
        if (text[i] < '0' || text[i] > '9') return false;
        value = value * 10 + (text[i] - '0');
    }
    return value <= (1ull << 63) - !negative;
}

}  // namespace

u32 Dictionary::insert(const Item& item) {
    const u32 known = find(item);
    if (known != kUnknown) return known;
    require(size_ < kUnknown - 1, "there are more than 4294967293 distinct items");
    if ((size_ + 1) * 4 > slots_.size() * 3) resize(2 * (size_ + 1));
    integers_ = integers_ && is_integer(item.text, item.size);
    const u32 number = static_cast<u32>(size_++);
    put({item.key == kLong ? store(item.text, item.size) : item.key, item.hash, number});
    return number;
}

u64 Dictionary::store(const u8* text, u32 size) {
    const u64 at = arena_.size();
    if (at + sizeof size + size > arena_.capacity()) arena_.reserve((at + sizeof size + size) * 5 / 4);
    arena_.resize(at + sizeof size);
    std::memcpy(arena_.data() + at, &size, sizeof size);
    arena_.insert(arena_.end(), text, text + size);
    return kLong | at;
}

void Dictionary::put(const Slot& slot) {
    u64 at = home(slot.hash);
    while (slots_[at].number != kUnknown) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = slot;
}

void Dictionary::resize(u64 items) {
    u32 bits = 4;
    while ((1ull << bits) * 3 < items * 4) ++bits;
    std::vector<Slot> old(1ull << bits, Slot{0, 0, kUnknown});
    std::swap(old, slots_);
    shift_ = 32 - bits;
    for (const Slot& slot : old)
        if (slot.number != kUnknown) put(slot);
}

void Dictionary::restart(u64 begin, u64 end) {
    const bool integers = integers_;
    *this = Dictionary();
    begin_ = begin;
    end_ = end;
    integers_ = integers;
}

std::vector<u32> Dictionary::halve() {
    Dictionary upper;
    std::swap(upper, *this);
    *this = Dictionary();
    begin_ = upper.begin_;
    end_ = upper.begin_ + (upper.end_ - upper.begin_) / 2;
    integers_ = upper.integers_;
    std::vector<Slot> kept;
    for (const Slot& slot : upper.slots_)
        if (slot.number != kUnknown && slot.hash < end_) kept.push_back(slot);
    std::sort(kept.begin(), kept.end(), [](const Slot& a, const Slot& b) { return a.number < b.number; });
    resize(kept.size() + 1);
    std::vector<u32> old;
    old.reserve(kept.size());
    for (Slot slot : kept) {
        old.push_back(slot.number);
        if (is_long(slot)) {
            u32 size;
            const u8* const text = upper.stored(slot, size);
            slot.key = store(text, size);
        }
        slot.number = static_cast<u32>(size_++);
        put(slot);
    }
    return old;
}

}  // namespace lookalike::frequent
