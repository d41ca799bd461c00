#include "baskets.h"

namespace lookalike::frequent {

namespace {

enum Kind : u8 { kPart, kGap, kEnd };  // the role of a byte in a basket file

struct Kinds {
    Kind of[256] = {};
    explicit Kinds(u8 separator) {
        if (separator)
            of[separator] = kGap;
        else
            for (const u8 space : {' ', '\t', '\v', '\f', '\r'}) of[space] = kGap;
        of[u8{'\n'}] = kEnd;
    }
};

bool is_space(u8 c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The lines that start between `begin` and `end`.
void read(const Text& text, u64 begin, u64 end, Stripe& stripe) {
    const Kinds kinds(text.separator);
    const u8* const stop = text.data + text.size;
    const u8* at = text.data + begin;
    const u8* const last = text.data + end;
    while (at < last) {
        for (bool more = true; more;) {
            const u8* start = at;
            while (at < stop && kinds.of[*at] == kPart) ++at;
            const u8* finish = at;
            more = at < stop && kinds.of[*at] == kGap;
            ++at;
            if (text.separator) {
                while (start < finish && is_space(*start)) ++start;
                while (start < finish && is_space(finish[-1])) --finish;
            }
            if (start < finish)
                stripe.items.push(item_of(start, static_cast<u64>(finish - start), static_cast<u64>(stop - start)));
        }
        stripe.ends.push(stripe.items.size());
    }
}

void read(const Lists& lists, u64 begin, u64 end, Stripe& stripe) {
    for (u64 row = begin; row < end; ++row) {
        for (i64 s = lists.lists[row]; s < lists.lists[row + 1]; ++s) {
            const u64 from = static_cast<u64>(lists.strings[s]), to = static_cast<u64>(lists.strings[s + 1]);
            stripe.items.push(item_of(lists.data + from, to - from, lists.bytes - from));
        }
        stripe.ends.push(stripe.items.size());
    }
}

// The first position at or after `at` where a stripe may start.
u64 cut(const Text& text, u64 at) {
    if (at == 0 || at >= text.size) return at < text.size ? at : text.size;
    const void* const end = std::memchr(text.data + at - 1, '\n', text.size - at + 1);
    return end ? static_cast<u64>(static_cast<const u8*>(end) - text.data) + 1 : text.size;
}
u64 cut(const Lists&, u64 at) { return at; }

u64 length(const Text& text) { return text.size; }
u64 length(const Lists& lists) { return lists.rows; }

// Items → entries. Slots are prefetched a few items ahead, because in a large dictionary each access is a cache miss.
void number(const Dictionary& dictionary, bool only_known, Stripe& stripe) {
    constexpr u64 ahead = 12;
    const u64 n = stripe.items.size();
    stripe.read = n;
    stripe.entries.resize(n);
    u64 kept = 0;
    for (u64 i = 0; i < std::min(ahead, n); ++i) dictionary.prefetch(stripe.items[i]);
    for (u64 basket = 0, i = 0; basket < stripe.baskets(); ++basket) {
        for (const u64 end = stripe.ends[basket]; i < end; ++i) {
            if (i + ahead < n) dictionary.prefetch(stripe.items[i + ahead]);
            const u32 found = dictionary.find(stripe.items[i]);
            stripe.entries[kept] = entry_of(found, stripe.items[i].hash);
            kept += !only_known || found != kUnknown;
        }
        stripe.ends[basket] = kept;
    }
    stripe.entries.resize(kept);
}

template <class Block>
void look_up_in(const Block& block, const Dictionary& dictionary, bool only_known, std::vector<Stripe>& stripes,
                int threads) {
    const u64 size = length(block), count = threads == 1 ? 1 : 4 * static_cast<u64>(threads);
    stripes.resize(count);
    parallel_for(count, 1, threads, [&](u32, u64 s, u64) {
        Stripe& stripe = stripes[s];
        stripe.items.clear();
        stripe.ends.clear();
        read(block, cut(block, size * s / count), cut(block, size * (s + 1) / count), stripe);
        number(dictionary, only_known, stripe);
    });
}

void sort_few(u64* v, u64 n) {
    for (u64 i = 1; i < n; ++i) {
        const u64 moved = v[i];
        u64 j = i;
        for (; j > 0 && v[j - 1] > moved; --j) v[j] = v[j - 1];
        v[j] = moved;
    }
}

}  // namespace

u64 Stripe::bytes() const { return entries.size() * 8 + ends.size() * 8 + items.size() * sizeof(Item); }

void look_up(const Text& text, const Dictionary& dictionary, bool only_known, std::vector<Stripe>& stripes,
             int threads) {
    look_up_in(text, dictionary, only_known, stripes, threads);
}

void look_up(const Lists& lists, const Dictionary& dictionary, bool only_known, std::vector<Stripe>& stripes,
             int threads) {
    look_up_in(lists, dictionary, only_known, stripes, threads);
}

void put_in_order(std::vector<Stripe>& stripes, int threads) {
    parallel_for(stripes.size(), 1, threads, [&](u32, u64 s, u64) {
        Stripe& stripe = stripes[s];
        u64 kept = 0;
        for (u64 basket = 0, begin = 0; basket < stripe.baskets(); ++basket) {
            const u64 end = stripe.ends[basket];
            u64* const entries = stripe.entries.data();
            if (end - begin <= 32)
                sort_few(entries + begin, end - begin);
            else
                std::sort(entries + begin, entries + end);
            for (u64 i = begin; i < end; ++i)
                if (i == begin || entries[i] != entries[i - 1] || number_of(entries[i]) == kUnknown)
                    entries[kept++] = entries[i];
            begin = end;
            stripe.ends[basket] = kept;
        }
        stripe.entries.resize(kept);
    });
}

}  // namespace lookalike::frequent
