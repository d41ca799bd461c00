#include "cutter.h"

namespace lookalike {

Cutter::Cutter(const Shingling& shingling) : shingling_(shingling) {
    for (u32 c = 0; c < 128; ++c) character_hashes_[c] = hash_character(c);
    if (shingling.kind != Kind::stopwords) return;
    u64 slots = 16;
    while (slots < 4 * shingling.stopword_count) slots *= 2;
    stopwords_ = Array<u64>(slots);
    std::fill_n(stopwords_.begin(), slots, 0ull);
    for (u64 i = 0; i < shingling.stopword_count; ++i) {
        const u64 hash = shingling.stopwords[i];
        if (hash == 0) zero_is_stopword_ = true;
        u64 slot = hash & (slots - 1);
        while (stopwords_[slot] && stopwords_[slot] != hash) slot = (slot + 1) & (slots - 1);
        stopwords_[slot] = hash;
    }
}

bool Cutter::is_stopword(u64 token) const {
    if (token == 0) return zero_is_stopword_;
    const u64 mask = stopwords_.size - 1;
    for (u64 slot = token & mask; stopwords_[slot]; slot = (slot + 1) & mask)
        if (stopwords_[slot] == token) return true;
    return false;
}

u8 Cutter::cut(const Documents& documents, u64 i) {
    tokens_.clear();
    windows_.clear();
    if (documents.lists) {
        const u64 begin = static_cast<u64>(documents.lists[i]), end = static_cast<u64>(documents.lists[i + 1]);
        tokens_.reserve(end - begin);
        for (u64 t = begin; t < end; ++t) {
            if (!documents.has_token(t)) continue;
            const u64 at = static_cast<u64>(documents.strings[t]);
            const u64 n = static_cast<u64>(documents.strings[t + 1]) - at;
            tokens_.push(hash_bytes(documents.data + at, n, documents.bytes - at));
        }
        return cut_tokens();
    }
    const u64 at = static_cast<u64>(documents.strings[i]);
    const u64 n = static_cast<u64>(documents.strings[i + 1]) - at;
    const u8* const raw = documents.data + at;
    if (shingling_.kind == Kind::tokens) {
        const u64 readable = documents.bytes - at;
        each_stretch(raw, n,
                     [&](u64 start, u64 end) { tokens_.push(hash_bytes(raw + start, end - start, readable - start)); });
        return cut_tokens();
    }
    text_.clear();
    Normalizer<Utf8Sink, Buffer<Unit>>(shingling_.form, text_, units_).run(raw, n);
    text_.pad();
    const u8* const text = text_.data();
    const u64 length = text_.size();
    if (shingling_.kind == Kind::chars) {
        if (!read_characters(text, length, shingling_.whitespace)) tokens_.clear();
        return cut_tokens();
    }
    read_words(text, length, length + kChunk);
    if (tokens_.size()) return cut_tokens();
    // No word: punctuation, symbols and such, taken whole.
    if (!read_characters(text, length, Whitespace::fold)) return kEmpty;
    cut_windows(tokens_.size());
    return kShort;
}

void Cutter::read_words(const u8* text, u64 n, u64 readable) {
    tokens_.reserve(n);  // no word is shorter than a byte
    u64* out = tokens_.data();
    each_word(text, n, [&](u64 start, u64 end) { *out++ = hash_bytes(text + start, end - start, readable - start); });
    tokens_.resize(static_cast<u64>(out - tokens_.data()));
}

bool Cutter::read_characters(const u8* text, u64 n, Whitespace whitespace) {
    tokens_.reserve(n);
    u64* out = tokens_.data();
    const bool has_text = each_character(
        text, n, whitespace, [&](u32 cp, u64, u64) { *out++ = cp < 128 ? character_hashes_[cp] : hash_character(cp); });
    tokens_.resize(static_cast<u64>(out - tokens_.data()));
    return has_text;
}

u8 Cutter::cut_tokens() {
    const u64 n = tokens_.size();
    if (n == 0) return kEmpty;
    u8 flags = 0;
    u64 k = shingling_.k;
    if (shingling_.kind == Kind::stopwords) {
        if (cut_stopword_windows()) return flags;
        flags = kFallback;
        k = 3;
    }
    if (n < k) flags |= kShort;
    cut_windows(std::min(n, k));
    return flags;
}

void Cutter::cut_windows(u64 k) {
    windows_.resize(tokens_.size() - k + 1);
    hash_windows(tokens_.data(), tokens_.size(), k, windows_.data());
    if (shingling_.short_hashes)
        for (u64& window : windows_) window = shorten(window);
}

bool Cutter::cut_stopword_windows() {
    for (u64 i = 0; i + 2 < tokens_.size(); ++i) {
        if (!is_stopword(tokens_[i])) continue;
        const u64 window = hash_window(tokens_.data() + i, 3);
        windows_.push(shingling_.short_hashes ? shorten(window) : window);
    }
    return windows_.size() > 0;
}

Fingerprint Cutter::fingerprint() const {
    Fingerprint fingerprint;
    for (u64 i = 0; i < windows_.size(); ++i) fingerprint.add(windows_[i]);
    return fingerprint;
}

void Cutter::sort_windows() {
    other_.reserve(windows_.size());
    counts_.clear();
    sort_by_key(windows_.data(), windows_.size(), other_.data(), counts_);
}

void Cutter::to_elements() {
    if (!shingling_.bag) return;
    sort_windows();
    u64 again = 0;
    for (u64 i = 1, previous = windows_.size() ? windows_[0] : 0; i < windows_.size(); ++i) {
        const u64 window = windows_[i];
        again = window == previous ? again + 1 : 0;
        previous = window;
        if (again) windows_[i] = occurrence(window, again);
    }
}

void Cutter::to_set() {
    to_elements();
    sort_windows();
    windows_.resize(static_cast<u64>(std::unique(windows_.begin(), windows_.end()) - windows_.begin()));
}

}  // namespace lookalike
