// Cuts huge texts block by block, so that only the windows of one block are in memory: they take many times the memory
// of the text.
#include "cutter.h"

namespace lookalike {

namespace {

constexpr u64 kTextBlock = 1 << 18;  // bytes of text; a multiple of 64, since the kernel's steps read 64 at a time
constexpr u64 kEnough = 1 << 16;     // tokens from which on windows are made

u64 limit_of(u64 at, u64 n) { return n - at > kTextBlock ? at + kTextBlock : n; }

}  // namespace

bool Cutter::is_huge(const Documents& documents, u64 i) const {
    const Kind kind = shingling_.kind;
    const bool text = !documents.lists && (kind == Kind::words || kind == Kind::symbols || kind == Kind::chars);
    return text && static_cast<u64>(documents.size(i)) > 4 * kTextBlock;
}

u8 Cutter::each_block(const Documents& documents, u64 i, const std::function<void()>& visit) {
    const u64 begin = static_cast<u64>(documents.strings[i]);
    normalize(documents.data + begin, static_cast<u64>(documents.size(i)));
    sums_ = {};
    hasher_ = Hasher128(words_key(shingling_.key));
    words_ = {};
    tokens_.clear();
    u64 kept = 0;
    const auto counted = [&] {
        if (shingling_.ignored_count) {
            for (const u64 window : windows_) sums_.add(window);
            drop_ignored();
        }
        kept += windows_.size();
        visit();
    };
    const u64 seen = shingling_.kind == Kind::chars ? character_blocks(counted) : word_blocks(counted);
    if (seen == 0) {
        if (shingling_.kind == Kind::chars) return kEmpty;
        const u8 flags = cut_in_order(documents, i);  // a text without words is rare, and is one window
        visit();
        return flags;
    }
    words_ = hasher_.finish();
    if (seen < shingling_.k) {
        cut_windows(tokens_.size());
        counted();
    }
    if (kept == 0) {  // see leave_out_ignored
        windows_.clear();
        windows_.push(sums_.shingle());
        visit();
    }
    return seen < shingling_.k ? kShort : 0;
}

u8 Cutter::cut_part(const Documents& documents, u64 i, u64 part, u64 parts) {
    u8 flags = 0;
    if (is_huge(documents, i)) {
        gathered_.clear();
        flags = each_block(documents, i, [&] {
            keep_part(part, parts);
            const u64 at = gathered_.size();
            gathered_.resize(at + windows_.size());
            std::copy_n(windows_.data(), windows_.size(), gathered_.data() + at);
        });
        free_text();
        std::swap(windows_, gathered_);
    } else {
        flags = cut_in_order(documents, i);
        keep_part(part, parts);
    }
    if (shingling_.bag) number_repetitions();
    return flags;
}

void Cutter::keep_part(u64 part, u64 parts) {
    u64 kept = 0;
    for (u64 i = 0; i < windows_.size(); ++i)  // mixed, because shortened windows have no upper half
        if ((mix(windows_[i]) >> 32) * parts >> 32 == part) windows_[kept++] = windows_[i];
    windows_.resize(kept);
}

// Makes the windows of the tokens that were read, and keeps the tokens that the next window begins with.
void Cutter::end_block(const std::function<void()>& visit) {
    const u64 k = shingling_.k, n = tokens_.size();
    if (n < k) return;
    const u64 count = n - k + 1;
    windows_.reserve(count + kSlack);
    windows_.resize(count);
    steps_.windows(tokens_.data(), n, k, shingling_.short_hashes, windows_.data());
    std::copy_n(tokens_.data() + count, k - 1, tokens_.data());
    tokens_.resize(k - 1);
    visit();
}

// Both return the number of tokens. No token is shorter than a byte.
u64 Cutter::word_blocks(const std::function<void()>& visit) {
    const u8* const text = text_.data();
    const u64 n = text_.size();
    tokens_.reserve(shingling_.k + kEnough + kTextBlock + 2 * kBlockBytes + kSlack);
    u64 seen = 0;
    u64* out = tokens_.data();
    const auto word = [&](u64 start, u64 end) {
        *out++ = hash_bytes(text + start, end - start, n + kPad - start, shingling_.key);
    };
    const auto count = [&] {
        const u64 now = static_cast<u64>(out - tokens_.data());
        const u64 more = now - tokens_.size();
        seen += more;
        if (hashes_words_) hasher_.add(tokens_.data() + tokens_.size(), more);
        tokens_.resize(now);
    };
    OpenWord open;
    for (u64 at = 0; at < n;) {
        at = words_until(at, limit_of(at, n), open, &out, word);
        count();
        if (tokens_.size() < kEnough) continue;
        end_block(visit);
        out = tokens_.data() + tokens_.size();
    }
    if (open.by != OpenWord::closed) word(open.start, n);
    count();
    end_block(visit);
    return seen;
}

u64 Cutter::character_blocks(const std::function<void()>& visit) {
    const u8* const text = text_.data();
    const u64 n = text_.size();
    bool has_text = false;
    for (u64 at = 0; at < n && !has_text;) {  // otherwise the text is empty, even if white space is kept
        const u8* next = text + at;
        has_text = word_class(decode(next, text + n)) != kSpace;
        at = static_cast<u64>(next - text);
    }
    if (!has_text) return 0;
    tokens_.reserve(shingling_.k + kEnough + kTextBlock + 3 * kBlockBytes + kSlack);
    characters_.reserve(kTextBlock + kBlockBytes + 2 * kPad);
    u64 seen = 0;
    OpenGap gap;
    for (u64 at = 0; at < n;) {
        u64* out = tokens_.data() + tokens_.size();
        u8* end = characters_.data();
        at = characters_until(at, limit_of(at, n), shingling_.whitespace, gap, &end, &out);
        if (hashes_words_) hasher_.add(characters_.data(), static_cast<u64>(end - characters_.data()));
        const u64 now = static_cast<u64>(out - tokens_.data());
        seen += now - tokens_.size();
        tokens_.resize(now);
        if (now >= kEnough) end_block(visit);
    }
    end_block(visit);
    return seen;
}

}  // namespace lookalike
