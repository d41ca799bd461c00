// The reported values, in double precision and in one order of operations, which every machine and every engine
// follows. No product is fused with a sum: see -ffp-contract=off in CMakeLists.txt.
#include "../threads.h"
#include "vectors.h"

namespace lookalike::vectors {

namespace {

typedef double Sums __attribute__((vector_size(64)));

// Term j is added to sum j mod 8; the result is ((0+4) + (2+6)) + ((1+5) + (3+7)).
template <class Terms>
double eight_sums(u64 d, Terms&& term) {
    Sums sums = {};
    u64 j = 0;
    for (; j + 8 <= d; j += 8) {
        Sums terms;
        for (u64 k = 0; k < 8; ++k) terms[k] = term(j + k);
        sums += terms;
    }
    for (u64 k = 0; j + k < d; ++k) sums[k] += term(j + k);
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

template <class Visit>
double by_term(Term term, Visit&& visit) {
    switch (term) {
        case Term::product: return visit([](double x, double y) { return x * y; });
        case Term::squared_difference: return visit([](double x, double y) { return (x - y) * (x - y); });
        case Term::minimum: return visit([](double x, double y) { return x < y ? x : y; });
        default: return visit([](double x, double y) { return x < y ? y : x; });
    }
}

}  // namespace

template <class T>
double measured(Term term, const T* x, const T* y, u64 d) {
    return by_term(term, [&](auto&& value) {
        return eight_sums(d, [&](u64 j) { return value(static_cast<double>(x[j]), static_cast<double>(y[j])); });
    });
}

template <class T>
void measure(Term term, const T* left_values, const T* right_values, u64 d, const i64* left, const i64* right,
             u64 count, int threads, double* out) {
    parallel_for(count, 1024, threads, [&](u32, u64 begin, u64 end) {
        for (u64 i = begin; i < end; ++i)
            out[i] = measured(term, left_values + static_cast<u64>(left[i]) * d,
                              right_values + static_cast<u64>(right[i]) * d, d);
    });
}

void common_ones(const Bits& one, const Bits& two, const i64* left, const i64* right, u64 count, int threads,
                 i64* out) {
    parallel_for(count, 1024, threads, [&](u32, u64 begin, u64 end) {
        for (u64 i = begin; i < end; ++i) {
            const u64 *const x = one.row(static_cast<u64>(left[i])), *const y = two.row(static_cast<u64>(right[i]));
            i64 ones = 0;
            for (u64 w = 0; w < one.words; ++w) ones += __builtin_popcountll(x[w] & y[w]);
            out[i] = ones;
        }
    });
}

template double measured(Term, const float*, const float*, u64);
template double measured(Term, const double*, const double*, u64);
template void measure(Term, const float*, const float*, u64, const i64*, const i64*, u64, int, double*);
template void measure(Term, const double*, const double*, u64, const i64*, const i64*, u64, int, double*);

}  // namespace lookalike::vectors
