// The Python bindings of exact joins.
#include "bindings.h"
#include "host/exact/join.h"

using namespace lookalike;
using namespace bindings;

namespace {

std::optional<Sets> optional_sets_of(const std::optional<Input>& offsets, const std::optional<Input>& values) {
    if (!offsets || !values) return std::nullopt;
    return sets_of(*offsets, *values);
}

nb::tuple given(ExactPairs&& found) {
    return nb::make_tuple(give(std::move(found.pairs.left)), give(std::move(found.pairs.right)),
                          give(std::move(found.pairs.common)), found.records, found.counters.met,
                          found.counters.candidates, found.compared);
}

}  // namespace

void bind_exact(nb::module_& m) {
    m.def(
        "exact_pairs",
        [](const Input& offsets, const Input& values, const std::optional<Input>& right_offsets,
           const std::optional<Input>& right_values, const std::string& measure, i64 numerator, i64 denominator,
           i64 threads, u64 most) {
            const Sets left = sets_of(offsets, values);
            const std::optional<Sets> right = optional_sets_of(right_offsets, right_values);
            const Measure how = check_measure(measure, numerator, denominator);
            const int count = checked_threads(threads);
            return given(unlocked([&] { return exact_pairs(left, right ? &*right : nullptr, how, count, most); }));
        },
        nb::arg("offsets"), nb::arg("values"), nb::arg("right_offsets").none(), nb::arg("right_values").none(),
        nb::arg("measure"), nb::arg("numerator"), nb::arg("denominator"), nb::arg("threads"), nb::arg("most"));
    m.def(
        "exact_top",
        [](const Input& offsets, const Input& values, const std::optional<Input>& right_offsets,
           const std::optional<Input>& right_values, const std::string& measure, i64 numerator, i64 denominator,
           i64 top, i64 threads, u64 most) {
            const Sets left = sets_of(offsets, values);
            const std::optional<Sets> right = optional_sets_of(right_offsets, right_values);
            const Measure how = check_measure(measure, numerator, denominator);
            require(top >= 1, "top must be at least 1, got " + std::to_string(top));
            const int count = checked_threads(threads);
            return given(unlocked(
                [&] { return exact_top(left, right ? &*right : nullptr, how, static_cast<u64>(top), count, most); }));
        },
        nb::arg("offsets"), nb::arg("values"), nb::arg("right_offsets").none(), nb::arg("right_values").none(),
        nb::arg("measure"), nb::arg("numerator"), nb::arg("denominator"), nb::arg("top"), nb::arg("threads"),
        nb::arg("most"));
}
