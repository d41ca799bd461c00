// Hashing, normalising and cutting texts: correct results, and malformed columns are refused.
#pragma once
#include <algorithm>

#include "../host/cutter.h"
#include "../host/documents.h"
#include "checks.h"

namespace {

void test_hashes() {
    EXPECT(mix(1) == 0x5692161d100b05e5ull);
    EXPECT(fold(~0ull, ~0ull) == ((~0ull - 1) ^ 1));
    for (u64 n = 0; n < 70; ++n) {
        std::vector<u8> bytes(n);
        for (u8& byte : bytes) byte = static_cast<u8>(below(256));
        Array<u8> tight = exact(bytes);
        bytes.resize(n + kChunk, 0xAA);
        Array<u8> roomy = exact(bytes);
        EXPECT(hash_bytes(tight.begin(), n) == hash_bytes(roomy.begin(), n, n + kChunk));
    }
    for (u64 n = 0; n < 300; ++n) {
        std::vector<u8> bytes(n);
        for (u8& byte : bytes) byte = static_cast<u8>(below(256));
        Array<u8> tight = exact(bytes);
        Hasher128 hasher;
        for (u64 at = 0; at < n;) {
            const u64 here = std::min(n - at, below(2) ? below(9) : below(200));
            hasher.add(tight.begin() + at, here);
            at += here;
        }
        const Hash128 hash = hash128(tight.begin(), n);
        EXPECT(hasher.finish() == hash);
        EXPECT(!(hash128(tight.begin(), n, Hash128{1, 0}) == hash) &&
               !(hash128(tight.begin(), n, Hash128{0, 1}) == hash));
        bytes.push_back(0);  // zeros at the end count
        EXPECT(!(hash128(bytes.data(), n + 1) == hash));
    }
}

void test_decoding() {
    u8 bytes[4];
    for (u32 cp = 0; cp < 0x110000; ++cp) {
        if (cp >= 0xD800 && cp < 0xE000) continue;
        const u32 n = encode(cp, bytes);
        const u8* s = bytes;
        if (decode(s, bytes + n) != cp || s != bytes + n) return EXPECT(false);
        s = bytes;
        if (n > 1 && (decode(s, bytes + n - 1) != 0xFFFD || s != bytes + 1)) return EXPECT(false);
    }
    for (const char* bad : {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
                            "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"}) {
        const u8* s = reinterpret_cast<const u8*>(bad);
        const u8* const first = s;
        EXPECT(decode(s, first + std::string(bad).size()) == 0xFFFD && s == first + 1);
    }
}

void test_normalizing_twice_changes_nothing() {
    for (int i = 0; i < 3000; ++i) {
        const std::string text = random_text();
        const Array<u8> raw = exact(std::vector<u8>(text.begin(), text.end()));
        for (const Form form : kForms) {
            Buffer<u8> once = normalize(raw.data.get(), raw.size, form);
            Buffer<u8> twice = normalize(once.data(), once.size(), form);
            EXPECT(once.size() == twice.size() && std::equal(once.begin(), once.end(), twice.begin()));
        }
    }
}

void test_long_runs_of_marks_are_ordered() {
    std::string text = "a";
    for (int i = 0; i < 20000; ++i) text += i % 2 ? "\xCC\x80" : "\xCC\xA3";  // above, below, above, …
    Buffer<u8> out = normalize(reinterpret_cast<const u8*>(text.data()), text.size(), Form::keep);
    // ạ absorbs the first dot below; then follow the other dots below, then all accents above
    EXPECT(out.size() == 3 + 2 * 19999 && out[3] == 0xCC && out[4] == 0xA3 && out[out.size() - 1] == 0x80);
}

void test_any_text_can_be_cut() {
    const u64 stopwords[] = {hash_bytes(reinterpret_cast<const u8*>("the"), 3)};
    for (int i = 0; i < 400; ++i) {
        std::vector<std::string> texts(below(12));
        for (std::string& text : texts) text = random_text();
        for (const Kind kind : kKinds) {
            Shingling shingling;
            shingling.kind = kind;
            shingling.form = kForms[below(4)];
            shingling.whitespace = kSpaces[below(3)];
            shingling.k = below(3) ? 1 + below(6) : 10'000;
            shingling.bag = below(2);
            shingling.short_hashes = below(2);
            shingling.stopwords = stopwords;
            shingling.stopword_count = 1;
            const Column column(texts, kind == Kind::tokens && below(2));
            const Sketch how(below(2), 1 + static_cast<i64>(below(40)), below(100));
            const Banding banding = check_banding(1, 1, how.hashes());
            const ShingleTable one = shingle(column.documents, shingling, 1);
            const ShingleTable three = shingle(column.documents, shingling, 3);
            EXPECT(one.values.size == three.values.size &&
                   std::equal(one.values.data.get(), one.values.data.get() + one.values.size, three.values.data.get()));
            const SketchTable sketched = sketch(column.documents, shingling, how, banding, 2);
            const Sets sets{column.documents.rows, one.offsets.data.get(), one.values.data.get(), one.values.size};
            const Array<u64> signatures = sign(sets, how, 2);
            const Array<u64> keys = band_keys(signatures.data.get(), sets.rows, how.hashes(), banding, 2);
            EXPECT(std::equal(keys.data.get(), keys.data.get() + keys.size, sketched.keys.data.get()));
            for (u64 r = 0; r < sets.rows; ++r) EXPECT(!(sketched.flags[r] & kEmpty) == (sets.size(r) > 0));
            shingling.ignored =
                one.values.data.get();  // some or all shingles: a text with shingles must keep at least one
            shingling.ignored_count = below(one.values.size + 1);
            const ShingleTable fewer = shingle(column.documents, shingling, 2);
            for (u64 r = 0; r < sets.rows; ++r) EXPECT((fewer.offsets[r + 1] > fewer.offsets[r]) == (sets.size(r) > 0));
            for (const std::string& text : texts) {
                Tokens found = tokens(reinterpret_cast<const u8*>(text.data()), text.size(), shingling);
                EXPECT(found.starts.size() == found.hashes.size() && found.ends.size() == found.hashes.size());
            }
        }
    }
}

void test_bad_columns_are_refused() {
    const Shingling words;
    const auto refuses = [&](const Documents& documents) {
        return refused([&] { shingle(documents, words, 1); }) &&
               refused([&] { sketch(documents, words, Sketch(false, 8, 0), Banding{1, 1}, 1); });
    };
    const i64 beyond[] = {0, 3, 9}, falling[] = {0, 3, 2}, negative[] = {-1, 3, 5};
    const u8 text[5] = {'a', 'b', 'c', 'd', 'e'};
    Documents documents;
    documents.data = text;
    documents.bytes = 5;
    documents.rows = documents.string_count = 2;
    for (const i64* offsets : {beyond, falling, negative}) {
        documents.strings = offsets;
        EXPECT(refuses(documents));
    }
    const i64 fine[] = {0, 3, 5};
    documents.strings = fine;
    documents.rows = 3;
    EXPECT(refuses(documents));  // more rows than texts
    documents.rows = 2;
    for (const i64* offsets : {beyond, falling, negative}) {
        documents.lists = offsets;
        EXPECT(refuses(documents));
    }
    const i64 lists[] = {0, 1, 2};
    const u8 valid = 3;
    documents.lists = lists;
    documents.validity = &valid;
    documents.validity_bits = 8;
    EXPECT(!refuses(documents));
    documents.validity_start = 7;
    EXPECT(refuses(documents));
    for (const u64 k : {u64(0), u64(10'001), ~u64(0)}) {
        Shingling shingling;
        shingling.k = k;
        EXPECT(refused([&] { shingle(Column({"a"}).documents, shingling, 1); }));
        EXPECT(refused([&] { tokens(text, 5, shingling); }));
    }
    for (const i64 hashes : {i64(-1), i64(0), i64(4097)}) EXPECT(refused([&] { Sketch(false, hashes, 0); }));
    for (const auto& [bands, rows] : {std::pair<i64, i64>{0, 1}, {1, 0}, {-1, -1}, {3, 3}, {i64(1) << 62, 4}})
        EXPECT(refused([&] { check_banding(bands, rows, 8); }));
}

}  // namespace
