// The values that are reported: double precision, in one order that every machine and every engine follows. This file is
// compiled without fused multiplication and addition, which rounds once where two operations round twice.
#include "../threads.h"
#include "vectors.h"

namespace lookalike::vectors {

namespace {

typedef double Sums __attribute__((vector_size(64)));

// Term j goes to sum j mod 8; ((0+4) + (2+6)) + ((1+5) + (3+7)) at the end.
template <class Term>
double eight_sums(u64 d, Term&& term) {
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

template <class T, class Term>
void measure(const T* left_values, const T* right_values, u64 d, const i64* left, const i64* right, u64 count,
             int threads, double* out, Term&& term) {
    parallel_for(count, 1024, threads, [&](u32, u64 begin, u64 end) {
        for (u64 i = begin; i < end; ++i) {
            const T* const x = left_values + static_cast<u64>(left[i]) * d;
            const T* const y = right_values + static_cast<u64>(right[i]) * d;
            out[i] = eight_sums(d, [&](u64 j) { return term(static_cast<double>(x[j]), static_cast<double>(y[j])); });
        }
    });
}

}  // namespace

template <class T>
void products(const T* left_values, const T* right_values, u64 d, const i64* left, const i64* right, u64 count,
              int threads, double* out) {
    measure(left_values, right_values, d, left, right, count, threads, out, [](double x, double y) { return x * y; });
}

template <class T>
void squared_distances(const T* left_values, const T* right_values, u64 d, const i64* left, const i64* right, u64 count,
                       int threads, double* out) {
    measure(left_values, right_values, d, left, right, count, threads, out,
            [](double x, double y) { return (x - y) * (x - y); });
}

template void products(const float*, const float*, u64, const i64*, const i64*, u64, int, double*);
template void products(const double*, const double*, u64, const i64*, const i64*, u64, int, double*);
template void squared_distances(const float*, const float*, u64, const i64*, const i64*, u64, int, double*);
template void squared_distances(const double*, const double*, u64, const i64*, const i64*, u64, int, double*);

}  // namespace lookalike::vectors
