// Computes the published test vectors without Python: one request per line of standard input, answers on standard
// output.
//
//     text KIND FORM WHITESPACE K BAG BITS HEX   → its tokens / its set / the hash of its words / of its bytes
//     set CLASSIC HASHES SEED BANDS ROWS ELEMENT … → its signature / its keys
//     weighted HASHES SEED ELEMENT WEIGHT …        → its signature; a weight is given as the bits of a double
//
// tests/parity/test_arm64.py builds this for another processor and compares the answers.
#include <cstdio>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "../host/documents.h"
#include "../host/sets.h"
#include "../host/signatures.h"
#include "../host/weighted.h"

using namespace lookalike;

namespace {

template <class T>
void print(const T* values, u64 n, const char* end) {
    for (u64 i = 0; i < n; ++i) std::printf("%016llx ", static_cast<unsigned long long>(values[i]));
    std::fputs(end, stdout);
}

Kind kind_of(const std::string& name) {
    if (name == "words") return Kind::words;
    if (name == "chars") return Kind::chars;
    if (name == "tokens") return Kind::tokens;
    if (name == "symbols") return Kind::symbols;
    throw std::invalid_argument("no such kind of shingle: " + name);
}

void answer_text(std::istream& in) {
    int form, whitespace, bag, bits;
    Shingling shingling;
    std::string kind, hex;
    in >> kind >> form >> whitespace >> shingling.k >> bag >> bits >> hex;
    shingling.kind = kind_of(kind);
    shingling.form = static_cast<Form>(form);
    shingling.whitespace = static_cast<Whitespace>(whitespace);
    shingling.bag = bag;
    shingling.short_hashes = bits == 32;
    std::vector<u8> text;
    for (u64 i = 1; i + 1 < hex.size(); i += 2)
        text.push_back(static_cast<u8>(std::stoi(hex.substr(i, 2), nullptr, 16)));
    const std::vector<i64> offsets{0, static_cast<i64>(text.size())};
    Documents documents;
    documents.rows = documents.string_count = 1;
    documents.data = text.data();
    documents.bytes = text.size();
    documents.strings = offsets.data();

    Tokens found = tokens(text.data(), text.size(), shingling);
    print(found.hashes.data(), found.hashes.size(), "/ ");
    const ShingleTable table = shingle(documents, shingling, 1);
    print(table.values.data.get(), static_cast<u64>(table.offsets[1]), "/ ");
    const SketchTable sketched = sketch(documents, shingling, Sketch(false, 8, 0), Banding{1, 1}, 1);
    print(&sketched.words[0].a, 2, "/ ");
    print(&sketched.bytes[0].a, 2, "\n");
}

void answer_set(std::istream& in) {
    int classic;
    u64 hashes, seed;
    Banding banding;
    in >> classic >> std::dec >> hashes >> std::hex >> seed >> std::dec >> banding.bands >> banding.rows >> std::hex;
    std::vector<u64> set;
    for (u64 element; in >> element;) set.push_back(element);
    std::vector<u64> slots(hashes);
    Sketch(classic, static_cast<i64>(hashes), seed).sign(set.data(), set.size(), slots.data());
    print(slots.data(), hashes, "/ ");
    print(band_keys(slots.data(), 1, hashes, banding, 1).data.get(), banding.bands, "\n");
}

void answer_weighted(std::istream& in) {
    u64 hashes, seed;
    in >> std::dec >> hashes >> std::hex >> seed;
    std::vector<u64> values;
    std::vector<double> weights;
    for (u64 element, bits; in >> element >> bits;) {
        values.push_back(element);
        weights.push_back(__builtin_bit_cast(double, bits));
    }
    const std::vector<i64> offsets{0, static_cast<i64>(values.size())};
    const Sets sets{1, offsets.data(), values.data(), values.size()};
    print(sign_weighted(sets, weights.data(), static_cast<i64>(hashes), seed, 1).data.get(), hashes, "\n");
}

}  // namespace

int main() {
    for (std::string line, what; std::getline(std::cin, line);) {
        std::istringstream in(line);
        in >> what;
        what == "text" ? answer_text(in) : what == "set" ? answer_set(in) : answer_weighted(in);
    }
}
