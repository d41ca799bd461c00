// Every path of native/host/simd gives the same results as the portable one.
#pragma once
#include "checks.h"

namespace {

// Mostly ASCII, so that whole blocks are; sometimes a run of spaces, a long word or another character.
std::string mixed_text(u64 length) {
    static const std::string letters = "abcdefghijklmnopqrstuvwxyzABCDXYZ0123456789_      \t\n!-";
    std::string text;
    const u64 rare = 1 + below(200);
    while (text.size() < length) {
        if (below(rare) == 0)
            text += random_text();
        else if (below(60) == 0)
            text += std::string(below(70), below(2) ? ' ' : 'x');
        else
            text += letters[below(letters.size())];
    }
    text.resize(length);  // may cut a character in two
    return text;
}

template <class T>
bool same(Array<T>& a, Array<T>& b) {
    return a.size == b.size && std::equal(a.begin(), a.end(), b.begin());
}

void test_every_path_agrees() {
    const u64 stopwords[] = {hash_bytes(reinterpret_cast<const u8*>("a"), 1)};
    const lookalike_steps::Steps* paths[3];
    const unsigned count = lookalike_steps::paths(paths);
    for (u64 round = 0; round < 400; ++round) {
        std::vector<std::string> texts;
        for (u64 i = 0; i < 8; ++i) texts.push_back(mixed_text(round % 4 ? below(300) : below(9000)));
        const Column column(texts);
        Shingling shingling;
        shingling.kind = kKinds[below(std::size(kKinds))];
        shingling.form = kForms[below(4)];
        shingling.whitespace = kSpaces[below(3)];
        shingling.k = below(10) ? 1 + below(20) : 1 + below(100);
        shingling.bag = below(4) == 0;
        shingling.short_hashes = below(4) == 0;
        shingling.stopwords = stopwords;
        shingling.stopword_count = std::size(stopwords);
        if (below(2)) shingling.key = TokenKey::of(round);
        const u64 hashes[] = {1, 7, 8, 128, 130, 513, 1000};
        const i64 t = static_cast<i64>(hashes[below(std::size(hashes))]);
        const bool classic = below(4) == 0;
        ShingleTable sets;
        SketchTable sketches;
        for (unsigned i = 0; i < count; ++i) {
            lookalike_steps::force(paths[i]->name);
            ShingleTable set = shingle(column.documents, shingling, 1);
            SketchTable signature =
                sketch(column.documents, shingling, Sketch(classic, t, round), Banding{static_cast<u32>(t), 1}, 1);
            if (i == 0) {
                sets = std::move(set);
                sketches = std::move(signature);
                continue;
            }
            EXPECT(same(sets.offsets, set.offsets) && same(sets.values, set.values));
            EXPECT(same(sketches.words, signature.words) && same(sketches.bytes, signature.bytes) &&
                   same(sketches.flags, signature.flags));
            EXPECT(same(sketches.keys, signature.keys));
        }
    }
    lookalike_steps::force(nullptr);
}

}  // namespace
