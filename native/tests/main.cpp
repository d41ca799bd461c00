// Tests of the native code without Python: correct results on small cases, and no invalid access for malformed bytes,
// lengths and offsets. Every array is in a heap block of exactly its size, so that sanitizers notice a read of one
// element too many.
#include <algorithm>
#include <atomic>
#include <set>

#include "../host/buckets.h"
#include "../host/cutter.h"
#include "../host/documents.h"
#include "../host/forest.h"
#include "../host/join.h"
#include "../host/similar.h"
#include "../host/threads.h"
#include "../host/weighted.h"
#include "checks.h"
#include "exact.h"
#include "frequent.h"
#include "near.h"
#include "paths.h"
#include "table.h"

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

// Sets

void test_sorting_any_keys() {
    Buffer<u64> counts;
    for (const u64 n : {0ull, 1ull, 24ull, 25ull, 300ull, 40'000ull}) {
        for (int spread = 0; spread < 5; ++spread) {
            std::vector<Entry> entries(n), other(n);
            for (u64 i = 0; i < n; ++i) {
                const u64 key = spread == 0   ? random_source()
                                : spread == 1 ? 7
                                : spread == 2 ? below(3)
                                : spread == 3 ? below(3) << 62 | below(100)
                                              : n - i;
                entries[i] = {key, static_cast<u32>(i)};
            }
            auto expected = entries;
            std::stable_sort(expected.begin(), expected.end(), [](auto& a, auto& b) { return a.key < b.key; });
            counts.clear();
            sort_by_key(entries.data(), n, other.data(), counts);
            EXPECT(std::equal(entries.begin(), entries.end(), expected.begin(),
                              [](auto& a, auto& b) { return a.key == b.key && a.row == b.row; }));
        }
    }
}

void test_similar_pairs_and_components_agree_with_the_definition() {
    for (int round = 0; round < 60; ++round) {
        const u64 n = round % 3 ? 1 + below(30) : 65 + below(150), bands = 1 + below(3);
        std::vector<std::set<u64>> all(n);
        const u64 universe = 10 + below(60);
        for (auto& set : all) {
            if (below(20) == 0) continue;
            for (u64 e = 0; e < universe; ++e)
                if (below(10)) set.insert(mix(e));
            for (u64 e = below(universe / 3); e > 0; --e) set.insert(random_source());
        }
        std::vector<u64> drawn(n * bands);
        for (u64& key : drawn) key = below(1 + n / 40);
        const Array<u64> values = exact(drawn);
        const Keys keys{n, bands, values.data.get()};
        const Table table(all);
        const Threshold threshold = check_threshold(1 + static_cast<i64>(below(10)), 10);
        std::vector<i64> left, right;
        i64 candidate_count = 0;
        const Array<Pair> pairs = candidates(keys, 2);
        for (u64 i = 0; i < pairs.size; ++i) {
            const std::set<u64>&a = all[pairs[i].left], &b = all[pairs[i].right];
            if (a.empty() || b.empty()) continue;
            ++candidate_count;
            u64 common = 0;
            for (const u64 e : a) common += b.count(e);
            if (threshold.q * common < threshold.p * (a.size() + b.size() - common)) continue;
            left.push_back(pairs[i].left);
            right.push_back(pairs[i].right);
        }
        const Array<i64> labels = connect(n, left.data(), right.data(), left.size());
        u64 checked = 0;
        for (const int threads : {1, 2, 4}) {
            const SimilarPairs found = similar_pairs(keys, table.sets, threshold, threads);
            EXPECT(found.pairs.size == left.size() && found.candidates == candidate_count);
            for (u64 i = 0; i < found.pairs.size && i < left.size(); ++i)
                EXPECT(found.pairs[i].left == left[i] && found.pairs[i].right == right[i]);
            const Components components = similar_components(keys, table.sets, threshold, threads);
            for (u64 i = 0; i < n; ++i) EXPECT(components.labels[i] == labels[i]);
            EXPECT(threads == 1 || components.checked == checked);
            checked = components.checked;
        }
    }
}

void test_giant_buckets_agree_for_any_number_of_threads() {
    const u64 n = kGiantBucket + 500;
    std::vector<std::set<u64>> all(n);
    for (u64 i = 0; i < n; ++i) {
        for (u64 e = 0; e < 12; ++e) all[i].insert(mix(e));
        for (u64 e = 0; e < 8; ++e) all[i].insert(mix(1000 * (1 + i / 3) + e));  // families of three
        all[i].insert(random_source());
    }
    const Array<u64> values = exact(std::vector<u64>(n));
    const Keys keys{n, 1, values.data.get()};
    const Table table(all);
    const Threshold threshold = check_threshold(4, 5);
    const SimilarPairs found = similar_pairs(keys, table.sets, threshold, 3);
    EXPECT(found.candidates == i64(n * (n - 1) / 2) && found.pairs.size == n / 3 * 3 + (n % 3 == 2));
    u64 checked = 0;
    for (const int threads : {1, 3}) {
        const Components components = similar_components(keys, table.sets, threshold, threads);
        for (u64 i = 0; i < n; ++i) EXPECT(components.labels[i] == static_cast<i64>(i / 3 * 3));
        EXPECT(threads == 1 || components.checked == checked);
        checked = components.checked;
    }
}

void test_bad_tables_are_refused() {
    const u64 values[4] = {1, 2, 3, 4};
    const i64 beyond[] = {0, 3, 9}, falling[] = {0, 3, 2}, negative[] = {-1, 3, 4}, fine[] = {0, 2, 4};
    const i64 rows[] = {0, 1}, outside[] = {0, 2}, below_zero[] = {-1, 0};
    const Keys keys{2, 1, values};
    const Threshold half = check_threshold(1, 2);
    for (const i64* offsets : {beyond, falling, negative}) {
        const Sets sets{2, offsets, values, 4};
        EXPECT(refused([&] { sign(sets, Sketch(false, 4, 0), 1); }));
        EXPECT(refused([&] { intersections(sets, rows, rows, 2, 1); }));
        EXPECT(refused([&] { similar_pairs(keys, sets, half, 1); }));
        EXPECT(refused([&] { similar_components(keys, sets, half, 1); }));
    }
    const Sets sets{2, fine, values, 4};
    for (const i64* bad : {outside, below_zero}) {
        EXPECT(refused([&] { intersections(sets, bad, rows, 2, 1); }));
        EXPECT(refused([&] { intersections(sets, rows, bad, 2, 1); }));
        EXPECT(refused([&] { connect(2, bad, rows, 2); }));
        EXPECT(refused([&] { connect(2, rows, bad, 2); }));
    }
    EXPECT(refused([&] { similar_pairs(Keys{4, 1, values}, sets, half, 1); }));
    for (const u64 bands : {u64(0), u64(5000)}) {
        EXPECT(refused([&] { candidates(Keys{0, bands, values}, 1); }));
        EXPECT(refused([&] { bucketed(Keys{0, bands, values}, nullptr, 1); }));
    }
    EXPECT(refused([&] { copies(values, nullptr, ~0ull); }));
    EXPECT(refused([&] { connect(~0ull, rows, rows, 0); }));
    for (const auto& [p, q] : {std::pair<i64, i64>{0, 1}, {2, 1}, {-1, -1}, {1, 0}, {1, 2'000'000'000}})
        EXPECT(refused([&] { check_threshold(p, q); }));
    const Sets none{0, fine, values, 0};
    EXPECT(similar_pairs(Keys{0, 3, nullptr}, none, half, 4).pairs.size == 0);
    EXPECT(similar_components(Keys{0, 3, nullptr}, none, half, 4).labels.size == 0);
}

void test_unordered_sets_do_no_harm() {
    const u64 n = 200;
    const Table table = unordered(n);
    const Array<u64> keys = exact(std::vector<u64>(n));
    similar_pairs(Keys{n, 1, keys.data.get()}, table.sets, check_threshold(1, 2), 2);
    similar_components(Keys{n, 1, keys.data.get()}, table.sets, check_threshold(1, 2), 2);
}

void test_copies_and_buckets() {
    const u64 prints[] = {1, 2, 3, 4, 1, 2, 0, 0, 0, 0, 1, 3};
    const u8 empty[] = {0, 0, 0, 1, 1, 0};
    const Array<i64> first = copies(prints, empty, 6);
    const i64 expected[] = {0, 1, 0, 3, 4, 5};
    EXPECT(std::equal(expected, expected + 6, first.data.get()));
    const u64 keys[] = {1, 9, 2, 8, 3, 8, 1, 7};
    const Array<u8> shared = bucketed(Keys{4, 2, keys}, nullptr, 2);
    EXPECT(shared[0] && shared[1] && shared[2] && shared[3]);
    const Array<Pair> pairs = candidates(Keys{4, 2, keys}, 2);
    EXPECT(pairs.size == 2 && pairs[0].left == 0 && pairs[0].right == 3 && pairs[1].left == 1 && pairs[1].right == 2);
}

void test_weighted_sets() {
    std::vector<u64> values;
    std::vector<double> weights;
    std::vector<i64> offsets{0};
    for (u64 i = 0; i < 40; ++i) {
        for (u64 e = 0, n = below(30); e < n; ++e) {
            values.push_back(below(1000));
            weights.push_back(e % 5 == 0 ? 0 : e % 7 == 0 ? 1e100 : e % 3 == 0 ? 1e-100 : 1.0 / (1.0 + double(e)));
        }
        offsets.push_back(static_cast<i64>(values.size()));
    }
    const Array<u64> tight = exact(values);
    const Array<double> heights = exact(weights);
    const Array<i64> ends = exact(offsets);
    const Sets sets{40, ends.data.get(), tight.data.get(), tight.size};
    const Array<u64> one = sign_weighted(sets, heights.data.get(), 64, 3, 1);
    const Array<u64> other = sign_weighted(sets, heights.data.get(), 64, 3, 3);
    EXPECT(std::equal(one.data.get(), one.data.get() + one.size, other.data.get()));
    const double bad[] = {-1.0};
    const i64 two[] = {0, 1};
    EXPECT(refused([&] { sign_weighted(Sets{1, two, tight.data.get(), 1}, bad, 8, 0, 1); }));
}

void test_exceptions_leave_threads() {
    for (const int threads : {1, 4})
        EXPECT(refused([&] { parallel_for(1000, 1, threads, [](u32, u64 i, u64) { require(i != 500, "no 500"); }); }));
}

void test_a_team_does_loop_after_loop() {
    const Team team;
    for (int round = 0; round < 200; ++round) {
        const int threads = 1 + static_cast<int>(below(5));
        const u64 n = below(300), chunk = 1 + below(20);
        std::vector<u32> times(n);
        std::atomic<u64> inner{0};
        parallel_for(n, chunk, threads, [&](u32 worker, u64 begin, u64 end) {
            EXPECT(worker < workers_for(n, chunk, threads) && begin < end && end <= n);
            for (u64 i = begin; i < end; ++i) ++times[i];
            if (begin > 0) return;
            parallel_for(5, 1, 2, [&](u32, u64 i, u64) {  // nested loops start new threads
                parallel_for(2, 1, 2, [&](u32, u64 j, u64) { inner += i * j; });
            });
        });
        EXPECT(inner == (n ? 10 : 0));
        EXPECT(std::count(times.begin(), times.end(), 1u) == static_cast<std::ptrdiff_t>(n));
    }
    test_exceptions_leave_threads();
    test_exact_joins_agree_with_the_definition();
}

}  // namespace

int main() {
    test_hashes();
    test_decoding();
    test_normalizing_twice_changes_nothing();
    test_long_runs_of_marks_are_ordered();
    const lookalike_steps::Steps* paths[3];
    const unsigned count = lookalike_steps::paths(paths);
    test_every_path_agrees();
    for (unsigned i = 0; i < count; ++i) {
        lookalike_steps::force(paths[i]->name);
        test_any_text_can_be_cut();
        test_bad_columns_are_refused();
    }
    lookalike_steps::force(nullptr);
    EXPECT(!lookalike_steps::force("abacus"));
    test_sorting_any_keys();
    test_similar_pairs_and_components_agree_with_the_definition();
    test_giant_buckets_agree_for_any_number_of_threads();
    test_bad_tables_are_refused();
    test_unordered_sets_do_no_harm();
    test_copies_and_buckets();
    test_exceptions_leave_threads();
    test_a_team_does_loop_after_loop();
    test_frequent_pairs();
    test_weighted_sets();
    test_near_vectors();
    test_near_bits();
    for (unsigned i = 0; i < count; ++i) {
        lookalike_steps::force(paths[i]->name);
        test_exact_joins_agree_with_the_definition();
        test_whoever_can_have_a_different_partner_is_looked_for();
        test_exact_joins_take_what_is_no_set();
    }
    std::printf("%s\n", failures ? "failed" : "passed");
    return failures != 0;
}
