// Large pages of Parquet: pieces of any size give the same bytes, and damaged blocks are refused without invalid
// access.
#pragma once
#include "../host/pages/unpack.h"
#include "../host/pages/values.h"
#include "checks.h"

namespace {

// A block, fed in random pieces, each of which is a heap block of exactly its size.
std::vector<u8> unpacked(BlockFormat format, const std::vector<u8>& block, u64 size, u64 most) {
    Unpacker unpacker(format, size);
    std::vector<u8> all;
    for (u64 at = 0; at < block.size();) {
        const u64 n = std::min<u64>(block.size() - at, 1 + below(most));
        Array<u8> piece = exact(std::vector<u8>(block.begin() + i64(at), block.begin() + i64(at + n)));
        unpacker.feed(piece.begin(), n);
        all.insert(all.end(), unpacker.fresh(), unpacker.fresh() + unpacker.fresh_size());
        at += n;
    }
    return all;
}

// A Snappy block of random literals and copies, and the bytes that it stands for.
void random_snappy(std::vector<u8>& block, std::vector<u8>& plain) {
    std::vector<u8> elements;
    for (u64 e = 1 + below(400); e > 0; --e) {
        if (plain.empty() || below(2)) {
            const u64 length = 1 + below(60);
            elements.push_back(static_cast<u8>((length - 1) << 2));
            for (u64 i = 0; i < length; ++i) {
                elements.push_back(static_cast<u8>(below(256)));
                plain.push_back(elements.back());
            }
        } else {
            const u64 length = 1 + below(64), offset = 1 + below(std::min<u64>(plain.size(), 65535));
            elements.push_back(static_cast<u8>((length - 1) << 2 | 2));
            elements.push_back(static_cast<u8>(offset & 255));
            elements.push_back(static_cast<u8>(offset >> 8));
            for (u64 i = 0; i < length; ++i) plain.push_back(plain[plain.size() - offset]);
        }
    }
    for (u64 size = plain.size(); true; size >>= 7) {
        block.push_back(static_cast<u8>((size & 127) | (size > 127 ? 128 : 0)));
        if (size <= 127) break;
    }
    block.insert(block.end(), elements.begin(), elements.end());
}

void test_pieces_of_any_size_give_the_same_bytes() {
    for (int round = 0; round < 300; ++round) {
        std::vector<u8> block, plain;
        random_snappy(block, plain);
        EXPECT(unpacked(BlockFormat::snappy, block, plain.size(), 1 + below(2 * block.size())) == plain);
    }
}

void test_damaged_blocks_do_no_harm() {
    for (int round = 0; round < 2000; ++round) {
        const BlockFormat format = below(2) ? BlockFormat::snappy : BlockFormat::lz4;
        std::vector<u8> block, plain;
        random_snappy(block, plain);
        for (u64 damage = below(8); damage > 0; --damage) block[below(block.size())] = static_cast<u8>(below(256));
        try {
            const u64 size = below(4) ? plain.size() : below(100'000);
            EXPECT(unpacked(format, block, size, 1 + below(400)).size() <= size);
        } catch (const std::invalid_argument&) {
        }
        Array<u8> bytes = exact(block);
        const PlainValues values = plain_values(bytes.begin(), bytes.size, below(100));
        EXPECT(values.read <= bytes.size && values.offsets[values.offsets.size - 1] == i64(values.data.size));
    }
}

}  // namespace
