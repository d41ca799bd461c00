// The Python binding of weighted sets. The GIL is released during the work.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "bindings.h"
#include "host/check.h"
#include "host/stop.h"
#include "host/weighted.h"

namespace nb = nanobind;
using namespace lookalike;

namespace {

template <class T>
using Input = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

}  // namespace

void bind_weighted(nb::module_& m) {
    m.def(
        "sign_weighted",
        [](const Input<i64>& offsets, const Input<u64>& values, const Input<double>& weights, i64 hashes, u64 seed,
           i64 threads) {
            require(offsets.size() >= 1, "offsets must have one element more than there are sets, got none");
            require(values.size() == weights.size(), "values and weights must have the same length, got " +
                                                         std::to_string(values.size()) + " and " +
                                                         std::to_string(weights.size()));
            require(threads >= 1 && threads <= 1024, "threads must lie in 1 … 1024, got " + std::to_string(threads));
            const Sets sets{offsets.size() - 1, offsets.data(), values.data(), values.size()};
            u64* data = nullptr;
            {
                const nb::gil_scoped_release release;
                const Caller caller;
                data = sign_weighted(sets, weights.data(), hashes, seed, static_cast<int>(threads)).data.release();
            }
            nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<u64*>(p); });
            return nb::ndarray<nb::numpy, u64>(data, {sets.rows, static_cast<size_t>(hashes)}, owner);
        },
        nb::arg("offsets"), nb::arg("values"), nb::arg("weights"), nb::arg("hashes"), nb::arg("seed"),
        nb::arg("threads"));
}
