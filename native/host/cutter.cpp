#include "cutter.h"

namespace lookalike {

HashSet::HashSet(const u64* values, u64 count) {
    u64 slots = 16;
    while (slots < 4 * count) slots *= 2;
    slots_ = Array<u64>(slots);
    std::fill_n(slots_.begin(), slots, 0ull);
    for (u64 i = 0; i < count; ++i) {
        const u64 value = values[i];
        if (value == 0) has_zero_ = true;
        u64 slot = value & (slots - 1);
        while (slots_[slot] && slots_[slot] != value) slot = (slot + 1) & (slots - 1);
        slots_[slot] = value;
    }
}

bool HashSet::has(u64 value) const {
    if (value == 0) return has_zero_;
    const u64 mask = slots_.size - 1;
    for (u64 slot = value & mask; slots_[slot]; slot = (slot + 1) & mask)
        if (slots_[slot] == value) return true;
    return false;
}

namespace {

// The memory of documents with more tokens than this is given back as soon as possible, instead of being reused: it is
// many times the size of the text, and huge documents are few.
constexpr u64 kHuge = 1 << 20;

}  // namespace

Cutter::Cutter(const Shingling& shingling, bool hashes_words)
    : shingling_(shingling),
      steps_(lookalike_steps::steps()),
      hashes_words_(hashes_words),
      stopwords_(shingling.stopwords, shingling.stopword_count),
      ignored_(shingling.ignored, shingling.ignored_count) {
    const TokenKey& key = shingling.key;
    for (u64 n = 0; n <= kChunk; ++n) keys_.first[n] = key.start(n) ^ kByteKey1 ^ key.a;
    keys_.second = kByteKey2 ^ key.b;
    keys_.a = key.a;
    keys_.b = key.b;
    const u64 leaving = power(kBase, shingling.k);
    for (u32 c = 0; c < 128; ++c) {
        entering_[c] = hash_character(c, shingling.key);
        leaving_[c] = entering_[c] * leaving;
        for (u32 b = 0; b < 8; ++b) bytes_[b][c] = static_cast<u8>(entering_[c] >> 8 * b);
    }
}

u8 Cutter::cut(const Documents& documents, u64 i) {
    tokens_.clear();
    windows_.clear();
    words_ = {};
    if (documents.lists) {
        const u64 begin = static_cast<u64>(documents.lists[i]), end = static_cast<u64>(documents.lists[i + 1]);
        tokens_.reserve(end - begin);
        for (u64 t = begin; t < end; ++t) {
            if (!documents.has_token(t)) continue;
            const u64 at = static_cast<u64>(documents.strings[t]);
            const u64 n = static_cast<u64>(documents.strings[t + 1]) - at;
            tokens_.push(hash_bytes(documents.data + at, n, documents.bytes - at, shingling_.key));
        }
        return cut_tokens();
    }
    const u64 at = static_cast<u64>(documents.strings[i]);
    const u64 n = static_cast<u64>(documents.strings[i + 1]) - at;
    const u8* const raw = documents.data + at;
    if (shingling_.kind == Kind::tokens) {
        const u64 readable = documents.bytes - at;
        each_stretch(raw, n, [&](u64 start, u64 end) {
            tokens_.push(hash_bytes(raw + start, end - start, readable - start, shingling_.key));
        });
        return cut_tokens();
    }
    const bool ascii = normalize(raw, n);
    if (shingling_.kind == Kind::chars) {
        if (ascii) return cut_ascii();
        if (!read_characters(shingling_.whitespace)) return kEmpty;
        if (hashes_words_) words_ = hash128(characters_.data(), characters_.size(), words_key(shingling_.key));
        return window_tokens();
    }
    read_words();
    if (tokens_.size()) return cut_tokens();
    // The text has no words, only punctuation, symbols and such: each stretch is one token.
    if (!read_characters(Whitespace::fold)) return kEmpty;
    if (hashes_words_) words_ = hash128(tokens_.data(), tokens_.size(), words_key(shingling_.key));
    if (makes_windows_) cut_windows(tokens_.size());
    return kShort;
}

u8 Cutter::cut_in_order(const Documents& documents, u64 i) {
    const u8 flags = cut(documents, i);
    if (shingling_.ignored_count) leave_out_ignored();
    return flags;
}

u8 Cutter::hash_words(const Documents& documents, u64 i) {
    if (is_huge(documents, i)) return each_block(documents, i, [] {});
    makes_windows_ = false;
    const u8 flags = cut(documents, i);
    makes_windows_ = true;
    return flags;
}

// ASCII at the start of the text needs only lower-casing. From its last byte on, which a mark may modify, all rules of
// Unicode apply. Returns true if the text is entirely ASCII.
bool Cutter::normalize(const u8* raw, u64 n) {
    const bool lower = shingling_.form == Form::fold || shingling_.form == Form::lower;
    text_.clear();
    u64 head = text_.head(steps_, raw, n, lower);
    const bool ascii = head == n;
    if (!ascii) {
        head -= head > 0;
        text_.shrink(head);
        Normalizer<Utf8Sink, Buffer<Unit>>(shingling_.form, text_, units_).run(raw + head, n - head);
    }
    text_.pad();
    return ascii;
}

void Cutter::read_words() {
    const u8* const text = text_.data();
    const u64 n = text_.size();
    tokens_.reserve(n + kSlack);  // no word is shorter than a byte
    u64* out = tokens_.data();
    const auto word = [&](u64 start, u64 end) {
        *out++ = hash_bytes(text + start, end - start, n + kPad - start, shingling_.key);
    };
    OpenWord open;
    for (u64 at = 0; at < n;) at = words_until(at, n, open, &out, word);
    if (open.by != OpenWord::closed) word(open.start, n);
    tokens_.resize(static_cast<u64>(out - tokens_.data()));
}

bool Cutter::read_characters(Whitespace whitespace) {
    const u64 n = text_.size();
    tokens_.reserve(n + kSlack);
    characters_.reserve(n + kPad);
    u64* out = tokens_.data();
    u8* end = characters_.data();
    OpenGap gap;
    for (u64 at = 0; at < n;) at = characters_until(at, n, whitespace, gap, &end, &out);
    tokens_.resize(static_cast<u64>(out - tokens_.data()));
    characters_.resize(static_cast<u64>(end - characters_.data()));
    return gap.has_text;
}

// Appends the characters at `end`, and their hashes at `out`.
u64 Cutter::characters_until(u64 at, u64 limit, Whitespace whitespace, OpenGap& gap, u8** end, u64** out) {
    const u8* const text = text_.data();
    const u64 n = text_.size();
    const u8* c = *end;
    at = steps_.characters(text, limit, at, static_cast<int>(whitespace), &gap.start, &gap.has_text, end);
    for (; c < *end; ++c) *(*out)++ = entering_[*c];
    const auto token = [&](u32 cp, u64, u64) {
        *(*out)++ = cp < 128 ? entering_[cp] : hash_character(cp, shingling_.key);
        *end += encode(cp, *end);
    };
    return cut_characters(text, n, at, std::min(n, at + kBlockBytes), whitespace, gap, token);
}

// Windows of characters of an entirely ASCII text, without an array of tokens.
u8 Cutter::cut_ascii() {
    characters_.reserve(text_.size() + kPad);
    u8* end = characters_.data();
    OpenGap gap;
    steps_.characters(text_.data(), text_.size(), 0, static_cast<int>(shingling_.whitespace), &gap.start, &gap.has_text,
                      &end);
    if (!gap.has_text) return kEmpty;
    *end = 0;
    const u64 n = static_cast<u64>(end - characters_.data()), k = std::min(n, shingling_.k);
    if (hashes_words_) words_ = hash128(characters_.data(), n, words_key(shingling_.key));
    if (!makes_windows_) return n < shingling_.k ? kShort : 0;
    windows_.reserve(n - k + 1 + kSlack);
    windows_.resize(n - k + 1);
    steps_.character_windows(characters_.data(), n, k, entering_, leaving_, bytes_[0], shingling_.short_hashes,
                             windows_.data());
    if (n > kHuge) free_text();
    return n < shingling_.k ? kShort : 0;
}

u8 Cutter::cut_tokens() {
    if (tokens_.size() == 0) return kEmpty;
    if (hashes_words_) words_ = hash128(tokens_.data(), tokens_.size(), words_key(shingling_.key));
    return window_tokens();
}

u8 Cutter::window_tokens() {
    const u64 n = tokens_.size();
    u8 flags = 0;
    u64 k = shingling_.k;
    if (shingling_.kind == Kind::stopwords) {
        if (cut_stopword_windows()) return flags;
        flags = kFallback;
        k = 3;
    }
    if (n < k) flags |= kShort;
    if (makes_windows_) cut_windows(std::min(n, k));
    return flags;
}

void Cutter::cut_windows(u64 k) {
    const u64 count = tokens_.size() - k + 1;
    if (tokens_.size() > kHuge) free_text();
    tokens_.reserve(tokens_.size() + kSlack);
    windows_.reserve(count + kSlack);
    windows_.resize(count);
    steps_.windows(tokens_.data(), tokens_.size(), k, shingling_.short_hashes, windows_.data());
    if (tokens_.size() > kHuge) tokens_.free();
}

bool Cutter::cut_stopword_windows() {
    for (u64 i = 0; i + 2 < tokens_.size(); ++i) {
        if (!stopwords_.has(tokens_[i])) continue;
        const u64 window = hash_window(tokens_.data() + i, 3);
        windows_.push(shingling_.short_hashes ? shorten(window) : window);
    }
    return windows_.size() > 0;
}

void Cutter::sort_windows() {
    other_.reserve(windows_.size());
    counts_.clear();
    sort_by_key(windows_.data(), windows_.size(), other_.data(), counts_);
    if (windows_.size() > kHuge) other_.free();
}

void Cutter::free_text() {
    text_.bytes().free();
    characters_.free();
    units_.free();
}

void Cutter::free() {
    free_text();
    tokens_.free();
    windows_.free();
    other_.free();
    gathered_.free();
}

void Cutter::drop_ignored() {
    u64 kept = 0;
    for (u64 i = 0; i < windows_.size(); ++i)
        if (!ignored_.has(windows_[i])) windows_[kept++] = windows_[i];
    windows_.resize(kept);
}

// Removes ignored windows. If none is left, the whole text becomes one shingle, as for a short text.
void Cutter::leave_out_ignored() {
    const u64 count = windows_.size();
    drop_ignored();
    if (windows_.size() || count == 0) return;
    WindowSums sums;
    for (u64 i = 0; i < count; ++i) sums.add(windows_.data()[i]);  // still there, because no other took its place
    windows_.push(sums.shingle());
}

void Cutter::to_elements() {
    if (shingling_.ignored_count) leave_out_ignored();
    if (shingling_.bag) number_repetitions();
}

void Cutter::number_repetitions() {
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
    make_distinct();
}

void Cutter::make_distinct() {
    sort_windows();
    windows_.resize(static_cast<u64>(std::unique(windows_.begin(), windows_.end()) - windows_.begin()));
}

}  // namespace lookalike
