// The Python bindings of large pages of Parquet files. The GIL is released during the work.
#include "bindings.h"
#include "host/pages/unpack.h"
#include "host/pages/values.h"

using namespace bindings;

void bind_pages(nb::module_& m) {
    nb::class_<Unpacker>(m, "Unpacker")
        .def(
            "__init__",
            [](Unpacker* made, const std::string& format, u64 size) {
                require(format == "snappy" || format == "lz4", "format must be snappy or lz4, got " + format);
                new (made) Unpacker(format == "snappy" ? BlockFormat::snappy : BlockFormat::lz4, size);
            },
            nb::arg("format"), nb::arg("size"))
        .def(
            "feed",
            [](Unpacker& unpacker, const nb::bytes& data) {
                {
                    const nb::gil_scoped_release release;
                    unpacker.feed(reinterpret_cast<const u8*>(data.c_str()), data.size());
                }
                return nb::bytes(reinterpret_cast<const char*>(unpacker.fresh()), unpacker.fresh_size());
            },
            nb::arg("data"));
    m.def(
        "plain_values",
        [](const nb::bytes& data, i64 most) {
            require(most >= 0, "most must not be negative, got " + std::to_string(most));
            PlainValues values =
                plain_values(reinterpret_cast<const u8*>(data.c_str()), data.size(), static_cast<u64>(most));
            return nb::make_tuple(give(std::move(values.offsets)), give(std::move(values.data)), values.read);
        },
        nb::arg("data"), nb::arg("most"));
}
