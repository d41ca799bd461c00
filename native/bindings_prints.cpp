// The Python bindings of fingerprints that are not aligned. The GIL is released during the work.
#include "bindings.h"
#include "host/prints/prints.h"

using namespace lookalike;
using bindings::checked_threads, bindings::give, bindings::unlocked;

namespace {

template <class T, int Dimensions = 1>
using In = nb::ndarray<const T, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;

using Points = In<double, 2>;  // rows: x, y, angle, cosine and sine of the angle

prints::Minutiae minutiae_of(const In<i64>& offsets, const Points& points) {
    require(points.shape(0) == 5, "points must have five rows");
    check_offsets(offsets.data(), offsets.size(), points.shape(1), "offsets");
    require(offsets.data()[0] == 0, "offsets must start at 0");
    check_row_count(points.shape(1));
    const u64 n = points.shape(1);
    const double* const x = points.data();
    return {offsets.size() - 1, offsets.data(), x, x + n, x + 2 * n, x + 3 * n, x + 4 * n};
}

u64 checked_sets(const In<u64, 2>& sets) {
    require(sets.shape(1) == prints::kWords, "sets must have " + std::to_string(prints::kWords) + " words per minutia");
    return sets.shape(0);
}

void check_bands(u64 bands) { require(bands >= 1 && bands <= 4096, "there must be 1 to 4096 bands"); }

prints::Side side_of(const In<i64>& offsets, const Points& points, const In<u64, 2>& sets, const In<u32, 2>& keys) {
    const prints::Minutiae minutiae = minutiae_of(offsets, points);
    require(checked_sets(sets) >= minutiae.size(), "every minutia must have a set");
    require(keys.shape(0) >= minutiae.size(), "every minutia must have keys");
    return {minutiae.prints, minutiae.offsets, sets.data(), keys.data(), minutiae.angle};
}

}  // namespace

void bind_prints(nb::module_& m) {
    m.def(
        "print_neighbourhoods",
        [](const In<i64>& offsets, const Points& points, const In<double, 2>& places, u64 sectors, double distance,
           double turn, i64 threads) {
            const prints::Minutiae minutiae = minutiae_of(offsets, points);
            require(places.shape(0) == 2, "places must have two rows");
            require(sectors >= 1 && sectors <= prints::kMostCells, "there must be 1 to 320 sectors");
            const u64 n = places.shape(1);
            const prints::Cells cells{n, places.data(), places.data() + n, sectors, distance, turn};
            const int count = checked_threads(threads);
            Array<u64> sets = unlocked([&] { return prints::neighbourhoods(minutiae, cells, count); });
            return give(std::move(sets), {minutiae.size(), prints::kWords});
        },
        nb::arg("offsets"), nb::arg("points"), nb::arg("places"), nb::arg("sectors"), nb::arg("distance"),
        nb::arg("turn"), nb::arg("threads"));
    m.def(
        "print_keys",
        [](const In<u64, 2>& sets, const In<u16, 2>& ranks, u64 bands, i64 threads) {
            const u64 size = checked_sets(sets);
            check_bands(bands);
            require(ranks.shape(1) > 0 && ranks.shape(1) % bands == 0, "the bands must have equally many hashes");
            const int count = checked_threads(threads);
            Array<u32> keys = unlocked([&] {
                return prints::band_keys(sets.data(), size, ranks.data(), ranks.shape(0), bands, ranks.shape(1) / bands,
                                         count);
            });
            return give(std::move(keys), {size, bands});
        },
        nb::arg("sets"), nb::arg("ranks"), nb::arg("bands"), nb::arg("threads"));
    m.def(
        "print_votes",
        [](const In<i64>& offsets, const Points& points, const In<u64, 2>& sets, const In<u32, 2>& keys,
           const In<i64>& other_offsets, const Points& other_points, const In<u64, 2>& other_sets,
           const In<u32, 2>& other_keys, u64 numerator, u64 denominator, i64 least, bool within, i64 threads) {
            const prints::Side left = side_of(offsets, points, sets, keys);
            const prints::Side right = side_of(other_offsets, other_points, other_sets, other_keys);
            check_bands(keys.shape(1));
            require(keys.shape(1) == other_keys.shape(1), "both sides must have the same bands");
            require(denominator >= 1 && denominator <= 1 << 20 && numerator <= denominator,
                    "numerator and denominator must form a share");
            require(!within || left.prints == right.prints, "within one table, both sides must be the same");
            const int count = checked_threads(threads);
            prints::Votes found = unlocked([&] {
                return prints::votes(left, right, keys.shape(1), numerator, denominator, least, within, count);
            });
            return nb::make_tuple(give(std::move(found.left)), give(std::move(found.right)),
                                  give(std::move(found.votes)));
        },
        nb::arg("offsets"), nb::arg("points"), nb::arg("sets"), nb::arg("keys"), nb::arg("other_offsets"),
        nb::arg("other_points"), nb::arg("other_sets"), nb::arg("other_keys"), nb::arg("numerator"),
        nb::arg("denominator"), nb::arg("least"), nb::arg("within"), nb::arg("threads"));
    m.def(
        "align_prints",
        [](const In<i64>& offsets, const Points& points, const In<u64, 2>& sets, const In<i64>& other_offsets,
           const Points& other_points, const In<u64, 2>& other_sets, const In<i64>& left, const In<i64>& right,
           double distance, double cosine, u64 numerator, u64 denominator, u64 tries, i64 threads) {
            const prints::Minutiae one = minutiae_of(offsets, points), two = minutiae_of(other_offsets, other_points);
            require(checked_sets(sets) >= one.size() && checked_sets(other_sets) >= two.size(),
                    "every minutia must have a set");
            require(left.size() == right.size(), "left and right must have the same length");
            require(denominator >= 1 && numerator <= denominator, "numerator and denominator must form a share");
            const prints::Tolerance tolerance{distance, cosine, numerator, denominator, tries};
            const int count = checked_threads(threads);
            prints::Alignments found = unlocked([&] {
                return prints::align(one, sets.data(), two, other_sets.data(), left.data(), right.data(), left.size(),
                                     tolerance, count);
            });
            return nb::make_tuple(give(std::move(found.strength)), give(std::move(found.paired)),
                                  give(std::move(found.cosine)), give(std::move(found.sine)), give(std::move(found.x)),
                                  give(std::move(found.y)));
        },
        nb::arg("offsets"), nb::arg("points"), nb::arg("sets"), nb::arg("other_offsets"), nb::arg("other_points"),
        nb::arg("other_sets"), nb::arg("left"), nb::arg("right"), nb::arg("distance"), nb::arg("cosine"),
        nb::arg("numerator"), nb::arg("denominator"), nb::arg("tries"), nb::arg("threads"));
}
