// The Python bindings of matrices of scores. The GIL is released during the work.
#include "bindings.h"
#include "host/vectors/top_scores.h"

using namespace lookalike;
using bindings::checked_threads, bindings::give, bindings::unlocked;

namespace {

template <class T, size_t dimensions>
using Input = nb::ndarray<const T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;

template <class T>
nb::tuple scores_above(const Input<T, 2>& scores, const Input<T, 1>& own, const Input<T, 1>& bars, i64 threads) {
    require(scores.shape(0) == bars.size() && scores.shape(1) == own.size(),
            "there must be a bar per row of scores, and a number per column");
    const int count = checked_threads(threads);
    vectors::Cells found = unlocked([&] {
        return vectors::cells_above(scores.data(), scores.shape(0), scores.shape(1), own.data(), bars.data(), count);
    });
    const size_t size = found.rows.size;
    return nb::make_tuple(give(std::move(found.rows), {size}), give(std::move(found.columns), {size}));
}

template <class T>
void bind_top_scores(nb::module_& m, const char* name) {
    using Scores = vectors::TopScores<T>;
    nb::class_<Scores>(m, name, "Keeps the rows that may be among the nearest of each query, by approximate scores.")
        .def(
            "__init__",
            [](Scores* self, const Input<T, 1>& margins, u64 top) {
                new (self) Scores(margins.data(), margins.size(), top);
            },
            nb::arg("margins"), nb::arg("top"))
        .def(
            "add",
            [](Scores& self, const Input<T, 2>& scores, const Input<T, 1>& own, u64 first, u64 first_row, i64 threads) {
                require(scores.shape(1) == own.size(), "there must be a margin per column of scores");
                const int count = checked_threads(threads);
                unlocked([&] {
                    self.add(scores.data(), first, scores.shape(0), first_row, scores.shape(1), own.data(), count);
                });
            },
            nb::arg("scores"), nb::arg("own"), nb::arg("first"), nb::arg("first_row"), nb::arg("threads"))
        .def("remaining",
             [](const Scores& self) {
                 const u64 count = self.remaining(nullptr, nullptr);
                 Array<i64> queries(count), rows(count);
                 unlocked([&] { self.remaining(queries.begin(), rows.begin()); });
                 return nb::make_tuple(give(std::move(queries), {count}), give(std::move(rows), {count}));
             })
        .def(
            "keep",
            [](Scores& self, const Input<i64, 1>& queries, const Input<i64, 1>& rows) {
                require(queries.size() == rows.size(), "queries and rows must have the same length");
                unlocked([&] { self.keep(queries.data(), rows.data(), rows.size()); });
            },
            nb::arg("queries"), nb::arg("rows"))
        .def("waiting", [](const Scores& self) { return self.waiting(); });
}

}  // namespace

void bind_scores(nb::module_& m) {
    m.def("scores_above", &scores_above<float>, nb::arg("scores"), nb::arg("own"), nb::arg("bars"), nb::arg("threads"));
    m.def("scores_above", &scores_above<double>, nb::arg("scores"), nb::arg("own"), nb::arg("bars"),
          nb::arg("threads"));
    bind_top_scores<float>(m, "TopScores");
    bind_top_scores<double>(m, "TopScores64");
}
