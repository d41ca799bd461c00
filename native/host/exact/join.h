// Sets → all pairs that reach a threshold, or the most similar sets of each. Exact: no pair is missed.
#pragma once
#include <memory>

#include "expand.h"
#include "measures.h"
#include "probe.h"

namespace lookalike {

struct ExactPairs {
    RowPairs pairs;
    u64 records = 0;   // distinct sets
    u64 compared = 0;  // pairs of them whose elements were compared
    Counters counters;
};

// Collections, prepared for a join by a measure.
struct Ordered {
    Ordered(const Sets& first, const Sets* second, const Measure& measure, int threads)
        : Ordered(first, second, measure, threads, Ranks::worth_it(first, second, threads)) {}
    // With `ranked`, elements are ordered by `Ranks` instead of `Codes`.
    Ordered(const Sets& first, const Sets* second, const Measure& measure, int threads, bool ranked);

    u64 codes = 0;  // the number of different codes
    Records left;
    std::unique_ptr<Records> right;
};

// Pairs of a row of `left` and one of `right`; or, without `right`, pairs of two rows left < right (for containment, in
// both directions). Ordered by (left, right). Throws std::overflow_error if there are more than `most`.
ExactPairs exact_pairs(const Sets& left, const Sets* right, const Measure& measure, int threads, u64 most);
ExactPairs exact_pairs(const Ordered& ordered, const Measure& measure, int threads,
                       u64 most);  // for prepared collections

// For each row of `left`, the `top` most similar rows of `right` (or other rows of `left`) among those that reach the
// threshold and share an element with it. Ordered by left row, then by descending similarity, then by right row. Throws
// std::overflow_error if there are more than `most` pairs.
ExactPairs exact_top(const Sets& left, const Sets* right, const Measure& measure, u64 top, int threads, u64 most);

// The measure of this name. Its threshold is p/q; for overlap and hamming, it is the count p.
Measure check_measure(const std::string& name, i64 p, i64 q);
void check_exact(const Sets& sets);

// The number of words of parity that are worth storing in postings.
u64 parity_words(const Measure& measure, const Records& records);

}  // namespace lookalike
