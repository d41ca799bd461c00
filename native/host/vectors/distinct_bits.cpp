// Equal rows have equal hashes. Rows of one hash are compared word by word.
#include "distinct_bits.h"

#include "../../core/hash.h"
#include "keyed_rows.h"

namespace lookalike::vectors {

namespace {

u32 hash_of(const u64* row, u64 words) {
    u64 hash = kByteKey0;
    for (u64 w = 0; w < words; ++w) hash = fold(hash ^ row[w], kByteKey1);
    return static_cast<u32>(mix(hash) >> 32);
}

bool equal(const Bits& bits, u64 a, u64 b) {
    return std::equal(bits.row(row_of(a)), bits.row(row_of(a)) + bits.words, bits.row(row_of(b)));
}

// Orders entries of one hash by their bits, then by their rows, so that equal rows are adjacent.
void order_by_bits(const Bits& bits, u64* begin, u64* end) {
    std::sort(begin, end, [&](u64 a, u64 b) {
        const u64 *x = bits.row(row_of(a)), *y = bits.row(row_of(b));
        for (u64 w = 0; w < bits.words; ++w)
            if (x[w] != y[w]) return x[w] < y[w];
        return row_of(a) < row_of(b);
    });
}

}  // namespace

DistinctBits distinct_bits(const Bits& bits, int threads) {
    bits.check();
    KeyedRows keyed;
    Array<u8> begins(bits.rows);  // whether the entry is the first of its group
    keyed.each_partition(
        bits.rows, threads, [&](u64 row) { return hash_of(bits.row(row), bits.words); },
        [&](u32, u64 begin, u64 end) {
            u64* const entries = keyed.entries();
            for (u64 i = begin, stop; i < end; i = stop) {
                bool same = true;
                for (stop = i + 1; stop < end && key_half(entries[stop]) == key_half(entries[i]); ++stop)
                    same = same && equal(bits, entries[i], entries[stop]);
                if (!same) order_by_bits(bits, entries + i, entries + stop);
                for (u64 j = i; j < stop; ++j)
                    begins[j] = j == i || (!same && !equal(bits, entries[j - 1], entries[j]));
            }
        });
    u64 groups = 0;
    for (u64 i = 0; i < bits.rows; ++i) groups += begins[i];
    DistinctBits out{bits.words, groups, Array<u64>(groups * bits.words), Array<u64>(groups + 1),
                     Array<u32>(bits.rows)};
    for (u64 i = 0, group = 0; i < bits.rows; ++i) {
        out.members[i] = row_of(keyed.entries()[i]);
        if (!begins[i]) continue;
        out.starts[group] = i;
        std::copy_n(bits.row(out.members[i]), bits.words, out.values.begin() + group++ * bits.words);
    }
    out.starts[groups] = bits.rows;
    return out;
}

DistinctBits distinct_bits(const Bits& left, const Bits& right, int threads) {
    const DistinctBits one = distinct_bits(left, threads), two = distinct_bits(right, threads);
    const u64 a = one.size(), b = two.size(), words = left.words;
    require(a + b < 1ull << 32, "both sides must have fewer than 2^32 rows in total");
    DistinctBits out{words, a, Array<u64>((a + b) * words), Array<u64>(a + b + 1), Array<u32>(left.rows + right.rows)};
    std::copy_n(two.values.data.get(), b * words, std::copy_n(one.values.data.get(), a * words, out.values.begin()));
    std::copy_n(two.members.data.get(), right.rows,
                std::copy_n(one.members.data.get(), left.rows, out.members.begin()));
    std::copy_n(one.starts.data.get(), a, out.starts.begin());
    for (u64 i = 0; i <= b; ++i) out.starts[a + i] = left.rows + two.starts[i];
    return out;
}

}  // namespace lookalike::vectors
