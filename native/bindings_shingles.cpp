// The Python bindings of documents → sets of shingles, counts of some shingles, and runs of frequent ones.
#include "bindings.h"
#include "bindings_documents.h"
#include "host/members.h"
#include "host/repeated.h"

using namespace lookalike;
using namespace bindings;

void bind_shingles(nb::module_& m) {
    m.def(
        "shingle",
        [](const Input& data, const Input& strings, const std::optional<Input>& lists,
           const std::optional<Input>& validity, i64 validity_start, const Rules& rules, i64 threads) {
            const Documents documents = documents_of(data, strings, lists, validity, validity_start);
            const int count = checked_threads(threads);
            ShingleTable table = unlocked([&] { return shingle(documents, rules.shingling, count); });
            return nb::make_tuple(give(std::move(table.offsets)), give(std::move(table.values)));
        },
        nb::arg("data"), nb::arg("strings"), nb::arg("lists").none(), nb::arg("validity").none(),
        nb::arg("validity_start"), nb::arg("rules"), nb::arg("threads"));
    m.def(
        "shingle_part",
        [](const Input& data, const Input& strings, const std::optional<Input>& lists,
           const std::optional<Input>& validity, i64 validity_start, const Rules& rules, i64 part, i64 parts,
           i64 threads) {
            const Documents documents = documents_of(data, strings, lists, validity, validity_start);
            const int count = checked_threads(threads);
            require(0 <= part && part < parts && parts <= 1 << 20,
                    "part must lie in 0 … parts − 1, got " + std::to_string(part) + " of " + std::to_string(parts));
            ShingleTable table = unlocked([&] {
                return shingle_part(documents, rules.shingling, static_cast<u64>(part), static_cast<u64>(parts), count);
            });
            return nb::make_tuple(give(std::move(table.offsets)), give(std::move(table.values)));
        },
        nb::arg("data"), nb::arg("strings"), nb::arg("lists").none(), nb::arg("validity").none(),
        nb::arg("validity_start"), nb::arg("rules"), nb::arg("part"), nb::arg("parts"), nb::arg("threads"));
    m.def(
        "members",
        [](const Input& data, const Input& strings, const std::optional<Input>& lists,
           const std::optional<Input>& validity, i64 validity_start, const Rules& rules, const Input& values,
           const Input& sets, i64 threads) {
            const Documents documents = documents_of(data, strings, lists, validity, validity_start);
            const auto v = view<u64>(values, "values");
            const auto s = view<u8>(sets, "sets", 2);
            require(v.size == s.size, "values and sets must have the same rows, got " + std::to_string(v.size) +
                                          " and " + std::to_string(s.size));
            const int count = checked_threads(threads);
            Members found =
                unlocked([&] { return members(documents, rules.shingling, v.data, v.size, s.data, s.columns, count); });
            return nb::make_tuple(give(std::move(found.counts), {documents.rows, s.columns}),
                                  give(std::move(found.windows)), give(std::move(found.flags)));
        },
        nb::arg("data"), nb::arg("strings"), nb::arg("lists").none(), nb::arg("validity").none(),
        nb::arg("validity_start"), nb::arg("rules"), nb::arg("values"), nb::arg("sets"), nb::arg("threads"));
    m.def(
        "repeated_runs",
        [](const Input& data, const Input& strings, const std::optional<Input>& lists,
           const std::optional<Input>& validity, i64 validity_start, const Rules& rules, i64 least, i64 threads) {
            const Documents documents = documents_of(data, strings, lists, validity, validity_start);
            const int count = checked_threads(threads);
            Runs found = unlocked([&] { return repeated_runs(documents, rules.shingling, least, count); });
            return nb::make_tuple(give(std::move(found.documents)), give(std::move(found.starts)),
                                  give(std::move(found.lengths)), give(std::move(found.counts)));
        },
        nb::arg("data"), nb::arg("strings"), nb::arg("lists").none(), nb::arg("validity").none(),
        nb::arg("validity_start"), nb::arg("rules"), nb::arg("least"), nb::arg("threads"));
}
