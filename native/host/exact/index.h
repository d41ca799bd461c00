// Prefixes of records → for each code, the records that contain it, each with a few bits of its parity.
//
// Lists are scanned far more often than their records are read. So each posting holds the data that decides most cases:
// `words` words of parity (the eight words of the record, folded together), and one more word with the record's number
// and how many of its elements follow. Records are numbered by size, so that a range of sizes is a stretch of the list.
#pragma once
#include "../threads.h"
#include "order.h"

namespace lookalike {

// The parity folded into fewer words. Bits that differ in the full parity differ here too, or cancel out.
inline void fold(const Parity& parity, u64 words, u64* out) {
    for (u64 w = 0; w < words; ++w) out[w] = 0;
    for (u64 w = 0; w < kParityWords; ++w) out[w % words] ^= parity.words[w];
}

struct Index {
    u32 begin = 0, end = 0;  // the records it covers
    u64 words = 1;
    Array<u32> starts;  // where the list of each code starts
    Array<u64> postings;
    std::vector<u64> prefixes;  // the number of elements indexed, by the size of the set

    u64 stride() const { return words + 1; }
    const u64* posting(u64 i) const { return postings.data.get() + i * stride(); }
    u32 record(u64 i) const { return static_cast<u32>(posting(i)[words]); }
    u64 rest(u64 i) const { return posting(i)[words] >> 32; }

    // The number of codes whose lists contain this record.
    u64 taken(const Records& records, u64 r) const {
        const u64 prefix = prefixes[records.size(r)], own = records.own(r);
        return prefix > own ? std::min(prefix - own, records.code_count(r)) : 0;
    }
};

// The most bytes of postings in one index (a single record may exceed it). Large collections take several indexes.
inline constexpr u64 kMostIndex = 1ull << 28;

// Indexes as many records as fit, starting at `begin`. `wanted(size)` is how many elements of a set of that size to
// index.
template <class Wanted>
Index index_records(const Records& records, u64 codes, u32 begin, u64 words, int threads, Wanted&& wanted) {
    Index index;
    for (u64 size = 0; size <= records.largest(); ++size) index.prefixes.push_back(wanted(size));
    const auto taken = [&](u64 r) { return index.taken(records, r); };
    index.begin = index.end = begin;
    index.words = words;
    const u64 room = kMostIndex / (8 * index.stride());
    if (records.most_codes() <= room) index.end = static_cast<u32>(records.count());
    for (u64 total = 0; index.end < records.count(); ++index.end)
        if ((total += taken(index.end)) > room && index.end > begin) break;
    // Parts of the records are written in parallel; for every code, each part has the position of its postings.
    const u64 parts = std::clamp(threads, 1, 4), n = index.end - begin;
    std::vector<Array<u32>> places(parts);
    const auto part = [&](u64 k) { return begin + static_cast<u32>(n * k / parts); };
    parallel_for(parts, 1, threads, [&](u32, u64 k, u64) {
        places[k] = scattered<u32>(codes);
        std::fill_n(places[k].begin(), codes, 0u);
        for (u32 r = part(k); r < part(k + 1); ++r)
            for (u64 i = 0, count = taken(r); i < count; ++i) ++places[k][records.codes(r)[i]];
    });
    index.starts = Array<u32>(codes + 1);
    u32 sum = 0;
    for (u64 c = 0; c < codes; ++c) {
        index.starts[c] = sum;
        for (u64 k = 0; k < parts; ++k) sum += std::exchange(places[k][c], sum);
    }
    index.starts[codes] = sum;
    index.postings = scattered<u64>(sum * index.stride());
    parallel_for(parts, 1, threads, [&](u32, u64 k, u64) {
        u64 bits[kParityWords];
        for (u32 r = part(k); r < part(k + 1); ++r) {
            const u64 count = taken(r), left = records.size(r) - records.own(r);
            if (count == 0) continue;
            fold(records.parity(r), words, bits);
            for (u64 i = 0; i < count; ++i) {
                u64* const posting = index.postings.begin() + places[k][records.codes(r)[i]]++ * index.stride();
                std::copy_n(bits, words, posting);
                posting[words] = (left - i) << 32 | r;
            }
        }
    });
    return index;
}

}  // namespace lookalike
