// Helpers of the native tests: expectations, random input, and arrays in heap blocks of exactly their size.
#pragma once
#include <cstdio>
#include <functional>
#include <random>
#include <string>

#include "../host/documents.h"

using namespace lookalike;

namespace {

int failures = 0;

void expect(bool holds, const char* what, int line) {
    if (holds) return;
    std::fprintf(stderr, "line %d: expected %s\n", line, what);
    ++failures;
}
#define EXPECT(condition) expect(condition, #condition, __LINE__)

bool refused(const std::function<void()>& call) {
    try {
        call();
    } catch (const std::invalid_argument&) {
        return true;
    }
    return false;
}

std::mt19937_64 random_source(20);
u64 below(u64 n) { return random_source() % n; }

template <class T>
Array<T> exact(const std::vector<T>& values) {  // new T[n] for n ≥ 1: a block of exactly that size
    Array<T> array(values.size());
    std::copy(values.begin(), values.end(), array.begin());
    return array;
}

struct Column {
    Array<u8> data;
    Array<i64> strings, lists;
    Array<u8> validity;
    Documents documents;

    Column(const std::vector<std::string>& texts, bool as_lists = false) {
        std::vector<u8> all;
        std::vector<i64> ends{0};
        for (const std::string& text : texts) {
            all.insert(all.end(), text.begin(), text.end());
            ends.push_back(static_cast<i64>(all.size()));
        }
        data = exact(all);
        strings = exact(ends);
        documents.data = data.begin();
        documents.bytes = data.size;
        documents.strings = strings.begin();
        documents.string_count = documents.rows = texts.size();
        if (!as_lists) return;
        std::vector<i64> starts{0};
        while (starts.back() < static_cast<i64>(texts.size()))
            starts.push_back(std::min(starts.back() + static_cast<i64>(below(5)), static_cast<i64>(texts.size())));
        lists = exact(starts);
        validity = Array<u8>((texts.size() + 7) / 8);
        for (u8& byte : validity) byte = static_cast<u8>(below(256));
        documents.lists = lists.begin();
        documents.rows = starts.size() - 1;
        documents.validity = validity.begin();
        documents.validity_bits = 8 * validity.size;
    }
};

const Kind kKinds[] = {Kind::words, Kind::chars, Kind::tokens, Kind::stopwords, Kind::symbols};
const Form kForms[] = {Form::none, Form::lower, Form::keep, Form::fold};
const Whitespace kSpaces[] = {Whitespace::fold, Whitespace::drop, Whitespace::keep};

// Texts

std::string random_text() {
    static const std::string pieces[] = {"the ",
                                         "Word",
                                         " ",
                                         "\t\n",
                                         "\xC3\xA9",
                                         "e\xCC\x81",
                                         "\xCC\x88",
                                         "\xCD\x85",
                                         "\xEF\xB7\xBA",
                                         "\xE6\xBC\xA2",
                                         "\xE1\x84\x80",
                                         "\xE1\x85\xA1",
                                         "\xE1\x86\xA8",
                                         "\xC2\xAD",
                                         "\xF0\x9D\x94\xB8",
                                         "!?",
                                         "\xE0\xB8\x81\xE0\xB8\xB4",
                                         "a longer word than sixteen"};
    std::string text;
    for (u64 n = below(30); n > 0; --n) {
        if (below(8) == 0)
            text += static_cast<char>(below(256));  // often ill-formed
        else
            text += pieces[below(std::size(pieces))];
    }
    return text;
}

}  // namespace
