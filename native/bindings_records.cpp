// The Python bindings of records: rows of weighted tokens. The GIL is released during the work.
#include "bindings.h"
#include "host/records/records.h"

using namespace lookalike;
using bindings::checked_threads, bindings::give, bindings::unlocked;

namespace {

template <class T>
using Input = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

records::Rows rows_of(const Input<i64>& offsets, const Input<u32>& tokens, u64 vocabulary, const char* name) {
    check_offsets(offsets.data(), offsets.size(), tokens.size(), name);
    check_row_count(offsets.size() - 1);
    for (u64 i = 0; i < tokens.size(); ++i) require(tokens.data()[i] < vocabulary, "every token must have a weight");
    return {offsets.size() - 1, offsets.data(), tokens.data()};
}

}  // namespace

void bind_records(nb::module_& m) {
    m.def(
        "nearest_records",
        [](const Input<i64>& offsets, const Input<u32>& tokens, const Input<i64>& index_offsets,
           const Input<u32>& index_tokens, const Input<double>& weights, u64 top, u64 budget, bool within,
           i64 threads) {
            const auto queries = rows_of(offsets, tokens, weights.size(), "offsets");
            const auto index = rows_of(index_offsets, index_tokens, weights.size(), "index_offsets");
            const int count = checked_threads(threads);
            records::Nearest found = unlocked([&] {
                return records::nearest(queries, index, weights.data(), weights.size(), top, budget, within, count);
            });
            return nb::make_tuple(give(std::move(found.left)), give(std::move(found.right)),
                                  give(std::move(found.score)), found.looked_at);
        },
        nb::arg("offsets"), nb::arg("tokens"), nb::arg("index_offsets"), nb::arg("index_tokens"), nb::arg("weights"),
        nb::arg("top"), nb::arg("budget"), nb::arg("within"), nb::arg("threads"));
    m.def(
        "shared_weights",
        [](const Input<i64>& offsets, const Input<u32>& tokens, const Input<i64>& other_offsets,
           const Input<u32>& other_tokens, const Input<double>& weights, const Input<i64>& left,
           const Input<i64>& right, i64 threads) {
            const auto one = rows_of(offsets, tokens, weights.size(), "offsets");
            const auto two = rows_of(other_offsets, other_tokens, weights.size(), "other_offsets");
            require(left.size() == right.size(), "left and right must have the same length");
            check_rows(left.data(), left.size(), one.count, "left");
            check_rows(right.data(), right.size(), two.count, "right");
            const int count = checked_threads(threads);
            Array<double> out(left.size());
            unlocked([&] {
                records::shared(one, two, weights.data(), left.data(), right.data(), left.size(), count, out.begin());
            });
            return give(std::move(out));
        },
        nb::arg("offsets"), nb::arg("tokens"), nb::arg("other_offsets"), nb::arg("other_tokens"), nb::arg("weights"),
        nb::arg("left"), nb::arg("right"), nb::arg("threads"));
}
