// The Python bindings of vectors. The GIL is released for the work.
#include "bindings.h"
#include "host/vectors/vectors.h"

using namespace lookalike;
using bindings::checked_threads, bindings::give, bindings::unlocked;

namespace {

template <class T, size_t dimensions>
using Input = nb::ndarray<const T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;

vectors::Table table_of(const Input<float, 2>& values) { return {values.shape(0), values.shape(1), values.data()}; }

vectors::Keys keys_of(const Input<u32, 2>& keys) { return {keys.shape(1), keys.shape(0), keys.data()}; }

vectors::Bits bits_of(const Input<u64, 2>& bits, u64 most) { return {bits.shape(0), bits.shape(1), bits.data(), most}; }

nb::tuple given(vectors::Near&& found) {
    const size_t size = found.left.size;
    return nb::make_tuple(give(std::move(found.left), {size}), give(std::move(found.right), {size}), found.checked);
}

template <class T>
auto measured(const Input<T, 2>& one, const Input<T, 2>& two, const Input<i64, 1>& left, const Input<i64, 1>& right,
              bool squared, i64 threads) {
    require(one.shape(1) == two.shape(1), "both sides must have vectors of the same number of coordinates");
    require(left.size() == right.size(), "left and right must have the same length");
    check_rows(left.data(), left.size(), one.shape(0), "left");
    check_rows(right.data(), right.size(), two.shape(0), "right");
    Array<double> out(left.size());
    const int count = checked_threads(threads);
    unlocked([&] {
        auto* const measure = squared ? vectors::squared_distances<T> : vectors::products<T>;
        measure(one.data(), two.data(), one.shape(1), left.data(), right.data(), left.size(), count, out.begin());
    });
    const size_t size = out.size;
    return give(std::move(out), {size});
}

}  // namespace

void bind_vectors(nb::module_& m) {
    m.def(
        "vector_keys",
        [](const Input<float, 2>& values, u64 bands, u64 rows, u64 seed, double width, i64 threads) {
            const int count = checked_threads(threads);
            Array<u32> keys = unlocked([&] { return vectors::keys(table_of(values), {bands, rows, seed, width}, count); });
            return give(std::move(keys), {bands, values.shape(0)});
        },
        nb::arg("values"), nb::arg("bands"), nb::arg("rows"), nb::arg("seed"), nb::arg("width"), nb::arg("threads"));
    m.def(
        "bit_keys",
        [](const Input<u64, 2>& bits, u64 size, u64 bands, u64 rows, u64 seed, i64 threads) {
            const int count = checked_threads(threads);
            Array<u32> keys = unlocked([&] { return vectors::keys(bits_of(bits, 0), size, bands, rows, seed, count); });
            return give(std::move(keys), {bands, bits.shape(0)});
        },
        nb::arg("bits"), nb::arg("size"), nb::arg("bands"), nb::arg("rows"), nb::arg("seed"), nb::arg("threads"));
    m.def(
        "near_vectors",
        [](const Input<float, 2>& values, const std::optional<Input<float, 1>>& halves, const Input<u32, 2>& keys,
           const std::optional<Input<u64, 2>>& sketches, u64 differing, float least, i64 threads, u64 most) {
            require(!halves || halves->size() == values.shape(0), "there must be a half for every vector");
            const int count = checked_threads(threads);
            const vectors::Bits bits = sketches ? bits_of(*sketches, differing) : vectors::Bits{};
            return given(unlocked([&] {
                return vectors::near(table_of(values), halves ? halves->data() : nullptr, sketches ? &bits : nullptr,
                                     keys_of(keys), least, count, most);
            }));
        },
        nb::arg("values"), nb::arg("halves").none(), nb::arg("keys"), nb::arg("sketches").none(), nb::arg("differing"),
        nb::arg("least"), nb::arg("threads"), nb::arg("most"));
    m.def(
        "near_bits",
        [](const Input<u64, 2>& bits, const Input<u32, 2>& keys, u64 differing, i64 threads, u64 most) {
            const int count = checked_threads(threads);
            return given(unlocked([&] { return vectors::near(bits_of(bits, differing), keys_of(keys), count, most); }));
        },
        nb::arg("bits"), nb::arg("keys"), nb::arg("differing"), nb::arg("threads"), nb::arg("most"));
    m.def("measure_vectors", &measured<float>, nb::arg("one"), nb::arg("two"), nb::arg("left"), nb::arg("right"),
          nb::arg("squared"), nb::arg("threads"));
    m.def("measure_vectors", &measured<double>, nb::arg("one"), nb::arg("two"), nb::arg("left"), nb::arg("right"),
          nb::arg("squared"), nb::arg("threads"));
}
