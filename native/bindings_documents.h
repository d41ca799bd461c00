// Arguments of several bindings: columns of documents, and the rules by which a text becomes a set.
#pragma once
#include "bindings.h"
#include "host/documents.h"

namespace bindings {

// A `Shingling` that owns the memory it points to.
struct Rules {
    Shingling shingling;
    Array<u64> stopwords, ignored;

    Rules(const std::string& kind, i64 k, const std::string& normalize, const std::string& letters,
          const std::string& whitespace, bool bag, i64 bits, const Input& words, const std::optional<Input>& common,
          u64 key) {
        shingling.kind = kind == "words"     ? Kind::words
                         : kind == "chars"   ? Kind::chars
                         : kind == "tokens"  ? Kind::tokens
                         : kind == "symbols" ? Kind::symbols
                                             : Kind::stopwords;
        require(shingling.kind != Kind::stopwords || kind == "stopwords",
                "kind must be words, symbols, chars, tokens or stopwords, got " + kind);
        require(normalize == "nfkc" || normalize == "none", "normalize must be nfkc or none, got " + normalize);
        require(letters == "fold" || letters == "keep", "case must be fold or keep, got " + letters);
        require(whitespace == "fold" || whitespace == "drop" || whitespace == "keep",
                "whitespace must be fold, drop or keep, got " + whitespace);
        require(bits == 32 || bits == 64, "bits must be 32 or 64, got " + std::to_string(bits));
        require(k >= 1, "k must lie in 1 … 10000, got " + std::to_string(k));
        shingling.k = static_cast<u64>(k);
        shingling.form = normalize == "nfkc" ? (letters == "fold" ? Form::fold : Form::keep)
                                             : (letters == "fold" ? Form::lower : Form::none);
        if (shingling.kind == Kind::tokens) shingling.form = Form::none;  // tokens are not normalised
        shingling.whitespace = whitespace == "fold"   ? Whitespace::fold
                               : whitespace == "drop" ? Whitespace::drop
                                                      : Whitespace::keep;
        shingling.bag = bag;
        shingling.short_hashes = bits == 32;
        const auto hashes = view<u64>(words, "stopwords");
        stopwords = Array<u64>(hashes.size);
        std::copy_n(hashes.data, hashes.size, stopwords.begin());
        shingling.stopwords = stopwords.begin();
        shingling.stopword_count = hashes.size;
        if (const auto left_out = view<u64>(common, "ignored")) {
            ignored = Array<u64>(left_out->size);
            std::copy_n(left_out->data, left_out->size, ignored.begin());
            shingling.ignored = ignored.begin();
            shingling.ignored_count = left_out->size;
        }
        shingling.key = TokenKey::of(key);
        shingling.check();
    }
};

inline Documents documents_of(const Input& data, const Input& strings, const std::optional<Input>& lists,
                              const std::optional<Input>& validity, i64 validity_start) {
    Documents documents;
    const auto d = view<u8>(data, "data");
    const auto s = view<i64>(strings, "string offsets");
    const auto l = view<i64>(lists, "list offsets");
    const auto v = view<u8>(validity, "validity");
    require(s.size >= 1 && (!l || l->size >= 1), "offsets must have one element more than there are rows, got none");
    require(validity_start >= 0, "validity_start must not be negative, got " + std::to_string(validity_start));
    documents.data = d.data;
    documents.bytes = d.size;
    documents.strings = s.data;
    documents.string_count = s.size - 1;
    documents.rows = l ? l->size - 1 : s.size - 1;
    documents.lists = l ? l->data : nullptr;
    documents.validity = v ? v->data : nullptr;
    documents.validity_bits = v ? 8 * v->size : 0;
    documents.validity_start = static_cast<u64>(validity_start);
    return documents;
}

}  // namespace bindings
