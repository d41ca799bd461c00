// Text → normalised text, and text → tokens with their positions in the text, for `compare` and reports.
#include "check.h"
#include "cutter.h"

namespace lookalike {

namespace {

// Normalised text with, for each of its code points, the range of source code points it comes from.
class TracedSink {
  public:
    void ascii(const u8* s, u64 n, bool lower, u64 source) {
        for (u64 i = 0; i < n; ++i) put(lower ? ascii_lower(s[i]) : s[i], source + i, source + i + 1);
    }
    void put(u32 cp, u64 first, u64 end) {
        at_.push(text_.size());
        first_.push(first);
        end_.push(end);
        text_.put(cp, first, end);
    }
    const u8* data() { return text_.data(); }
    u64 size() const { return text_.size(); }

    // The source code points of the bytes start … end. Must be called in text order.
    std::pair<u64, u64> source(u64 start, u64 end) {
        while (at_[next_] < start) ++next_;
        std::pair<u64, u64> range{first_[next_], end_[next_]};
        for (u64 i = next_ + 1; i < at_.size() && at_[i] < end; ++i) {
            range.first = std::min(range.first, first_[i]);
            range.second = std::max(range.second, end_[i]);
        }
        return range;
    }

  private:
    Utf8Sink text_;
    Buffer<u64> at_, first_, end_;
    u64 next_ = 0;
};

}  // namespace

Buffer<u8> normalize(const u8* text, u64 bytes, Form form) {
    Utf8Sink sink;
    Buffer<Unit> units;
    Normalizer<Utf8Sink, Buffer<Unit>>(form, sink, units).run(text, bytes);
    return std::move(sink.bytes());
}

Tokens tokens(const u8* text, u64 bytes, const Shingling& shingling) {
    shingling.check();
    TracedSink sink;
    Buffer<Unit> units;
    Normalizer<TracedSink, Buffer<Unit>>(shingling.form, sink, units).run(text, bytes);
    Tokens found;
    const auto add = [&](u64 start, u64 end, u64 hash) {
        const auto [first, last] = sink.source(start, end);
        found.starts.push(static_cast<i64>(first));
        found.ends.push(static_cast<i64>(last));
        found.hashes.push(hash);
    };
    const auto add_bytes = [&](u64 start, u64 end) {
        add(start, end, hash_bytes(sink.data() + start, end - start, end - start, shingling.key));
    };
    switch (shingling.kind) {
        case Kind::chars:
            each_character(sink.data(), sink.size(), shingling.whitespace,
                           [&](u32 cp, u64 start, u64 end) { add(start, end, hash_character(cp, shingling.key)); });
            break;
        case Kind::tokens: each_stretch(sink.data(), sink.size(), add_bytes); break;
        case Kind::words:
        case Kind::stopwords: each_word(sink.data(), sink.size(), add_bytes); break;
        case Kind::symbols: each_word<true>(sink.data(), sink.size(), add_bytes); break;
    }
    return found;
}

}  // namespace lookalike
