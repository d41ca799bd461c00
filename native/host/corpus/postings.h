// Postings: which rows of a segment have a band key? Sorted by band, key and position, in pages, so that a lookup reads
// one page per band. docs/reference/index-format.md describes the file.
#pragma once
#include <atomic>
#include <vector>

#include "../buckets.h"
#include "../sorting.h"
#include "pages.h"

namespace lookalike {

inline constexpr u64 kPosting = 12, kPostingsPerPage = kPayload / kPosting;  // a key and a position with 32 bits

struct PostingPages {
    Array<u8> pages;
    Array<u64> firsts;  // the first key of each page
    u64 count = 0;      // postings
};

// The postings of one band: key i (at keys[i · stride]) belongs to position i or, if `positions` is given, to
// positions[i]; positions must ascend. Keys for which `left_out` (if given) is not zero are left out.
PostingPages posting_pages(const u64* keys, u64 stride, u64 n, const u32* positions, const u8* left_out);

// Pairs of a query and a position that share a key, each once, ordered by query, then by position.
struct Hits {
    Array<i64> queries, positions;
    u64 next = 0;                       // the first query that was not looked up
    Array<i64> cut_queries, cut_bands;  // lookups of which only the first positions were returned
};

// Pages that stay in memory once they were read and checked. Several threads may call the same object.
class KeptPages {
  public:
    explicit KeptPages(u64 pages) : pages_(pages ? new std::atomic<const u8*>[pages] {} : nullptr), count_(pages) {}
    ~KeptPages() {
        for (u64 p = 0; p < count_; ++p) delete[] pages_[p].load();
    }
    KeptPages(const KeptPages&) = delete;
    KeptPages& operator=(const KeptPages&) = delete;
    explicit operator bool() const { return count_ > 0; }
    const u8* page(int file, u64 number);

  private:
    std::unique_ptr<std::atomic<const u8*>[]> pages_;
    u64 count_;
};

// The postings of a segment, in an open file. Several threads may call the same object.
class Postings {
  public:
    // `counts` are the postings per band. The pages of the first band start at page 0 of the file. If there are at most
    // `most_kept` pages, those that lookups read stay in memory.
    Postings(int file, const u64* counts, u64 bands, const u64* firsts, u64 pages, u64 most_kept);
    ~Postings();
    Postings(const Postings&) = delete;
    Postings& operator=(const Postings&) = delete;

    // Looks up the keys of queries from `start` on, until about `most` hits are found, but at least one query. Band b
    // of the queries is band `band + b` of the postings. With `cap` > 0, at most `cap` positions per key are returned.
    Hits find(const Keys& queries, const u8* left_out, u64 band, u64 start, u64 most, u64 cap, int threads) const;

    u64 count(u64 band) const { return bands_[band].count; }
    u64 bands() const { return bands_.size(); }
    // The postings of pages first … last − 1 of a band, counted from 0 in each band.
    u64 pages(u64 band) const { return bands_[band].last - bands_[band].first; }
    void read(u64 band, u64 first, u64 last, std::vector<Entry>& into) const;
    // The page of a band in which the postings of a key and of all greater keys start.
    u64 page_of(u64 band, u64 key) const;

  private:
    struct Band {
        u64 first, last;  // pages of the file
        u64 count;
    };

    u64 cost(const Keys& queries, const u8* left_out, u64 band, u64 query) const;
    struct Found;
    struct Ahead;
    u64 first_page(const Band& band, u64 key, u64 from) const;
    u64 first_posting(const u8* page, u64 number, const Band& band, u64 here, u64 key) const;
    Ahead ahead(const Keys& queries, u64 band, u64 query) const;
    void find_in(const Band& band, const Keys& queries, const u8* left_out, u64 column, u64 start, u64 end, u64 cap,
                 const Ahead* ahead, Found& found) const;

    int file_;
    std::vector<Band> bands_;
    std::vector<u64> firsts_;
    mutable KeptPages kept_;
};

}  // namespace lookalike
