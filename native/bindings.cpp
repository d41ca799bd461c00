// The Python bindings of texts, signatures and candidates, and the module itself.
#include "bindings.h"
#include "bindings_documents.h"
#include "bindings_keys.h"
#include "host/buckets.h"
#include "host/counted.h"
#include "host/documents.h"
#include "host/forest.h"
#include "host/losses.h"
#include "host/simd/steps.h"
#include "host/simhash.h"
#include "host/similar.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace lookalike;
using namespace bindings;

namespace {

Share share_of(i64 first, i64 last, i64 split) {
    require(first >= 0 && split >= 0, "the first band of a share and its split must not be negative");
    return {static_cast<u64>(first), last < 0 ? ~0ull : static_cast<u64>(last), static_cast<u64>(split)};
}

template <class Field>
auto column(const Array<Pair>& pairs, Field&& field) {
    Array<i64> values(pairs.size);
    for (u64 i = 0; i < pairs.size; ++i) values[i] = static_cast<i64>(field(pairs[i]));
    return values;
}

Array<i64> lefts(const Array<Pair>& pairs) {
    return column(pairs, [](const Pair& pair) { return pair.left; });
}
Array<i64> rights(const Array<Pair>& pairs) {
    return column(pairs, [](const Pair& pair) { return pair.right; });
}

// Arguments

Sketch sketch_of(const std::string& name, i64 hashes, u64 seed) {
    require(name == "fast" || name == "classic", "sketch must be fast or classic, got " + name);
    return Sketch(name == "classic", hashes, seed);
}

const u8* bytes_of(const nb::bytes& data) { return static_cast<const u8*>(data.data()); }

}  // namespace

NB_MODULE(_native, m) {
    check_interrupt = [] {  // only Python's main thread handles Ctrl-C
        const nb::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals()) throw nb::python_error();
    };
    m.doc() = "The compiled kernel: arrays in, arrays out. lookalike.kernel is its typed face.";

    nb::class_<Rules>(m, "Rules", "How a text becomes a set.")
        .def(nb::init<const std::string&, i64, const std::string&, const std::string&, const std::string&, bool, i64,
                      const Input&, const std::optional<Input>&, u64>(),
             nb::arg("kind"), nb::arg("k"), nb::arg("normalize"), nb::arg("case"), nb::arg("whitespace"),
             nb::arg("bag"), nb::arg("bits"), nb::arg("stopwords"), nb::arg("ignored") = nb::none(),
             nb::arg("key") = 0);

    m.def("paths", [] {
        const lookalike_steps::Steps* tables[3];
        nb::list names;
        for (unsigned i = 0, n = lookalike_steps::paths(tables); i < n; ++i) names.append(tables[i]->name);
        return names;
    });
    m.def("steps", [] {  // how far the long loop of another thread's call has come; (0, 0) if there is none
        return std::make_pair(steps_done.load(std::memory_order_relaxed), steps_total.load(std::memory_order_relaxed));
    });
    m.def("path", [] { return lookalike_steps::steps().name; });
    m.def(
        "force",
        [](const std::optional<std::string>& path) {
            require(lookalike_steps::force(path ? path->c_str() : nullptr),
                    "path must be one that this machine has, got " + path.value_or(""));
        },
        nb::arg("path").none());

    m.def("trim", [] {
        const nb::gil_scoped_release release;  // it may take a tenth of a second
#ifdef __GLIBC__
        malloc_trim(0);  // and no mallopt: the allocator's settings belong to the process, not to this library
#endif
    });
    m.def("mix", [](u64 x) { return mix(x); }, nb::arg("x"));
    m.def(
        "hash_bytes",
        [](const nb::bytes& data, u64 key) {
            return hash_bytes(bytes_of(data), data.size(), data.size(), TokenKey::of(key));
        },
        nb::arg("data"), nb::arg("key") = 0);
    m.def(
        "hash128",
        [](const nb::bytes& data, u64 key_a, u64 key_b) {
            const Hash128 hash = hash128(bytes_of(data), data.size(), {key_a, key_b});
            return nb::make_tuple(hash.a, hash.b);
        },
        nb::arg("data"), nb::arg("key_a"), nb::arg("key_b"));

    m.def(
        "normalize",
        [](const nb::bytes& text, const Rules& rules) {
            Buffer<u8> out = unlocked([&] { return normalize(bytes_of(text), text.size(), rules.shingling.form); });
            return nb::bytes(out.data(), out.size());
        },
        nb::arg("text"), nb::arg("rules"));
    m.def(
        "token_spans",
        [](const nb::bytes& text, const Rules& rules) {
            Tokens found = unlocked([&] { return tokens(bytes_of(text), text.size(), rules.shingling); });
            return nb::make_tuple(give(found.starts), give(found.ends), give(found.hashes));
        },
        nb::arg("text"), nb::arg("rules"));

    m.def(
        "sketch",
        [](const Input& data, const Input& strings, const std::optional<Input>& lists,
           const std::optional<Input>& validity, i64 validity_start, const Rules& rules, const std::string& name,
           i64 hashes, u64 seed, i64 bands, i64 rows, i64 threads) {
            const Documents documents = documents_of(data, strings, lists, validity, validity_start);
            const Sketch how = sketch_of(name, hashes, seed);
            const Banding banding = check_banding(bands, rows, how.hashes());
            const int count = checked_threads(threads);
            SketchTable table = unlocked([&] { return sketch(documents, rules.shingling, how, banding, count); });
            const size_t n = documents.rows;
            return nb::make_tuple(give_hashes(std::move(table.words)), give_hashes(std::move(table.bytes)),
                                  give(std::move(table.flags)), give(std::move(table.keys), {n, banding.bands}),
                                  give(std::move(table.lengths)), give(std::move(table.sizes)),
                                  give(std::move(table.windows)));
        },
        nb::arg("data"), nb::arg("strings"), nb::arg("lists").none(), nb::arg("validity").none(),
        nb::arg("validity_start"), nb::arg("rules"), nb::arg("sketch"), nb::arg("hashes"), nb::arg("seed"),
        nb::arg("bands"), nb::arg("rows"), nb::arg("threads"));

    m.def(
        "hash_texts",
        [](const Input& data, const Input& strings, const std::optional<Input>& lists,
           const std::optional<Input>& validity, i64 validity_start, const Rules& rules, bool raw, i64 threads) {
            const Documents documents = documents_of(data, strings, lists, validity, validity_start);
            const int count = checked_threads(threads);
            SketchTable table = unlocked([&] { return hash_texts(documents, rules.shingling, raw, count); });
            const size_t n = documents.rows;
            return nb::make_tuple(give_hashes(std::move(table.words)), give_hashes(std::move(table.bytes)),
                                  give(std::move(table.flags)), give(std::move(table.keys), {n, size_t{1}}),
                                  give(std::move(table.lengths)), give(std::move(table.sizes)),
                                  give(std::move(table.windows)));
        },
        nb::arg("data"), nb::arg("strings"), nb::arg("lists").none(), nb::arg("validity").none(),
        nb::arg("validity_start"), nb::arg("rules"), nb::arg("raw"), nb::arg("threads"));

    m.def(
        "losses",
        [](const Input& data, const Input& strings, const std::optional<Input>& lists,
           const std::optional<Input>& validity, i64 validity_start, const Rules& rules, const Input& removed,
           const Input& kept, i64 threads) {
            const Documents documents = documents_of(data, strings, lists, validity, validity_start);
            const auto gone = view<i64>(removed, "removed");
            const auto there = view<i64>(kept, "kept");
            require(gone.size == there.size, "removed and kept must have the same length, got " +
                                                 std::to_string(gone.size) + " and " + std::to_string(there.size));
            const int count = checked_threads(threads);
            Losses found =
                unlocked([&] { return losses(documents, rules.shingling, gone.data, there.data, gone.size, count); });
            return nb::make_tuple(give<u8, bool>(std::move(found.identical)), give(std::move(found.lost)));
        },
        nb::arg("data"), nb::arg("strings"), nb::arg("lists").none(), nb::arg("validity").none(),
        nb::arg("validity_start"), nb::arg("rules"), nb::arg("removed"), nb::arg("kept"), nb::arg("threads"));
    m.def(
        "sign",
        [](const Input& offsets, const Input& values, const std::string& name, i64 hashes, u64 seed, i64 threads) {
            const Sets sets = sets_of(offsets, values);
            const Sketch how = sketch_of(name, hashes, seed);
            const int count = checked_threads(threads);
            Array<u64> signatures = unlocked([&] { return sign(sets, how, count); });
            return give(std::move(signatures), {sets.rows, how.hashes()});
        },
        nb::arg("offsets"), nb::arg("values"), nb::arg("sketch"), nb::arg("hashes"), nb::arg("seed"),
        nb::arg("threads"));
    m.def(
        "simhash",
        [](const Input& offsets, const Input& values, u64 words, u64 seed, i64 threads) {
            const Sets sets = sets_of(offsets, values);
            const int count = checked_threads(threads);
            Array<u64> bits = unlocked([&] { return simhash(sets, words, seed, count); });
            return give(std::move(bits), {sets.rows, words});
        },
        nb::arg("offsets"), nb::arg("values"), nb::arg("words"), nb::arg("seed"), nb::arg("threads"));
    m.def(
        "band_keys",
        [](const Input& signatures, i64 bands, i64 rows, i64 threads) {
            const auto slots = view<u64>(signatures, "signatures", 2);
            const Banding banding = check_banding(bands, rows, slots.columns);
            const int count = checked_threads(threads);
            Array<u64> keys =
                unlocked([&] { return band_keys(slots.data, slots.size, slots.columns, banding, count); });
            return give(std::move(keys), {slots.size, banding.bands});
        },
        nb::arg("signatures"), nb::arg("bands"), nb::arg("rows"), nb::arg("threads"));

    m.def(
        "copies",
        [](const Input& hashes, const Input& empty, i64 threads) {
            const auto numbers = view<u64>(hashes, "hashes", 2);
            const auto flags = view<bool>(empty, "empty");
            require(numbers.columns == 2, "hashes must have two columns, got " + std::to_string(numbers.columns));
            require(flags.size == numbers.size, "hashes and empty must have the same rows, got " +
                                                    std::to_string(numbers.size) + " and " +
                                                    std::to_string(flags.size));
            const auto* const rows = reinterpret_cast<const Hash128*>(numbers.data);
            const int count = checked_threads(threads);
            return give(
                unlocked([&] { return copies(rows, reinterpret_cast<const u8*>(flags.data), flags.size, count); }));
        },
        nb::arg("hashes"), nb::arg("empty"), nb::arg("threads"));
    m.def(
        "bucketed",
        [](const Input& keys, const Input& left_out, i64 threads) {
            const Keys table = keys_of(keys);
            const auto out = view<bool>(left_out, "left_out");
            require(out.size == table.rows, "keys and left_out must have the same rows, got " +
                                                std::to_string(table.rows) + " and " + std::to_string(out.size));
            const int count = checked_threads(threads);
            return give(unlocked([&] { return bucketed(table, reinterpret_cast<const u8*>(out.data), count); }));
        },
        nb::arg("keys"), nb::arg("left_out"), nb::arg("threads"));
    m.def(
        "candidates",
        [](const Input& keys, i64 threads, u64 most, i64 first, i64 last, i64 split) {
            const Keys table = keys_of(keys);
            const int count = checked_threads(threads);
            const Share share = share_of(first, last, split);
            const Array<Pair> pairs = unlocked([&] { return candidates(table, count, share, most); });
            return nb::make_tuple(give(lefts(pairs)), give(rights(pairs)));
        },
        nb::arg("keys"), nb::arg("threads"), nb::arg("most"), nb::arg("first"), nb::arg("last"), nb::arg("split"));
    m.def(
        "buckets",
        [](const Input& keys, const std::optional<Input>& rows, const std::optional<Input>& left_out) {
            const auto k = view<u64>(keys, "keys");
            const auto r = view<u32>(rows, "rows");
            const auto out = view<bool>(left_out, "left_out");
            require((!r || r->size == k.size) && (!out || out->size == k.size),
                    "keys, rows and left_out must have the same length");
            const Buckets found = unlocked([&] {
                return buckets_of(k.data, r ? r->data : nullptr, out ? reinterpret_cast<const u8*>(out->data) : nullptr,
                                  k.size);
            });
            Array<u32> members(found.members.size());
            std::copy(found.members.begin(), found.members.end(), members.begin());
            Array<i64> starts(found.starts.size());
            std::copy(found.starts.begin(), found.starts.end(), starts.begin());
            return nb::make_tuple(give(std::move(members)), give(std::move(starts)));
        },
        nb::arg("keys"), nb::arg("rows").none(), nb::arg("left_out").none());

    m.def(
        "intersections",
        [](const Input& offsets, const Input& values, const Input& left, const Input& right, i64 threads) {
            const Sets sets = sets_of(offsets, values);
            const auto l = view<i64>(left, "left"), r = view<i64>(right, "right");
            require(l.size == r.size, "left and right must have the same length, got " + std::to_string(l.size) +
                                          " and " + std::to_string(r.size));
            const int count = checked_threads(threads);
            return give(unlocked([&] { return intersections(sets, l.data, r.data, l.size, count); }));
        },
        nb::arg("offsets"), nb::arg("values"), nb::arg("left"), nb::arg("right"), nb::arg("threads"));
    m.def(
        "similar_pairs",
        [](const Input& keys, const Input& offsets, const Input& values, i64 numerator, i64 denominator, i64 threads,
           u64 most, i64 first, i64 last, i64 split) {
            const Keys table = keys_of(keys);
            const Sets sets = sets_of(offsets, values);
            const Threshold threshold = check_threshold(numerator, denominator);
            const int count = checked_threads(threads);
            const Share share = share_of(first, last, split);
            const SimilarPairs found =
                unlocked([&] { return similar_pairs(table, sets, threshold, count, most, share); });
            return nb::make_tuple(give(lefts(found.pairs)), give(rights(found.pairs)),
                                  give(column(found.pairs, [](const Pair& pair) { return pair.common; })),
                                  found.candidates, found.checked, found.in_large);
        },
        nb::arg("keys"), nb::arg("offsets"), nb::arg("values"), nb::arg("numerator"), nb::arg("denominator"),
        nb::arg("threads"), nb::arg("most"), nb::arg("first"), nb::arg("last"), nb::arg("split"));
    m.def(
        "similar_components",
        [](const Input& keys, const Input& offsets, const Input& values, i64 numerator, i64 denominator, i64 threads,
           i64 first, i64 last, i64 split, const std::optional<Input>& known, bool stars_only) {
            const Keys table = keys_of(keys);
            const Sets sets = sets_of(offsets, values);
            const Threshold threshold = check_threshold(numerator, denominator);
            const int count = checked_threads(threads);
            const Share share = share_of(first, last, split);
            const auto labels = view<i64>(known, "known");
            require(!labels || labels->size == table.rows, "known must have as many rows as keys");
            const i64* const before = labels ? labels->data : nullptr;
            Components found =
                unlocked([&] { return similar_components(table, sets, threshold, count, share, before, stars_only); });
            return nb::make_tuple(give(std::move(found.labels)), found.checked, give(std::move(found.left)),
                                  give(std::move(found.right)));
        },
        nb::arg("keys"), nb::arg("offsets"), nb::arg("values"), nb::arg("numerator"), nb::arg("denominator"),
        nb::arg("threads"), nb::arg("first"), nb::arg("last"), nb::arg("split"), nb::arg("known").none(),
        nb::arg("stars_only"));
    m.def(
        "connect",
        [](i64 n, const Input& left, const Input& right) {
            const auto l = view<i64>(left, "left"), r = view<i64>(right, "right");
            require(n >= 0, "n must not be negative, got " + std::to_string(n));
            require(l.size == r.size, "left and right must have the same length, got " + std::to_string(l.size) +
                                          " and " + std::to_string(r.size));
            return give(unlocked([&] { return connect(static_cast<u64>(n), l.data, r.data, l.size); }));
        },
        nb::arg("n"), nb::arg("left"), nb::arg("right"));

    // These keep the GIL: they are short, and a forest must not be changed by two threads at once.
    nb::class_<Forest>(m, "Forest", "Connected components of rows. The root of each tree is its smallest row.")
        .def(
            "__init__",
            [](Forest* self, i64 rows) {
                require(rows >= 0, "rows must not be negative, got " + std::to_string(rows));
                check_row_count(static_cast<u64>(rows));
                new (self) Forest(static_cast<u64>(rows));
            },
            nb::arg("rows"))
        .def(
            "join",
            [](Forest& self, const Input& left, const Input& right) {
                const auto l = view<i64>(left, "left"), r = view<i64>(right, "right");
                require(l.size == r.size, "left and right must have the same length, got " + std::to_string(l.size) +
                                              " and " + std::to_string(r.size));
                check_rows(l.data, l.size, self.rows(), "left");
                check_rows(r.data, r.size, self.rows(), "right");
                for (u64 i = 0; i < l.size; ++i) self.join(static_cast<u32>(l.data[i]), static_cast<u32>(r.data[i]));
            },
            nb::arg("left"), nb::arg("right"))
        .def(
            "join_buckets",
            [](Forest& self, const Input& members, const Input& starts) {
                const auto m = view<u32>(members, "members");
                const auto s = view<i64>(starts, "starts");
                check_offsets(s.data, s.size, m.size, "starts");
                for (u64 i = 0; i < m.size; ++i) require(m.data[i] < self.rows(), "members must be rows of the forest");
                for (u64 b = 0; b + 1 < s.size; ++b)
                    for (i64 i = s.data[b] + 1; i < s.data[b + 1]; ++i) self.join(m.data[s.data[b]], m.data[i]);
            },
            nb::arg("members"), nb::arg("starts"))
        .def(
            "find",
            [](Forest& self, const Input& rows) {
                const auto r = view<i64>(rows, "rows");
                check_rows(r.data, r.size, self.rows(), "rows");
                Array<i64> roots(r.size);
                for (u64 i = 0; i < r.size; ++i) roots[i] = self.find(static_cast<u32>(r.data[i]));
                return give(std::move(roots));
            },
            nb::arg("rows"));

    bind_census(m);
    bind_corpus(m);
    bind_exact(m);
    bind_frequent(m);
    bind_lines(m);
    bind_pages(m);
    bind_prints(m);
    bind_records(m);
    bind_survivors(m);
    bind_vectors(m);
    bind_scores(m);
    bind_shingles(m);
    bind_weighted(m);
}
