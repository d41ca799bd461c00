// The Python bindings of frequent pairs: two passes over blocks of baskets. The GIL is released during the work.
#include "bindings.h"
#include "host/frequent/passes.h"

using namespace lookalike;
using namespace lookalike::frequent;

namespace {

template <class T>
using Input = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
auto give(const T* values, u64 size) {
    T* const copy = new T[size ? size : 1];
    std::copy_n(values, size, copy);
    nb::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return nb::ndarray<nb::numpy, T>(copy, {size}, owner);
}

Text text_of(const nb::bytes& data, i64 separator) {
    require(separator >= 0 && separator < 128 && separator != '\n', "separator must be one ASCII character, or 0");
    return {static_cast<const u8*>(data.data()), data.size(), static_cast<u8>(separator)};
}

Lists lists_of(const Input<u8>& data, const Input<i64>& strings, const Input<i64>& lists) {
    check_offsets(strings.data(), strings.size(), data.size(), "strings");
    check_offsets(lists.data(), lists.size(), strings.size() - 1, "lists");
    return {data.data(), strings.data(), lists.data(), lists.size() - 1, data.size()};
}

template <class Pass>
void take_text(Pass& pass, const nb::bytes& data, i64 separator, i64 threads) {
    const Text text = text_of(data, separator);
    const int count = bindings::checked_threads(threads);
    bindings::unlocked([&] { pass.take(text, count); });
}

template <class Pass>
void take_lists(Pass& pass, const Input<u8>& data, const Input<i64>& strings, const Input<i64>& lists, i64 threads) {
    const Lists table = lists_of(data, strings, lists);
    const int count = bindings::checked_threads(threads);
    bindings::unlocked([&] { pass.take(table, count); });
}

nb::tuple bitmap_of(const Buckets& buckets, u64 support) {
    u64 frequent = 0;
    const Array<u8> bits = buckets.bitmap(support, frequent);
    return nb::make_tuple(give(bits.data.get(), bits.size), frequent);
}

Bucketing bucketing_of(u64 function, u64 bits) {
    require(bits <= 32, "the number of buckets must lie in 2^0 … 2^32, got 2^" + std::to_string(bits));
    return {static_cast<u32>(function), static_cast<u32>(bits)};
}

}  // namespace

void bind_frequent(nb::module_& m) {
    m.def(
        "rank_pairs",
        [](const Input<u64>& pairs, const Input<u32>& counts) {
            const u64 n = pairs.size();
            require(n == counts.size(), "pairs and counts must have the same length");
            Array<i64> left(n), right(n), count(n);
            bindings::unlocked([&] {
                const Array<Ranked> all = ranked(pairs.data(), counts.data(), n);
                for (u64 k = 0; k < n; ++k) {
                    left[k] = static_cast<i64>(all[k].pair >> 32);
                    right[k] = static_cast<i64>(all[k].pair & 0xFFFFFFFFu);
                    count[k] = all[k].count;
                }
            });
            return nb::make_tuple(give(left.begin(), n), give(right.begin(), n), give(count.begin(), n));
        },
        nb::arg("pairs"), nb::arg("counts"));

    nb::class_<FirstPass>(m, "FirstPass", "Counts items, and buckets of pairs.")
        .def(nb::init<u64, u64, u32, u32, u32>(), nb::arg("limit"), nb::arg("waiting"), nb::arg("tables"),
             nb::arg("bits"), nb::arg("width"))
        .def("take_text", &take_text<FirstPass>, nb::arg("data"), nb::arg("separator"), nb::arg("threads"))
        .def("take_lists", &take_lists<FirstPass>, nb::arg("data"), nb::arg("strings"), nb::arg("lists"),
             nb::arg("threads"))
        .def(
            "frequent",
            [](const FirstPass& pass, u64 support) {
                Items found = pass.frequent(support);
                return nb::make_tuple(give(found.text.data(), found.text.size()),
                                      give(found.offsets.data(), found.offsets.size()),
                                      give(found.counts.data(), found.counts.size()));
            },
            nb::arg("support"))
        .def(
            "bitmap",
            [](const FirstPass& pass, u64 table, u64 support) {
                require(table < pass.buckets.size(), "there is no such table of buckets");
                return bitmap_of(pass.buckets[table], support);
            },
            nb::arg("table"), nb::arg("support"))
        .def("next", &FirstPass::next)
        .def_prop_ro("has_more", &FirstPass::has_more)
        .def_prop_ro("integers", &FirstPass::integers)
        .def_prop_ro("distinct", &FirstPass::distinct)
        .def_ro("baskets", &FirstPass::baskets)
        .def_ro("items", &FirstPass::items)
        .def_ro("pairs", &FirstPass::pairs)
        .def_ro("largest", &FirstPass::largest)
        .def_ro("dictionary_bytes", &FirstPass::dictionary_peak)
        .def_ro("buffer_bytes", &FirstPass::buffers_peak);

    nb::class_<PairPass>(m, "PairPass", "Counts pairs of frequent items.")
        .def(
            "__init__",
            [](PairPass* self, const Input<u8>& data, const Input<i64>& strings, const nb::list& bitmaps, u64 limit,
               u64 waiting) {
                check_offsets(strings.data(), strings.size(), data.size(), "strings");
                std::vector<Bitmap> filters;
                for (u64 k = 0; k < bitmaps.size(); ++k) {
                    const auto bits = nb::cast<Input<u8>>(bitmaps[k]);
                    u64 exponent = 0;
                    while (((1ull << exponent) + 7) / 8 < bits.size()) ++exponent;
                    if (bits.size() == 1) exponent = 3;
                    filters.emplace_back(bucketing_of(k, exponent), bits.data(), bits.size());
                }
                new (self)
                    PairPass(data.data(), strings.data(), strings.size() - 1, std::move(filters), limit, waiting);
            },
            nb::arg("data"), nb::arg("strings"), nb::arg("bitmaps"), nb::arg("limit"), nb::arg("waiting"))
        .def(
            "count_triangle",
            [](PairPass& pass, i64 threads) { pass.count_triangle(bindings::checked_threads(threads)); },
            nb::arg("threads"))
        .def("count_triples", &PairPass::count_triples)
        .def(
            "count_buckets",
            [](PairPass& pass, u64 function, u64 bits, u32 width) {
                require(width == 1 || width == 2 || width == 4, "counters have 1, 2 or 4 bytes");
                pass.count_buckets(bucketing_of(function, bits), width);
            },
            nb::arg("function"), nb::arg("bits"), nb::arg("width"))
        .def("take_text", &take_text<PairPass>, nb::arg("data"), nb::arg("separator"), nb::arg("threads"))
        .def("take_lists", &take_lists<PairPass>, nb::arg("data"), nb::arg("strings"), nb::arg("lists"),
             nb::arg("threads"))
        .def(
            "finish",
            [](PairPass& pass, u64 support) {
                Counted found = pass.finish(support);
                return nb::make_tuple(give(found.pairs.data(), found.pairs.size()),
                                      give(found.counts.data(), found.counts.size()), found.candidates);
            },
            nb::arg("support"))
        .def(
            "bitmap",
            [](const PairPass& pass, u64 support) {
                require(pass.buckets.has_value(), "no buckets were counted");
                return bitmap_of(*pass.buckets, support);
            },
            nb::arg("support"))
        .def("next", &PairPass::next)
        .def_prop_ro("has_more", &PairPass::has_more)
        .def_ro("baskets", &PairPass::baskets)
        .def_prop_ro("table_bytes", &PairPass::table_peak)
        .def_prop_ro("dictionary_bytes", &PairPass::dictionary_bytes)
        .def_ro("buffer_bytes", &PairPass::buffers_peak);
}
