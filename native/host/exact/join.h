// Sets → all pairs of them that reach a threshold, or for each set the most similar ones. Nothing is missed.
#pragma once
#include <memory>

#include "expand.h"
#include "measures.h"
#include "probe.h"

namespace lookalike {

struct ExactPairs {
    RowPairs pairs;
    u64 records = 0;   // distinct sets
    u64 compared = 0;  // pairs of them whose elements were walked along
    Counters counters;
};

// Collections in the form in which they are joined by a measure.
struct Ordered {
    Ordered(const Sets& left, const Sets* right, const Measure& measure, int threads);

    Codes codes;
    Records left;
    std::unique_ptr<Records> right;
};

// Pairs of a row of `left` and one of `right`; or, without `right`, pairs of two rows left < right (of containment:
// both ways). Ordered by (left, right). More than `most` are refused with std::overflow_error.
ExactPairs exact_pairs(const Sets& left, const Sets* right, const Measure& measure, int threads, u64 most);
ExactPairs exact_pairs(const Ordered& ordered, const Measure& measure, int threads, u64 most);  // the second half of it

// For each row of `left` the `top` rows of `right` (or other rows of `left`) that are most similar to it, of those that
// reach the threshold and share an element with it: by row, then the most similar first, then by the other row. More
// than `most` pairs are refused with std::overflow_error.
ExactPairs exact_top(const Sets& left, const Sets* right, const Measure& measure, u64 top, int threads, u64 most);

// The measure by its name; p/q is its threshold, of overlap and hamming a count p.
Measure check_measure(const std::string& name, i64 p, i64 q);
void check_exact(const Sets& sets);

// How many words of parity are worth their place in a list.
u64 parity_words(const Measure& measure, const Records& records);

}  // namespace lookalike
