// The census: no document with a partner is left out, with any number of threads.
#pragma once
#include "../host/census.h"
#include "../host/cutter.h"
#include "../host/threads.h"
#include "checks.h"

namespace {

void test_no_document_with_a_partner_is_left_out() {
    for (int round = 0; round < 60; ++round) {
        std::vector<std::string> texts;
        for (u64 n = 1 + below(600); n > 0; --n) {
            std::string text;
            if (!texts.empty() && below(3) == 0)
                text = texts[below(texts.size())] + " " + std::to_string(below(9));
            else
                for (u64 w = below(30); w > 0; --w) text += std::to_string(below(below(2) ? 50 : 100'000)) + " ";
            texts.push_back(text);
        }
        const Column column(texts);
        Shingling shingling;
        shingling.k = 2;
        const int threads = 1 + static_cast<int>(below(3));
        Census census(below(2) ? 1 : 0.4);
        const SketchTable table = census.add(column.documents, shingling, 0, threads);
        const ShingleTable cut = shingle(column.documents, shingling, threads);
        const Sets sets{texts.size(), cut.offsets.data.get(), cut.values.data.get(), cut.values.size};
        std::vector<u8> left_out(texts.size());
        for (u64 i = 0; i < texts.size(); ++i) {
            left_out[i] = sets.size(i) == 0;
            for (u64 j = 0; j < i && !left_out[i]; ++j) left_out[i] = table.words[i] == table.words[j];
        }
        const Threshold threshold{1 + below(10), 10};
        const Array<u8> can =
            census.can_match(table.windows.data.get(), left_out.data(), texts.size(), threshold, threads);
        u64 checked = 0;
        for (u64 i = 0; i < texts.size(); ++i)
            for (u64 j = 0; j < i; ++j)
                if (!left_out[i] && !left_out[j] && sets.similar(i, j, threshold, checked)) EXPECT(can[i] && can[j]);
    }
}

// Texts of more than a megabyte are cut and counted in blocks.
void test_huge_documents_are_counted_in_blocks() {
    std::string text;
    while (text.size() < (5 << 18)) text += std::to_string(below(1'000'000)) + " ";
    std::string other;
    while (other.size() < (5 << 18)) other += std::to_string(below(1'000'000)) + "x ";
    const Column column(std::vector<std::string>{text, text + "end", other});
    Shingling shingling;
    shingling.k = 2;
    Census census(0.4);
    const SketchTable table = census.add(column.documents, shingling, 0, 2);
    for (u64 i = 0; i < 3; ++i) {
        Cutter cutter(shingling, true);
        cutter.cut(column.documents, i);
        EXPECT(table.windows[i] == cutter.window_count() && table.words[i] == cutter.words());
    }
    const std::vector<u8> left_out(3);
    const Array<u8> can = census.can_match(table.windows.data.get(), left_out.data(), 3, Threshold{8, 10}, 2);
    EXPECT(can[0] && can[1] && !can[2]);
}

// Each thread adds a batch of its own, before it is known which rows these are.
void test_threads_may_count_at_the_same_time() {
    std::vector<std::string> texts;
    for (u64 i = 0; i < 900; ++i) {
        std::string text;
        for (u64 w = 0; w < 12; ++w) text += std::to_string((i % 5 ? i + 100 : i / 50) * 12 + w) + " ";
        texts.push_back(text);
    }
    constexpr u64 batches = 9, size = 100;
    const Shingling shingling;
    const Column whole(texts);
    Census census(1), at_once(1);
    const SketchTable table = census.add(whole.documents, shingling, 0, 1);
    std::vector<Column> columns;
    for (u64 b = 0; b < batches; ++b)
        columns.emplace_back(std::vector<std::string>(texts.begin() + b * size, texts.begin() + (b + 1) * size));
    parallel_for(batches, 1, 4, [&](u32, u64 b, u64) { at_once.add(columns[b].documents, shingling, b << 32, 1); });
    std::vector<i64> starts;
    for (u64 b = 0; b < batches; ++b) starts.push_back(static_cast<i64>(b * size));
    at_once.place(starts.data(), batches, 32);
    const std::vector<u8> left_out(texts.size());
    const Array<u8> one = census.can_match(table.windows.data.get(), left_out.data(), 900, Threshold{8, 10}, 1);
    const Array<u8> other = at_once.can_match(table.windows.data.get(), left_out.data(), 900, Threshold{8, 10}, 4);
    EXPECT(std::equal(one.data.get(), one.data.get() + 900, other.data.get()));
    EXPECT(one[0] && one[5] && !one[1]);
}

}  // namespace
