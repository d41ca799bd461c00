// The Python bindings of the files of a segment. The GIL is released during the work.
#include "bindings.h"
#include "bindings_documents.h"
#include "bindings_keys.h"
#include "host/corpus/postings.h"
#include "host/winnow.h"

#include <cerrno>
#include <system_error>

using namespace lookalike;
using namespace bindings;

namespace {

// Without Python's lock. Errors of the file become OSError, and a damaged page becomes RuntimeError.
template <class Work>
auto reading(Work&& work) {
    try {
        return unlocked(work);
    } catch (const std::system_error& error) {
        errno = error.code().value();
        PyErr_SetFromErrno(PyExc_OSError);
        throw nb::python_error();
    }
}

const u8* mask(const std::optional<Input>& array, u64 rows, const char* name) {
    const auto flags = view<bool>(array, name);
    require(!flags || flags->size == rows, std::string(name) + " must have as many rows as keys");
    return flags ? reinterpret_cast<const u8*>(flags->data) : nullptr;
}

u64 natural(i64 value, const char* name) {
    require(value >= 0, std::string(name) + " must not be negative, got " + std::to_string(value));
    return static_cast<u64>(value);
}

}  // namespace

void bind_corpus(nb::module_& m) {
    m.def(
        "winnow",
        [](const Input& data, const Input& strings, const std::optional<Input>& lists,
           const std::optional<Input>& validity, i64 validity_start, const Rules& rules, i64 run, i64 threads) {
            const Documents documents = documents_of(data, strings, lists, validity, validity_start);
            const u64 length = natural(run, "run");
            const int count = checked_threads(threads);
            ShingleTable table = unlocked([&] { return winnow(documents, rules.shingling, length, count); });
            return nb::make_tuple(give(std::move(table.offsets)), give(std::move(table.values)));
        },
        nb::arg("data"), nb::arg("strings"), nb::arg("lists").none(), nb::arg("validity").none(),
        nb::arg("validity_start"), nb::arg("rules"), nb::arg("run"), nb::arg("threads"));
    m.def(
        "posting_pages",
        [](const Input& keys, i64 band, const std::optional<Input>& positions, const std::optional<Input>& left_out) {
            const Keys table = keys_of(keys);
            const u64 column = natural(band, "band");
            require(column < table.bands, "band must be one of the " + std::to_string(table.bands));
            const auto places = view<u32>(positions, "positions");
            require(!places || places->size == table.rows, "positions must have as many rows as keys");
            const u8* const out = mask(left_out, table.rows, "left_out");
            PostingPages made = unlocked([&] {
                return posting_pages(table.values + column, table.bands, table.rows, places ? places->data : nullptr,
                                     out);
            });
            return nb::make_tuple(give(std::move(made.pages)), give(std::move(made.firsts)), made.count);
        },
        nb::arg("keys"), nb::arg("band"), nb::arg("positions").none(), nb::arg("left_out").none());
    m.def(
        "record_pages",
        [](const Input& records) {
            const auto rows = view<u8>(records, "records", 2);
            return give(unlocked([&] { return record_pages(rows.data, rows.size, rows.columns); }));
        },
        nb::arg("records"));
    m.def(
        "read_records",
        [](int file, i64 first, i64 count, i64 width, const Input& positions) {
            const auto places = view<i64>(positions, "positions");
            const u64 page = natural(first, "first"), rows = natural(count, "count"), bytes = natural(width, "width");
            Array<u8> records =
                reading([&] { return read_records(file, page, rows, bytes, places.data, places.size); });
            return give(std::move(records), {places.size, bytes});
        },
        nb::arg("file"), nb::arg("first"), nb::arg("count"), nb::arg("width"), nb::arg("positions"));
    nb::class_<Postings>(m, "Postings", "The rows of a segment by band key, in an open file.")
        .def(
            "__init__",
            [](Postings* self, int file, const Input& counts, const Input& firsts, i64 most_kept) {
                const auto bands = view<u64>(counts, "counts"), keys = view<u64>(firsts, "firsts");
                const u64 kept = natural(most_kept, "most_kept");
                new (self) Postings(file, bands.data, bands.size, keys.data, keys.size, kept);
            },
            nb::arg("file"), nb::arg("counts"), nb::arg("firsts"), nb::arg("most_kept"))
        .def(
            "find",
            [](const Postings& self, const Input& queries, const std::optional<Input>& left_out, i64 band, i64 start,
               i64 most, i64 cap, i64 threads) {
                const Keys table = keys_of(queries);
                const u8* const out = mask(left_out, table.rows, "left_out");
                const u64 first = natural(band, "band"), from = natural(start, "start");
                const u64 limit = natural(most, "most"), per_key = natural(cap, "cap");
                const int count = checked_threads(threads);
                Hits hits = reading([&] { return self.find(table, out, first, from, limit, per_key, count); });
                return nb::make_tuple(give(std::move(hits.queries)), give(std::move(hits.positions)), hits.next,
                                      give(std::move(hits.cut_queries)), give(std::move(hits.cut_bands)));
            },
            nb::arg("queries"), nb::arg("left_out").none(), nb::arg("band"), nb::arg("start"), nb::arg("most"),
            nb::arg("cap"), nb::arg("threads"))
        .def(
            "page_of",
            [](const Postings& self, i64 band, u64 key) {
                require(natural(band, "band") < self.bands(), "there is no such band");
                return self.page_of(static_cast<u64>(band), key);
            },
            nb::arg("band"), nb::arg("key"))
        .def(
            "read",
            [](const Postings& self, i64 band, i64 first, i64 last) {
                require(natural(band, "band") < self.bands(), "there is no such band");
                const u64 from = natural(first, "first"), end = natural(last, "last");
                require(from <= end && end <= self.pages(static_cast<u64>(band)), "there are no such pages");
                std::vector<Entry> entries;
                reading([&] { self.read(static_cast<u64>(band), from, end, entries); });
                Array<u64> keys(entries.size());
                Array<u32> positions(entries.size());
                for (u64 i = 0; i < entries.size(); ++i) keys[i] = entries[i].key, positions[i] = entries[i].row;
                return nb::make_tuple(give(std::move(keys)), give(std::move(positions)));
            },
            nb::arg("band"), nb::arg("first"), nb::arg("last"))
        .def_prop_ro("pages", [](const Postings& self) {
            nb::list pages;
            for (u64 b = 0; b < self.bands(); ++b) pages.append(self.pages(b));
            return pages;
        });
}
