// Decompresses blocks of Snappy and of LZ4, as in pages of Parquet, from pieces of any size. Only the last bytes are
// kept, so a block of any size takes little memory.
#pragma once
#include "../array.h"

namespace lookalike {

enum class BlockFormat { snappy, lz4 };

class Unpacker {
  public:
    // `size` is the number of bytes of the whole block after decompression.
    Unpacker(BlockFormat format, u64 size)
        : format_(format), size_(size), step_(format == BlockFormat::snappy ? Step::size : Step::tag) {}

    // Decompresses the next piece of the block. Throws std::invalid_argument if the block is damaged, or refers to
    // bytes that are no longer kept; compressors do not refer to bytes that lie further back.
    void feed(const u8* data, u64 n);
    // The bytes that the last call of `feed` decompressed.
    const u8* fresh() { return out_.data() + kept_; }
    u64 fresh_size() const { return out_.size() - kept_; }

  private:
    // The element of the format that the next byte belongs to.
    enum class Step { size, tag, literal_length, literal, offset, copy_length };

    u64 many_snappy(const u8* data, u64 n);
    void take(u8 byte);
    void take_snappy(u8 byte);
    void take_lz4(u8 byte);
    bool number_ends(u8 byte, u32 bytes);
    void literal(u64 length);
    void after_literal();
    void copy();

    BlockFormat format_;
    u64 size_, made_ = 0;
    Step step_;
    u64 number_ = 0;  // little-endian, of the bytes read so far
    u32 read_ = 0;    // bytes of the number that were read
    u32 width_ = 0;   // bytes of the offset or length that follows
    u64 left_ = 0;    // bytes of the literal that are missing
    u64 copy_length_ = 0, offset_ = 0;
    Buffer<u8> out_;
    u64 kept_ = 0;  // bytes at the start of out_ that earlier calls decompressed
};

}  // namespace lookalike
