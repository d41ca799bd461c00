// Helpers shared by the bindings. Arrays are passed without copying. Their types and shapes are checked here, their
// values in native/host, and the GIL is released during the work. std::invalid_argument becomes ValueError.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <optional>

#include "core/hash128.h"
#include "host/array.h"
#include "host/check.h"
#include "host/sets.h"
#include "host/stop.h"
#include "host/team.h"

namespace nb = nanobind;

void bind_census(nb::module_& m);
void bind_corpus(nb::module_& m);
void bind_exact(nb::module_& m);
void bind_frequent(nb::module_& m);
void bind_lines(nb::module_& m);
void bind_pages(nb::module_& m);
void bind_prints(nb::module_& m);
void bind_records(nb::module_& m);
void bind_survivors(nb::module_& m);
void bind_vectors(nb::module_& m);
void bind_scores(nb::module_& m);
void bind_shingles(nb::module_& m);
void bind_weighted(nb::module_& m);

namespace bindings {

using namespace lookalike;

using Input = nb::ndarray<nb::ro>;

// Arrays in

template <class T>
struct View {
    const T* data;
    u64 size, columns;
};

template <class T>
View<T> view(const Input& array, const char* name, u64 dimensions = 1) {
    const std::string what = std::string(name) + " must be a contiguous array of ";
    const std::string kind = (nb::dtype<T>().code == u8(nb::dlpack::dtype_code::Bool)  ? "bool"
                              : nb::dtype<T>().code == u8(nb::dlpack::dtype_code::Int) ? "int"
                                                                                       : "uint") +
                             (std::is_same_v<T, bool> ? std::string() : std::to_string(8 * sizeof(T)));
    require(array.dtype() == nb::dtype<T>() && array.device_type() == nb::device::cpu::value,
            what + kind + ", got another type of element");
    require(reinterpret_cast<uintptr_t>(array.data()) % alignof(T) == 0, what + kind + ", got one that is not aligned");
    require(array.ndim() == dimensions,
            what + std::to_string(dimensions) + " dimensions, got " + std::to_string(array.ndim()));
    i64 stride = 1;
    for (u64 d = dimensions; d-- > 0;) {
        require(array.size() == 0 || array.shape(d) == 1 || array.stride(d) == stride,
                what + kind + ", got one with gaps");
        stride *= static_cast<i64>(array.shape(d));
    }
    return {static_cast<const T*>(array.data()), array.shape(0), dimensions > 1 ? array.shape(1) : 1};
}

template <class T>
std::optional<View<T>> view(const std::optional<Input>& array, const char* name) {
    if (!array) return std::nullopt;
    return view<T>(*array, name);
}

inline int checked_threads(i64 threads) {
    require(threads >= 1 && threads <= 1024, "threads must lie in 1 … 1024, got " + std::to_string(threads));
    return static_cast<int>(threads);
}

inline Sets sets_of(const Input& offsets, const Input& values) {
    const auto o = view<i64>(offsets, "offsets");
    const auto v = view<u64>(values, "values");
    require(o.size >= 1, "offsets must have one element more than there are sets, got none");
    return {o.size - 1, o.data, v.data, v.size};
}

// Arrays out

template <class T, class U = T>
auto give(Array<T>&& array, std::initializer_list<size_t> shape) {
    T* const data = array.data.release();
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return nb::ndarray<nb::numpy, U>(reinterpret_cast<U*>(data), shape.size(), shape.begin(), owner);
}

template <class T, class U = T>
auto give(Array<T>&& array) {
    const size_t size = array.size;
    return give<T, U>(std::move(array), {size});
}

// One hash per row, as two numbers.
inline auto give_hashes(Array<Hash128>&& hashes) {
    const size_t rows = hashes.size;
    return give<Hash128, u64>(std::move(hashes), {rows, 2});
}

template <class T>
auto give(Buffer<T>& buffer) {
    Array<T> array(buffer.size());
    std::copy_n(buffer.data(), buffer.size(), array.begin());
    return give(std::move(array));
}

template <class Work>
auto unlocked(Work&& work) {
    const nb::gil_scoped_release release;
    const Caller caller;
    const Team team;
    return work();
}

}  // namespace bindings
