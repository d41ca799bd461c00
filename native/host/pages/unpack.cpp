#include "unpack.h"

#include <cstring>

#include "../check.h"

namespace lookalike {

namespace {

constexpr u64 kWindow = 1 << 16;
constexpr u64 kTooMany = 16 * kWindow;  // bytes from which on all but the window are dropped
constexpr u64 kAhead = 64 + 8;          // bytes that the longest element without a long literal has, and then some
constexpr u64 kSpare = 64;              // bytes that may be written after an element
constexpr u64 kExpansion = 32;          // bytes made of one byte, at most: three bytes make a copy of up to 64

}  // namespace

void Unpacker::feed(const u8* data, u64 n) {
    if (out_.size() > kTooMany) {
        std::memmove(out_.data(), out_.data() + out_.size() - kWindow, kWindow);
        out_.resize(kWindow);
    }
    kept_ = out_.size();
    for (u64 at = 0; at < n;) {
        if (step_ == Step::tag && format_ == BlockFormat::snappy && n - at > kAhead)
            at += many_snappy(data + at, n - at);
        if (step_ != Step::literal) {
            take(data[at++]);
            continue;
        }
        const u64 here = std::min(left_, n - at), end = out_.size();
        out_.resize(end + here);
        std::copy_n(data + at, here, out_.data() + end);
        at += here;
        left_ -= here;
        if (left_ == 0) after_literal();
    }
}

// Decompresses elements as long as kAhead bytes follow, which is most of the work. Returns the number of bytes used;
// the element after them has a long literal, or too few bytes.
u64 Unpacker::many_snappy(const u8* data, u64 n) {
    const u8 *in = data, *const last = data + (n - kAhead);
    out_.reserve(out_.size() + kExpansion * n + kSpare);
    u8 *const begin = out_.data(), *to = begin + out_.size();
    u64 room = size_ - made_;
    while (in < last) {
        const u32 tag = *in, kind = tag & 3, rest = tag >> 2;
        if (kind == 0) {
            const u64 length = rest + 1;
            if (rest >= 60 || length > room) break;
            std::memcpy(to, in + 1, 64);
            to += length;
            room -= length;
            in += 1 + length;
            continue;
        }
        u32 word;
        std::memcpy(&word, in + 1, 4);
        const u64 length = kind == 1 ? 4 + (rest & 7) : rest + 1;
        const u64 offset = kind == 1 ? (tag >> 5 << 8 | (word & 255)) : kind == 2 ? (word & 0xFFFF) : word;
        if (offset == 0 || offset > static_cast<u64>(to - begin) || length > room) break;
        const u8* from = to - offset;
        if (offset >= 16)
            for (u64 i = 0; i < length; i += 16) std::memcpy(to + i, from + i, 16);
        else
            for (u64 i = 0; i < length; ++i) to[i] = from[i];
        to += length;
        room -= length;
        in += 1 + (kind == 3 ? 4 : kind);
    }
    out_.resize(static_cast<u64>(to - begin));
    made_ = size_ - room;
    return static_cast<u64>(in - data);
}

void Unpacker::take(u8 byte) {
    require(made_ < size_ || step_ == Step::size || (format_ == BlockFormat::lz4 && size_ == 0),
            "the block has more bytes than it should have");
    format_ == BlockFormat::snappy ? take_snappy(byte) : take_lz4(byte);
}

// Collects a little-endian number. Returns true after its last byte.
bool Unpacker::number_ends(u8 byte, u32 bytes) {
    number_ |= static_cast<u64>(byte) << (8 * read_);
    if (++read_ < bytes) return false;
    read_ = 0;
    return true;
}

void Unpacker::take_snappy(u8 byte) {
    if (step_ == Step::size) {  // seven bits per byte
        number_ |= static_cast<u64>(byte & 127) << (7 * read_++);
        require(read_ <= 5, "the size of the block is damaged");
        if (byte & 128) return;
        require(number_ == size_, "the block has another size than the page declares");
        read_ = 0;
        step_ = Step::tag;
    } else if (step_ == Step::tag) {
        number_ = 0;
        const u32 kind = byte & 3, rest = byte >> 2;
        if (kind == 0) {
            width_ = rest < 60 ? 0 : rest - 59;
            if (width_ == 0) return literal(rest + 1);
            step_ = Step::literal_length;
            return;
        }
        copy_length_ = kind == 1 ? 4 + (rest & 7) : rest + 1;
        width_ = kind == 3 ? 4 : kind;
        offset_ = kind == 1 ? (byte >> 5) << 8 : 0;
        step_ = Step::offset;
    } else if (number_ends(byte, width_)) {
        if (step_ == Step::literal_length) return literal(number_ + 1);
        offset_ += number_;
        copy();
    }
}

void Unpacker::take_lz4(u8 byte) {
    if (step_ == Step::tag) {
        copy_length_ = byte & 15;
        left_ = byte >> 4;
        if (left_ < 15) return literal(left_);
        step_ = Step::literal_length;
    } else if (step_ == Step::literal_length) {
        left_ += byte;
        require(left_ <= size_, "the block has more bytes than it should have");
        if (byte < 255) literal(left_);
    } else if (step_ == Step::offset) {
        if (!number_ends(byte, 2)) return;
        offset_ = number_;
        step_ = Step::copy_length;
        if (copy_length_ == 15) return;
        copy_length_ += 4;
        copy();
    } else {
        copy_length_ += byte;
        require(copy_length_ <= size_, "the block has more bytes than it should have");
        if (byte == 255) return;
        copy_length_ += 4;
        copy();
    }
}

void Unpacker::literal(u64 length) {
    require(length <= size_ - made_, "the block has more bytes than it should have");
    made_ += length;
    left_ = length;
    step_ = Step::literal;
    if (left_ == 0) after_literal();
}

void Unpacker::after_literal() {
    number_ = 0;
    step_ = format_ == BlockFormat::snappy ? Step::tag : Step::offset;
}

// The source may overlap the copy, which then repeats.
void Unpacker::copy() {
    const u64 end = out_.size();
    require(offset_ >= 1 && offset_ <= end, "the block refers to bytes that are not kept");
    require(copy_length_ <= size_ - made_, "the block has more bytes than it should have");
    out_.resize(end + copy_length_);
    u8* const to = out_.data() + end;
    if (offset_ >= copy_length_)
        std::copy_n(to - offset_, copy_length_, to);
    else
        for (u64 i = 0; i < copy_length_; ++i) to[i] = to[i - static_cast<i64>(offset_)];
    made_ += copy_length_;
    step_ = Step::tag;
}

}  // namespace lookalike
