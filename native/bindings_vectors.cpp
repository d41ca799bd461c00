// The Python bindings of vectors. The GIL is released during the work.
#include "bindings.h"
#include "host/vectors/in_lists.h"
#include "host/vectors/nearest.h"
#include "host/vectors/within_distance.h"

using namespace lookalike;
using bindings::checked_threads, bindings::give, bindings::unlocked;

namespace {

template <class T, size_t dimensions>
using Input = nb::ndarray<const T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;

vectors::Table table_of(const Input<float, 2>& values, const std::optional<Input<float, 1>>& own = {}) {
    require(!own || own->size() == values.shape(0), "own must have one number per vector");
    return {values.shape(0), values.shape(1), values.data(), own ? own->data() : nullptr};
}

vectors::Kind kind_of(u64 kind) {
    require(kind <= 2, "vectors are near by their products (0), differences (1) or minima (2)");
    return static_cast<vectors::Kind>(kind);
}

vectors::Keys keys_of(const Input<u32, 2>& keys) { return {keys.shape(1), keys.shape(0), keys.data()}; }

vectors::Bits bits_of(const Input<u64, 2>& bits, u64 most) { return {bits.shape(0), bits.shape(1), bits.data(), most}; }

// Calls a Python function that decides which pairs (rows left and right) are near, a few million pairs at a time.
vectors::Limit limit_of(u64 most, const std::optional<nb::callable>& is_near) {
    if (!is_near) return {most};
    return {most, [&is_near](vectors::Pair* pairs, u64 count) {
                constexpr u64 step = 1 << 22;
                u64 kept = 0;
                for (u64 begin = 0; begin < count; begin += step) {
                    const u64 n = std::min(step, count - begin);
                    Array<i64> left(n), right(n);
                    for (u64 i = 0; i < n; ++i) left[i] = pairs[begin + i].left, right[i] = pairs[begin + i].right;
                    const nb::gil_scoped_acquire acquire;
                    const nb::object answer = (*is_near)(give(std::move(left), {n}), give(std::move(right), {n}));
                    const auto near = nb::cast<Input<bool, 1>>(answer);
                    require(near.size() == n, "there must be an answer for every pair");
                    for (u64 i = 0; i < n; ++i)
                        if (near.data()[i]) pairs[kept++] = pairs[begin + i];
                }
                return kept;
            }};
}

nb::tuple given(vectors::Near&& found) {
    const size_t size = found.left.size;
    return nb::make_tuple(give(std::move(found.left), {size}), give(std::move(found.right), {size}), found.checked);
}

template <class T>
auto measured(const Input<T, 2>& one, const Input<T, 2>& two, const Input<i64, 1>& left, const Input<i64, 1>& right,
              u64 term, i64 threads) {
    require(term <= 3, "terms are products (0), squared differences (1), minima (2) or maxima (3)");
    require(one.shape(1) == two.shape(1), "both sides must have vectors of the same number of coordinates");
    require(left.size() == right.size(), "left and right must have the same length");
    check_rows(left.data(), left.size(), one.shape(0), "left");
    check_rows(right.data(), right.size(), two.shape(0), "right");
    Array<double> out(left.size());
    const int count = checked_threads(threads);
    unlocked([&] {
        vectors::measure(static_cast<vectors::Term>(term), one.data(), two.data(), one.shape(1), left.data(),
                         right.data(), left.size(), count, out.begin());
    });
    const size_t size = out.size;
    return give(std::move(out), {size});
}

auto in_common(const Input<u64, 2>& one, const Input<u64, 2>& two, const Input<i64, 1>& left,
               const Input<i64, 1>& right, i64 threads) {
    require(one.shape(1) == two.shape(1), "both sides must have the same number of words per row");
    require(left.size() == right.size(), "left and right must have the same length");
    check_rows(left.data(), left.size(), one.shape(0), "left");
    check_rows(right.data(), right.size(), two.shape(0), "right");
    Array<i64> out(left.size());
    const int count = checked_threads(threads);
    unlocked([&] {
        vectors::common_ones(bits_of(one, 0), bits_of(two, 0), left.data(), right.data(), left.size(), count,
                             out.begin());
    });
    const size_t size = out.size;
    return give(std::move(out), {size});
}

template <class T>
nb::tuple nearest(const Input<float, 2>& values, const std::optional<Input<float, 1>>& own, const Input<u32, 2>& keys,
                  const Input<float, 2>& queries, const std::optional<Input<float, 1>>& query_own,
                  const Input<u32, 2>& query_keys, const Input<T, 2>& exact, const Input<T, 2>& exact_queries,
                  const std::optional<Input<double, 1>>& squares, const std::optional<Input<double, 1>>& query_squares,
                  u64 kind, double scale, double margin, u64 top, i64 threads) {
    require(exact.shape(1) == exact_queries.shape(1), "both sides must have vectors of the same number of coordinates");
    require(exact.shape(0) == values.shape(0) && exact_queries.shape(0) == queries.shape(0),
            "there must be a prepared vector for every exact one");
    require(squares.has_value() == query_squares.has_value() && (!squares || squares->size() == values.shape(0)) &&
                (!squares || query_squares->size() == queries.shape(0)),
            "there must be a square for every vector and every query, or for none");
    const int count = checked_threads(threads);
    const vectors::Far<T> far{exact.data(), exact_queries.data(), exact.shape(1), squares ? squares->data() : nullptr,
                              squares ? query_squares->data() : nullptr};
    vectors::Nearest found = unlocked([&] {
        return vectors::nearest(table_of(values, own), keys_of(keys), table_of(queries, query_own), keys_of(query_keys),
                                far, {kind_of(kind), scale, margin}, top, count);
    });
    const size_t rows = queries.shape(0), columns = top;
    return nb::make_tuple(give(std::move(found.rows), {rows, columns}), give(std::move(found.far), {rows, columns}),
                          found.checked);
}

template <class T>
nb::tuple in_lists(const Input<float, 2>& values, const std::optional<Input<float, 1>>& own,
                   const Input<float, 2>& queries, const std::optional<Input<float, 1>>& query_own,
                   const Input<i64, 1>& starts, const Input<i64, 1>& ids, const Input<i64, 1>& first,
                   const Input<i64, 1>& asking, const Input<i64, 1>& lists, const Input<T, 2>& exact,
                   const Input<T, 2>& exact_queries, const std::optional<Input<double, 1>>& squares,
                   const std::optional<Input<double, 1>>& query_squares, u64 kind, double scale, double margin, u64 top,
                   i64 threads) {
    require(exact.shape(1) == exact_queries.shape(1), "both sides must have vectors of the same number of coordinates");
    require(exact.shape(0) == values.shape(0) && exact_queries.shape(0) == queries.shape(0),
            "there must be a prepared vector for every exact one");
    require(squares.has_value() == query_squares.has_value() && (!squares || squares->size() == values.shape(0)) &&
                (!squares || query_squares->size() == queries.shape(0)),
            "there must be a square for every vector and every query, or for none");
    require(starts.size() >= 1 && ids.size() == values.shape(0) && first.size() == queries.shape(0),
            "every vector must be in a list, and every query must have a first list");
    require(asking.size() == lists.size(), "queries and lists must have the same length");
    const int count = checked_threads(threads);
    const vectors::Far<T> far{exact.data(), exact_queries.data(), exact.shape(1), squares ? squares->data() : nullptr,
                              squares ? query_squares->data() : nullptr};
    const vectors::Lists searched{starts.size() - 1, starts.data(), ids.data(),  first.data(),
                                  asking.size(),     asking.data(), lists.data()};
    vectors::Nearest found = unlocked([&] {
        return vectors::nearest_in_lists(table_of(values, own), searched, table_of(queries, query_own), far,
                                         {kind_of(kind), scale, margin}, top, count);
    });
    const size_t rows = queries.shape(0), columns = top;
    return nb::make_tuple(give(std::move(found.rows), {rows, columns}), give(std::move(found.far), {rows, columns}),
                          found.checked);
}

}  // namespace

void bind_vectors(nb::module_& m) {
    m.def(
        "vector_keys",
        [](const Input<float, 2>& values, u64 bands, u64 rows, u64 seed, double width, i64 threads) {
            const int count = checked_threads(threads);
            Array<u32> keys =
                unlocked([&] { return vectors::keys(table_of(values), {bands, rows, seed, width}, count); });
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
        [](const Input<float, 2>& values, const std::optional<Input<float, 1>>& own, const Input<u32, 2>& keys,
           const std::optional<Input<u64, 2>>& sketches, u64 differing, u64 kind, float bound, i64 threads, u64 most,
           const std::optional<nb::callable>& is_near) {
            const int count = checked_threads(threads);
            const vectors::Bits bits = sketches ? bits_of(*sketches, differing) : vectors::Bits{};
            return given(unlocked([&] {
                return vectors::near(table_of(values, own), {kind_of(kind), bound}, sketches ? &bits : nullptr,
                                     keys_of(keys), count, limit_of(most, is_near));
            }));
        },
        nb::arg("values"), nb::arg("own").none(), nb::arg("keys"), nb::arg("sketches").none(), nb::arg("differing"),
        nb::arg("kind"), nb::arg("bound"), nb::arg("threads"), nb::arg("most"), nb::arg("is_near").none());
    m.def(
        "near_bits",
        [](const Input<u64, 2>& bits, const Input<u32, 2>& keys, const Input<u32, 1>& differing, i64 threads, u64 most,
           const std::optional<nb::callable>& is_near) {
            require(differing.size() == bits.shape(0), "differing must have one number per row of bits");
            const int count = checked_threads(threads);
            vectors::Bits limited = bits_of(bits, 0);
            limited.most_of = differing.data();
            return given(
                unlocked([&] { return vectors::near(limited, keys_of(keys), count, limit_of(most, is_near)); }));
        },
        nb::arg("bits"), nb::arg("keys"), nb::arg("differing"), nb::arg("threads"), nb::arg("most"),
        nb::arg("is_near").none());
    m.def(
        "bits_within",
        [](const Input<u64, 2>& left, const std::optional<Input<u64, 2>>& right, u64 distance, i64 threads, u64 most) {
            const int count = checked_threads(threads);
            const vectors::Bits one = bits_of(left, 0), two = right ? bits_of(*right, 0) : vectors::Bits{};
            return given(
                unlocked([&] { return vectors::within_distance(one, right ? &two : nullptr, distance, count, most); }));
        },
        nb::arg("left"), nb::arg("right").none(), nb::arg("distance"), nb::arg("threads"), nb::arg("most"));
    m.def(
        "plan_within",
        [](const Input<u64, 2>& left, const std::optional<Input<u64, 2>>& right, u64 distance) {
            const vectors::Bits one = bits_of(left, 0), two = right ? bits_of(*right, 0) : vectors::Bits{};
            const vectors::BlockPlan plan = vectors::plan_within(one, right ? &two : nullptr, distance);
            return nb::make_tuple(plan.count, plan.agreeing, plan.tables, plan.cost);
        },
        nb::arg("left"), nb::arg("right").none(), nb::arg("distance"));
    m.def("common_ones", &in_common, nb::arg("one"), nb::arg("two"), nb::arg("left"), nb::arg("right"),
          nb::arg("threads"));
    const auto overloads = [&]<class T>(T) {
        m.def("measure_vectors", &measured<T>, nb::arg("one"), nb::arg("two"), nb::arg("left"), nb::arg("right"),
              nb::arg("term"), nb::arg("threads"));
        m.def("nearest_vectors", &nearest<T>, nb::arg("values"), nb::arg("own").none(), nb::arg("keys"),
              nb::arg("queries"), nb::arg("query_own").none(), nb::arg("query_keys"), nb::arg("exact"),
              nb::arg("exact_queries"), nb::arg("squares").none(), nb::arg("query_squares").none(), nb::arg("kind"),
              nb::arg("scale"), nb::arg("margin"), nb::arg("top"), nb::arg("threads"));
        m.def("nearest_in_lists", &in_lists<T>, nb::arg("values"), nb::arg("own").none(), nb::arg("queries"),
              nb::arg("query_own").none(), nb::arg("starts"), nb::arg("ids"), nb::arg("first"), nb::arg("asking"),
              nb::arg("lists"), nb::arg("exact"), nb::arg("exact_queries"), nb::arg("squares").none(),
              nb::arg("query_squares").none(), nb::arg("kind"), nb::arg("scale"), nb::arg("margin"), nb::arg("top"),
              nb::arg("threads"));
    };
    overloads(float());
    overloads(double());
}
