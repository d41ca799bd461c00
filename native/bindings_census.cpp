// The Python bindings of the census and of groups: which documents can have a similar one, and where is it?
#include "bindings.h"
#include "bindings_documents.h"
#include "host/census.h"
#include "host/exact/groups.h"

#include <cerrno>
#include <system_error>

using namespace lookalike;
using namespace bindings;

namespace {

// Without Python's lock. Errors of the file become OSError.
template <class Work>
auto with_file(Work&& work) {
    try {
        return unlocked(work);
    } catch (const std::system_error& error) {
        errno = error.code().value();
        PyErr_SetFromErrno(PyExc_OSError);
        throw nb::python_error();
    }
}

}  // namespace

void bind_census(nb::module_& m) {
    nb::class_<Census>(m, "Census", "Counts whether shingles occur once or more often, in a sample of all shingles.")
        .def(nb::init<double>(), nb::arg("share"))
        .def(
            "add",
            [](Census& self, const Input& data, const Input& strings, const std::optional<Input>& lists,
               const std::optional<Input>& validity, i64 validity_start, const Rules& rules, i64 start, i64 threads) {
                const Documents documents = documents_of(data, strings, lists, validity, validity_start);
                require(start >= 0, "start must not be negative, got " + std::to_string(start));
                const int count = checked_threads(threads);
                SketchTable table =
                    with_file([&] { return self.add(documents, rules.shingling, static_cast<u64>(start), count); });
                return nb::make_tuple(give_hashes(std::move(table.words)), give_hashes(std::move(table.bytes)),
                                      give(std::move(table.flags)), give(std::move(table.lengths)),
                                      give(std::move(table.sizes)), give(std::move(table.windows)));
            },
            nb::arg("data"), nb::arg("strings"), nb::arg("lists").none(), nb::arg("validity").none(),
            nb::arg("validity_start"), nb::arg("rules"), nb::arg("start"), nb::arg("threads"))
        .def_prop_ro("nbytes", &Census::bytes)
        .def(
            "spill",
            [](Census& self, int file, i64 most) {
                require(most >= 0, "most must not be negative, got " + std::to_string(most));
                with_file([&] { self.spill(file, static_cast<u64>(most)); });
            },
            nb::arg("file"), nb::arg("most"))
        .def(
            "place",
            [](Census& self, const Input& starts, i64 bits) {
                const auto rows = view<i64>(starts, "starts");
                require(bits >= 1 && bits <= 63, "bits must lie in 1 … 63, got " + std::to_string(bits));
                self.place(rows.data, rows.size, static_cast<u32>(bits));
            },
            nb::arg("starts"), nb::arg("bits"))
        .def(
            "can_match",
            [](Census& self, const Input& windows, const Input& left_out, i64 numerator, i64 denominator, i64 threads) {
                const auto sizes = view<u32>(windows, "windows");
                const auto out = view<bool>(left_out, "left_out");
                require(sizes.size == out.size, "windows and left_out must have the same rows, got " +
                                                    std::to_string(sizes.size) + " and " + std::to_string(out.size));
                const Threshold threshold = check_threshold(numerator, denominator);
                const int count = checked_threads(threads);
                return give<u8, bool>(with_file([&] {
                    return self.can_match(sizes.data, reinterpret_cast<const u8*>(out.data), sizes.size, threshold,
                                          count);
                }));
            },
            nb::arg("windows"), nb::arg("left_out"), nb::arg("numerator"), nb::arg("denominator"), nb::arg("threads"));
    m.def(
        "prune_sets",
        [](const Input& offsets, const Input& values, i64 numerator, i64 denominator, i64 threads) {
            const Sets sets = sets_of(offsets, values);
            const Threshold threshold = check_threshold(numerator, denominator);
            const int count = checked_threads(threads);
            auto [can, table] = unlocked([&] { return prune_sets(sets, threshold, count); });
            return nb::make_tuple(give<u8, bool>(std::move(can)), give(std::move(table.offsets)),
                                  give(std::move(table.values)));
        },
        nb::arg("offsets"), nb::arg("values"), nb::arg("numerator"), nb::arg("denominator"), nb::arg("threads"),
        "Whether each set can have a partner at the threshold, and those that can.");
    nb::class_<Groups>(m, "Groups", "Puts sets into groups, such that similar sets are in the same group.")
        .def(
            "__init__",
            [](Groups* self, i64 rows, i64 elements, i64 numerator, i64 denominator, i64 most) {
                require(rows >= 0 && elements >= 0 && most >= 0, "rows, elements and most must not be negative");
                const Threshold threshold = check_threshold(numerator, denominator);
                require(rows <= 1ll << 31, "there are too many sets: " + std::to_string(rows));
                new (self)
                    Groups(threshold, static_cast<u64>(rows), static_cast<u64>(elements), static_cast<u64>(most));
            },
            nb::arg("rows"), nb::arg("elements"), nb::arg("numerator"), nb::arg("denominator"), nb::arg("most"))
        .def_prop_ro("nbytes", &Groups::bytes)
        .def(
            "count",
            [](Groups& self, const Input& offsets, const Input& values, i64 threads) {
                const Sets sets = sets_of(offsets, values);
                const int count = checked_threads(threads);
                unlocked([&] { self.count(sets, count); });
            },
            nb::arg("offsets"), nb::arg("values"), nb::arg("threads"))
        .def(
            "add",
            [](Groups& self, const Input& offsets, const Input& values, i64 threads) {
                const Sets sets = sets_of(offsets, values);
                const int count = checked_threads(threads);
                with_file([&] { self.add(sets, count); });
            },
            nb::arg("offsets"), nb::arg("values"), nb::arg("threads"))
        .def(
            "spill",
            [](Groups& self, int file, i64 most) {
                require(most >= 0, "most must not be negative, got " + std::to_string(most));
                with_file([&] { self.spill(file, static_cast<u64>(most)); });
            },
            nb::arg("file"), nb::arg("most"))
        .def(
            "labels",
            [](Groups& self, i64 threads) {
                const int count = checked_threads(threads);
                return give(with_file([&] { return self.labels(count); }));
            },
            nb::arg("threads"));
}
