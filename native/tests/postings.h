// Postings of a file: lookups by several threads, with pages that stay in memory and without, and damaged files.
#pragma once
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "../host/corpus/postings.h"
#include "checks.h"

namespace {

struct PostingsFile {
    int file;
    PostingPages made;
    Array<u64> counts{1};

    explicit PostingsFile(const std::vector<u64>& keys) {
        const Array<u64> block = exact(keys);
        made = posting_pages(block.data.get(), 1, keys.size(), nullptr, nullptr);
        counts[0] = made.count;
        char path[] = "/tmp/lookalike-postings-XXXXXX";
        file = mkstemp(path);
        unlink(path);
        EXPECT(write(file, made.pages.begin(), made.pages.size) == static_cast<ssize_t>(made.pages.size));
    }
    ~PostingsFile() { close(file); }
};

void test_pages_that_are_kept_give_the_same_hits() {
    std::vector<u64> keys(2000);
    for (u64& key : keys) key = below(500) << 50;
    PostingsFile stored(keys);
    const Array<u64> asked = exact(keys);
    const Keys queries{keys.size(), 1, asked.data.get()};
    const u64 pages = stored.made.firsts.size;
    Postings kept(stored.file, stored.counts.begin(), 1, stored.made.firsts.begin(), pages, pages);
    const Postings read(stored.file, stored.counts.begin(), 1, stored.made.firsts.begin(), pages, pages - 1);
    const Hits wanted = read.find(queries, nullptr, 0, 0, 1 << 20, 0, 1);
    std::vector<Hits> found(4);
    std::vector<std::thread> threads;
    for (Hits& mine : found) threads.emplace_back([&] { mine = kept.find(queries, nullptr, 0, 0, 1 << 20, 0, 1); });
    for (std::thread& thread : threads) thread.join();
    for (Hits& mine : found) {
        EXPECT(mine.positions.size == wanted.positions.size);
        EXPECT(std::equal(mine.positions.begin(), mine.positions.end(), wanted.positions.data.get()));
        EXPECT(std::equal(mine.queries.begin(), mine.queries.end(), wanted.queries.data.get()));
    }
}

// A query that is looked up alone reads the pages of all bands at the same time.
void test_one_query_gives_the_same_hits_as_many() {
    std::vector<u64> keys(2000);
    for (u64& key : keys) key = below(300) << 50;
    PostingsFile stored(keys);
    const u64 pages = stored.made.firsts.size;
    const Postings read(stored.file, stored.counts.begin(), 1, stored.made.firsts.begin(), pages, 0);
    std::vector<u64> asked(400);
    for (u64 i = 0; i < asked.size(); ++i) asked[i] = i << 49;
    const Hits wanted = read.find(Keys{asked.size(), 1, asked.data()}, nullptr, 0, 0, 1 << 20, 0, 1);
    u64 at = 0;
    for (u64 i = 0; i < asked.size(); ++i) {
        const Hits mine = read.find(Keys{1, 1, &asked[i]}, nullptr, 0, 0, 1 << 20, 0, 1);
        for (u64 p = 0; p < mine.positions.size; ++p, ++at) {
            EXPECT(at < wanted.positions.size && wanted.queries[at] == static_cast<i64>(i));
            EXPECT(mine.positions[p] == wanted.positions[at]);
        }
    }
    EXPECT(at == wanted.positions.size);
}

void test_files_of_postings_that_end_early_are_refused() {
    PostingsFile stored(std::vector<u64>(1000, 7));
    EXPECT(ftruncate(stored.file, kPage) == 0);
    const u64 key = 7, pages = stored.made.firsts.size;
    for (const u64 most_kept : {u64{0}, pages}) {
        const Postings postings(stored.file, stored.counts.begin(), 1, stored.made.firsts.begin(), pages, most_kept);
        bool failed = false;
        try {
            postings.find(Keys{1, 1, &key}, nullptr, 0, 0, 1 << 20, 0, 1);
        } catch (const std::exception&) {
            failed = true;
        }
        EXPECT(failed);
    }
}

}  // namespace
