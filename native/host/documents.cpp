#include "documents.h"

#include <cstring>

#include "check.h"
#include "cutter.h"
#include "threads.h"

namespace lookalike {

namespace {

constexpr u64 kAtOnce = 32;  // documents per chunk: enough short ones, or a few megabytes of long ones

template <class Work>
void each_document(const Documents& documents, const Shingling& shingling, bool hashes_words, int threads,
                   Work&& work) {
    std::vector<std::unique_ptr<Cutter>> cutters(workers_for(documents.rows, kAtOnce, threads));
    for (auto& cutter : cutters) cutter = std::make_unique<Cutter>(shingling, hashes_words);
    parallel_for(documents.rows, kAtOnce, threads,
                 [&](u32 worker, u64 begin, u64 end) { work(*cutters[worker], begin, end); });
}

// True if an ASCII letter or digit near the start of a text shows that it is not empty.
bool has_letters(const Documents& documents, u64 i) {
    if (documents.lists) return false;
    constexpr i64 near = 64;
    const u8 *at = documents.data + documents.strings[i], *const end = at + std::min(near, documents.size(i));
    for (; at < end; ++at)
        if ((*at >= '0' && *at <= '9') || ((*at | 0x20) >= 'a' && (*at | 0x20) <= 'z')) return true;
    return false;
}

// The elements of bags depend on all equal windows, so a huge text is read once per part, with its windows in memory.
constexpr u64 kBagParts = 16;

// Keeps the smaller value of each slot: the signature of a union is the minimum of the signatures.
void merge(const u64* more, u32 hashes, u64* slots) {
    for (u32 s = 0; s < hashes; ++s) slots[s] = std::min(slots[s], more[s]);
}

void note(const Documents& documents, u64 i, u8 flags, const Hash128& words, u64 windows, SketchTable& table) {
    table.flags[i] = flags;
    table.lengths[i] = documents.length(i);
    table.sizes[i] = documents.size(i);
    table.words[i] = words;
    table.bytes[i] = documents.raw_hash(i);
    table.windows[i] = static_cast<u32>(std::min<u64>(windows, ~0u));
}

// Signs a huge document without having all its windows in memory.
void sign_in_blocks(Cutter& cutter, const Documents& documents, u64 i, const Shingling& shingling, const Sketch& sketch,
                    u64* slots, SketchTable& table) {
    Array<u64> more(sketch.hashes());
    sketch.sign(nullptr, 0, slots);
    const auto sign = [&] {
        sketch.sign(cutter.windows(), cutter.window_count(), more.begin());
        merge(more.begin(), sketch.hashes(), slots);
    };
    if (!shingling.bag) return describe_in_blocks(documents, i, cutter, table, sign);
    u8 flags = 0;
    u64 windows = 0;
    for (u64 part = 0; part < kBagParts; ++part) {
        flags = cutter.cut_part(documents, i, part, kBagParts);
        windows += cutter.window_count();
        sign();
    }
    note(documents, i, flags, cutter.words(), windows, table);
}

// Cuts all documents; `finish` turns the windows of a cutter into those that the table shows.
template <class Finish>
ShingleTable cut_all(const Documents& documents, const Shingling& shingling, int threads, Finish&& finish) {
    documents.check();
    shingling.check();
    const u64 rows = documents.rows;
    ShingleTable table;
    table.offsets = Array<i64>(rows + 1);
    table.offsets[0] = 0;
    std::vector<Array<u64>> parts(rows / kAtOnce + 1);
    each_document(documents, shingling, false, threads, [&](Cutter& cutter, u64 begin, u64 end) {
        Buffer<u64>& gathered = cutter.gathered();  // stays in the cache, and gives the exact size of the part
        gathered.clear();
        Array<u64>& part = parts[begin / kAtOnce];
        if (end - begin == 1) {  // it may be huge, and is not copied more often than necessary
            cutter.cut(documents, begin);
            finish(cutter);
            table.offsets[begin + 1] = static_cast<i64>(cutter.window_count());
            part = Array<u64>(cutter.window_count());
            std::copy_n(cutter.windows(), cutter.window_count(), part.begin());
            cutter.free();
            return;
        }
        for (u64 i = begin; i < end; ++i) {
            cutter.cut(documents, i);
            finish(cutter);
            const u64 at = gathered.size();
            gathered.resize(at + cutter.window_count());
            std::copy_n(cutter.windows(), cutter.window_count(), gathered.data() + at);
            table.offsets[i + 1] = static_cast<i64>(cutter.window_count());
        }
        part = Array<u64>(gathered.size());
        std::copy_n(gathered.data(), gathered.size(), part.begin());
    });
    for (u64 i = 0; i < rows; ++i) table.offsets[i + 1] += table.offsets[i];
    if (rows == 1) {
        table.values = std::move(parts[0]);
        return table;
    }
    table.values = Array<u64>(static_cast<u64>(table.offsets[rows]));
    parallel_for(parts.size(), 8, threads, [&](u32, u64 begin, u64 end) {
        for (u64 p = begin; p < end; ++p) {
            std::copy(parts[p].begin(), parts[p].end(),
                      table.values.begin() + table.offsets[std::min(rows, p * kAtOnce)]);
            parts[p] = {};
        }
    });
    return table;
}

}  // namespace

void Documents::check() const {
    check_offsets(strings, string_count + 1, bytes, "string offsets");
    if (lists)
        check_offsets(lists, rows + 1, string_count, "list offsets");
    else
        require(rows <= string_count, "there are fewer texts than rows");
    require(!validity || validity_start + string_count <= validity_bits, "the validity bitmap is too short");
}

i64 Documents::length(u64 i) const {
    if (lists) return lists[i + 1] - lists[i];
    // Counts the bytes that start a character, that is, all but those of the form 10xxxxxx; eight bytes at a time.
    const u8 *at = data + strings[i], *const end = data + strings[i + 1];
    i64 characters = end - at;
    for (; end - at >= 8; at += 8) {
        u64 eight;
        std::memcpy(&eight, at, 8);
        const u64 going_on = eight & ~(eight << 1) & 0x8080808080808080ull;
        characters -= static_cast<i64>((going_on >> 7) * 0x0101010101010101ull >> 56);
    }
    for (; at < end; ++at) characters -= (*at & 0xC0) == 0x80;
    return characters;
}

Hash128 Documents::raw_hash(u64 i) const {
    if (!lists) return hash128(data + strings[i], static_cast<u64>(size(i)));
    constexpr u64 room = 512;  // collects short tokens, since adding bytes takes a moment
    u8 some[room];
    u64 n = 0;
    Hasher128 hasher;
    for (i64 t = lists[i]; t < lists[i + 1]; ++t) {
        const bool missing = !has_token(static_cast<u64>(t));
        const u8* const token = data + strings[t];
        const u64 bytes_here = missing ? 0 : static_cast<u64>(strings[t + 1] - strings[t]);
        const u64 length = missing ? ~0ull : bytes_here;
        if (n + 8 + bytes_here > room) {
            hasher.add(some, n);
            n = 0;
        }
        std::memcpy(some + n, &length, 8);
        n += 8;
        if (n + bytes_here <= room) {
            std::memcpy(some + n, token, bytes_here);
            n += bytes_here;
        } else {
            hasher.add(some, n);
            hasher.add(token, bytes_here);
            n = 0;
        }
    }
    hasher.add(some, n);
    return hasher.finish();
}

void Shingling::check() const { require(k >= 1 && k <= 10'000, "k must lie in 1 … 10000, got " + std::to_string(k)); }

ShingleTable shingle_part(const Documents& documents, const Shingling& shingling, u64 part, u64 parts, int threads) {
    documents.check();
    shingling.check();

    const u64 rows = documents.rows;
    ShingleTable table;
    table.offsets = Array<i64>(rows + 1);
    table.offsets[0] = 0;
    std::vector<Array<u64>> sets(rows);
    std::vector<std::unique_ptr<Cutter>> cutters(workers_for(rows, 1, threads));
    for (auto& cutter : cutters) cutter = std::make_unique<Cutter>(shingling);
    parallel_for(rows, 1, threads, [&](u32 worker, u64 begin, u64 end) {
        Cutter& cutter = *cutters[worker];
        for (u64 i = begin; i < end; ++i) {
            cutter.cut_part(documents, i, part, parts);
            cutter.make_distinct();
            sets[i] = Array<u64>(cutter.window_count());
            std::copy_n(cutter.windows(), cutter.window_count(), sets[i].begin());
            cutter.free();
        }
    });
    for (u64 i = 0; i < rows; ++i) table.offsets[i + 1] = table.offsets[i] + static_cast<i64>(sets[i].size);
    if (rows == 1) {
        table.values = std::move(sets[0]);
        return table;
    }
    table.values = Array<u64>(static_cast<u64>(table.offsets[rows]));
    for (u64 i = 0; i < rows; ++i) {
        std::copy(sets[i].begin(), sets[i].end(), table.values.begin() + table.offsets[i]);
        sets[i] = {};
    }
    return table;
}

ShingleTable shingle(const Documents& documents, const Shingling& shingling, int threads) {
    return cut_all(documents, shingling, threads, [](Cutter& cutter) { cutter.to_set(); });
}

ShingleTable windows(const Documents& documents, const Shingling& shingling, int threads) {
    return cut_all(documents, shingling, threads, [](Cutter&) {});
}

SketchTable hash_texts(const Documents& documents, const Shingling& shingling, bool raw, int threads) {
    documents.check();
    shingling.check();
    SketchTable table(documents.rows, 1);
    std::fill_n(table.keys.begin(), documents.rows, 0ull);
    each_document(documents, shingling, true, threads, [&](Cutter& cutter, u64 begin, u64 end) {
        for (u64 i = begin; i < end; ++i) {
            if (raw) {
                const u8 flags = has_letters(documents, i) ? 0 : cutter.hash_words(documents, i) & kEmpty;
                note(documents, i, flags, {}, 0, table);
                table.words[i] = table.bytes[i];
            } else {
                const u8 flags = cutter.hash_words(documents, i);
                note(documents, i, flags, cutter.words(), 0, table);
            }
        }
    });
    return table;
}

void describe(const Documents& documents, u64 i, Cutter& cutter, SketchTable& table) {
    const u8 flags = cutter.cut(documents, i);
    cutter.to_elements();
    note(documents, i, flags, cutter.words(), cutter.window_count(), table);
}

void describe_in_blocks(const Documents& documents, u64 i, Cutter& cutter, SketchTable& table,
                        const std::function<void()>& visit) {
    u64 windows = 0;
    const u8 flags = cutter.each_block(documents, i, [&] {
        windows += cutter.window_count();
        visit();
    });
    note(documents, i, flags, cutter.words(), windows, table);
}

SketchTable sketch(const Documents& documents, const Shingling& shingling, const Sketch& sketch, const Banding& banding,
                   int threads) {
    documents.check();
    shingling.check();
    SketchTable table(documents.rows, banding.bands);
    each_document(documents, shingling, true, threads, [&](Cutter& cutter, u64 begin, u64 end) {
        Array<u64> slots(sketch.hashes());
        for (u64 i = begin; i < end; ++i) {
            if (cutter.is_huge(documents, i)) {
                sign_in_blocks(cutter, documents, i, shingling, sketch, slots.begin(), table);
            } else {
                describe(documents, i, cutter, table);
                sketch.sign(cutter.windows(), cutter.window_count(), slots.begin());
            }
            for (u32 b = 0; b < banding.bands; ++b)
                table.keys[i * banding.bands + b] = band_key(slots.begin() + b * banding.rows, banding.rows, b);
        }
    });
    return table;
}

}  // namespace lookalike
