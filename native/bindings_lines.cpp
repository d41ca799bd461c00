// The Python binding of the lines of JSON. The GIL is released during the work.
#include "bindings.h"
#include "host/json_lines.h"

using namespace bindings;

void bind_lines(nb::module_& m) {
    m.def(
        "json_lines",
        [](const nb::bytes& data) -> nb::object {
            JsonLines lines;
            bool regular = false;
            {
                const nb::gil_scoped_release release;
                regular = json_lines(reinterpret_cast<const u8*>(data.c_str()), data.size(), lines);
            }
            if (!regular) return nb::none();
            return nb::make_tuple(give(lines.starts), give(lines.ends), lines.opened);
        },
        nb::arg("data"));
}
