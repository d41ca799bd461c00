#include "documents.h"

#include <cstring>

#include "check.h"
#include "cutter.h"
#include "threads.h"

namespace lookalike {

namespace {

constexpr u64 kAtOnce = 32;  // documents per chunk: enough short ones, or a few megabytes of long ones

template <class Work>
void each_document(const Documents& documents, const Shingling& shingling, int threads, Work&& work) {
    std::vector<std::unique_ptr<Cutter>> cutters(workers_for(documents.rows, kAtOnce, threads));
    for (auto& cutter : cutters) cutter = std::make_unique<Cutter>(shingling);
    parallel_for(documents.rows, kAtOnce, threads,
                 [&](u32 worker, u64 begin, u64 end) { work(*cutters[worker], begin, end); });
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

void Shingling::check() const { require(k >= 1 && k <= 10'000, "k must lie in 1 … 10000, got " + std::to_string(k)); }

ShingleTable shingle(const Documents& documents, const Shingling& shingling, int threads) {
    documents.check();
    shingling.check();
    const u64 rows = documents.rows;
    ShingleTable table;
    table.offsets = Array<i64>(rows + 1);
    table.offsets[0] = 0;
    std::vector<Array<u64>> parts(rows / kAtOnce + 1);
    each_document(documents, shingling, threads, [&](Cutter& cutter, u64 begin, u64 end) {
        Buffer<u64>& gathered = cutter.gathered();  // stays in the cache, and gives the exact size of the part
        gathered.clear();
        Array<u64>& part = parts[begin / kAtOnce];
        if (end - begin == 1) {  // it may be huge, and is not copied more often than necessary
            cutter.cut(documents, begin);
            cutter.to_set();
            table.offsets[begin + 1] = static_cast<i64>(cutter.window_count());
            part = Array<u64>(cutter.window_count());
            std::copy_n(cutter.windows(), cutter.window_count(), part.begin());
            cutter.free();
            return;
        }
        for (u64 i = begin; i < end; ++i) {
            cutter.cut(documents, i);
            cutter.to_set();
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

void describe(const Documents& documents, u64 i, Cutter& cutter, SketchTable& table) {
    table.flags[i] = cutter.cut(documents, i);
    table.lengths[i] = documents.length(i);
    table.sizes[i] = documents.size(i);
    const Fingerprint fingerprint = cutter.fingerprint();
    table.fingerprints[2 * i] = fingerprint.sum;
    table.fingerprints[2 * i + 1] = fingerprint.product;
    cutter.to_elements();
    table.windows[i] = static_cast<u32>(std::min<u64>(cutter.window_count(), ~0u));
}

SketchTable sketch(const Documents& documents, const Shingling& shingling, const Sketch& sketch, const Banding& banding,
                   int threads) {
    documents.check();
    shingling.check();
    SketchTable table{
        Array<u64>(2 * documents.rows), Array<u8>(documents.rows),  Array<u64>(documents.rows * banding.bands),
        Array<i64>(documents.rows),     Array<i64>(documents.rows), Array<u32>(documents.rows)};
    each_document(documents, shingling, threads, [&](Cutter& cutter, u64 begin, u64 end) {
        Array<u64> slots(sketch.hashes());
        for (u64 i = begin; i < end; ++i) {
            describe(documents, i, cutter, table);
            sketch.sign(cutter.windows(), cutter.window_count(), slots.begin());
            for (u32 b = 0; b < banding.bands; ++b)
                table.keys[i * banding.bands + b] = band_key(slots.begin() + b * banding.rows, banding.rows, b);
        }
    });
    return table;
}

}  // namespace lookalike
