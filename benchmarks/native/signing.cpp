// Computes the band keys of a text file, split into documents of a given size, several times: the kernel without
// Python, for tools that count instructions.
//
//     signing FILE BYTES PATH words|chars K ROUNDS
//
// Prints the number of bytes signed. benchmarks/kernel.py builds and calls this program.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "../../native/host/documents.h"

using namespace lookalike;

int main(int count, char** arguments) {
    if (count != 7 || !lookalike_steps::force(arguments[3])) {
        std::fputs("usage: signing FILE BYTES PATH words|chars K ROUNDS; a path that this machine has\n", stderr);
        return 2;
    }
    std::ifstream file(arguments[1], std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const u64 size = std::stoull(arguments[2]);
    std::vector<i64> offsets;
    for (u64 at = 0; at <= text.size(); at += size) offsets.push_back(static_cast<i64>(at));

    Documents documents;
    documents.rows = documents.string_count = offsets.size() - 1;
    documents.data = reinterpret_cast<const u8*>(text.data());
    documents.bytes = text.size();
    documents.strings = offsets.data();
    Shingling shingling;
    shingling.kind = std::string(arguments[4]) == "chars" ? Kind::chars : Kind::words;
    shingling.k = std::stoull(arguments[5]);
    const Sketch how(false, 128, 0);
    const u64 rounds = std::stoull(arguments[6]);
    for (u64 round = 0; round < rounds; ++round) sketch(documents, shingling, how, Banding{16, 6}, 1);
    std::printf("%llu\n", rounds * static_cast<u64>(offsets.back()));
}
