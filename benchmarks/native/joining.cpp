// Times the two halves of the kernel's exact join: ordering the sets of a file, and joining them.
//
//     joining FILE PERCENT ROUNDS
//
// FILE contains 64-bit integers: the number of sets, the number of elements, the offsets of the sets, and the elements.
// Prints `ordering,join`: the least CPU seconds of all rounds. benchmarks/joins.py builds and calls this program.
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include "../../native/host/exact/join.h"

using namespace lookalike;

namespace {

template <class T>
std::vector<T> read(std::ifstream& file, u64 count) {
    std::vector<T> values(count);
    file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(count * sizeof(T)));
    return values;
}

double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

int main(int count, char** arguments) {
    if (count != 4) {
        std::fputs("usage: joining FILE PERCENT ROUNDS\n", stderr);
        return 2;
    }
    std::ifstream file(arguments[1], std::ios::binary);
    const std::vector<u64> numbers = read<u64>(file, 2);
    const std::vector<i64> offsets = read<i64>(file, numbers[0] + 1);
    const std::vector<u64> values = read<u64>(file, numbers[1]);
    const Sets sets{numbers[0], offsets.data(), values.data(), values.size()};
    const Measure measure = check_measure("jaccard", std::stoi(arguments[2]), 100);
    double ordering = 1e9, join = 1e9;
    ExactPairs found;  // kept until the next round replaces them, as by a caller
    for (int round = std::stoi(arguments[3]); round > 0; --round) {
        const double began = seconds();
        check_exact(sets);
        const Ordered ordered(sets, nullptr, measure, 1);
        const double between = seconds();
        found = exact_pairs(ordered, measure, 1, ~0ull);
        ordering = std::min(ordering, between - began);
        join = std::min(join, seconds() - between);
    }
    std::printf("%f,%f\n", ordering, join);
}
