// The Python bindings of the choice of survivors.
#include "bindings.h"
#include "bindings_keys.h"
#include "host/survivors.h"

using namespace lookalike;
using namespace bindings;

void bind_survivors(nb::module_& m) {
    m.def(
        "choose_survivors",
        [](const Input& keys, const Input& offsets, const Input& values, i64 numerator, i64 denominator,
           i64 contained_numerator, i64 contained_denominator, const Input& order, i64 always_kept, const Input& left,
           const Input& right, i64 threads) {
            const Keys table = keys_of(keys);
            const Sets sets = sets_of(offsets, values);
            Replaceable replaceable{check_threshold(numerator, denominator), {}, contained_numerator != 0};
            if (replaceable.needs_containment)
                replaceable.contained = check_threshold(contained_numerator, contained_denominator);
            const auto places = view<i64>(order, "order");
            require(places.size == table.rows, "order must have as many rows as keys, got " +
                                                   std::to_string(places.size) + " and " + std::to_string(table.rows));
            require(always_kept >= 0, "always_kept must not be negative, got " + std::to_string(always_kept));
            const auto l = view<i64>(left, "left"), r = view<i64>(right, "right");
            require(l.size == r.size, "left and right must have the same length, got " + std::to_string(l.size) +
                                          " and " + std::to_string(r.size));
            check_rows(l.data, l.size, table.rows, "left");
            check_rows(r.data, r.size, table.rows, "right");
            std::vector<RowPair> different(l.size);
            for (u64 i = 0; i < l.size; ++i) different[i] = {static_cast<u32>(l.data[i]), static_cast<u32>(r.data[i])};
            const int count = checked_threads(threads);
            const Preference preference{places.data, static_cast<u64>(always_kept)};
            Survivors found = unlocked(
                [&] { return choose_survivors(table, sets, replaceable, preference, std::move(different), count); });
            return nb::make_tuple(give(std::move(found.survivor)), give(std::move(found.common)), found.checked);
        },
        nb::arg("keys"), nb::arg("offsets"), nb::arg("values"), nb::arg("numerator"), nb::arg("denominator"),
        nb::arg("contained_numerator"), nb::arg("contained_denominator"), nb::arg("order"), nb::arg("always_kept"),
        nb::arg("left"), nb::arg("right"), nb::arg("threads"));
    m.def(
        "removing_pairs",
        [](const Input& order, i64 always_kept, const Input& left, const Input& right) {
            const auto places = view<i64>(order, "order");
            require(always_kept >= 0, "always_kept must not be negative, got " + std::to_string(always_kept));
            const auto l = view<i64>(left, "left"), r = view<i64>(right, "right");
            require(l.size == r.size, "left and right must have the same length, got " + std::to_string(l.size) +
                                          " and " + std::to_string(r.size));
            const Preference preference{places.data, static_cast<u64>(always_kept)};
            return give(unlocked([&] { return removing_pairs(places.size, l.data, r.data, l.size, preference); }));
        },
        nb::arg("order"), nb::arg("always_kept"), nb::arg("left"), nb::arg("right"));
}
