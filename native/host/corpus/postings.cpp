#include "postings.h"

#include "../threads.h"

namespace lookalike {

namespace {

constexpr u64 kReadAhead = 32;  // pages per read, if most pages are needed
constexpr u64 kNoPage = ~0ull;

u64 key_at(const u8* page, u64 i) {
    u64 key;
    std::memcpy(&key, page + i * kPosting, 8);
    return key;
}

u32 position_at(const u8* page, u64 i) {
    u32 position;
    std::memcpy(&position, page + i * kPosting + 8, 4);
    return position;
}

// The first of n ascending values that is not less than a key. The search starts at a guess, and widens from there:
// keys are hashes, so guesses are close, and most of the time of a search is spent on lines of memory that are not
// cached.
template <class At>
u64 lower_near(u64 n, u64 key, u64 guess, At&& at) {
    if (n == 0) return 0;
    guess = std::min(guess, n - 1);
    u64 low = 0, high = n;
    if (at(guess) < key) {
        low = guess + 1;
        for (u64 step = 4; guess + step < n; step *= 2) {
            if (at(guess + step) >= key) {
                high = guess + step;
                break;
            }
            low = guess + step + 1;
        }
    } else {
        high = guess;
        for (u64 step = 4; step <= guess; step *= 2) {
            if (at(guess - step) < key) {
                low = guess - step + 1;
                break;
            }
            high = guess - step;
        }
    }
    while (low < high) {
        const u64 middle = low + (high - low) / 2;
        if (at(middle) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Where a key is among n values that are spread evenly from `first` to `last`, about.
u64 place_of(u64 key, u64 first, u64 last, u64 n) {
    if (key <= first || last <= first) return 0;
    return static_cast<u64>(std::min(1.0, static_cast<double>(key - first) / static_cast<double>(last - first)) *
                            static_cast<double>(n));
}

// Pages of one band, read in ascending order, unless `kept` keeps them. The page `ahead` has been read already.
class Reader {
  public:
    Reader(int file, u64 last, u64 run, KeptPages* kept = nullptr, const u8* ahead = nullptr, u64 ahead_number = 0)
        : file_(file), last_(last), run_(run), kept_(kept), ahead_(ahead), ahead_number_(ahead_number) {}
    const u8* page(u64 number) {
        if (kept_) return kept_->page(file_, number);
        if (ahead_ && number == ahead_number_) {
            check_page(ahead_, number);
            return ahead_;
        }
        if (number < begin_ || number >= end_) {
            begin_ = end_ = 0;
            if (!pages_.size) pages_ = Array<u8>(run_ * kPage);
            const u64 count = std::min(run_, last_ - number);
            read_pages(file_, number, count, pages_.begin());
            begin_ = number, end_ = number + count;
        }
        const u8* const page = pages_.begin() + (number - begin_) * kPage;
        if (number != checked_) check_page(page, number);  // pages that were read ahead may not be needed
        checked_ = number;
        return page;
    }

  private:
    const int file_;
    const u64 last_, run_;
    KeptPages* const kept_;
    const u8* const ahead_;
    const u64 ahead_number_;
    u64 begin_ = 0, end_ = 0, checked_ = ~0ull;
    Array<u8> pages_;
};

}  // namespace

const u8* KeptPages::page(int file, u64 number) {
    const u8* known = pages_[number].load(std::memory_order_acquire);
    if (known) return known;
    std::unique_ptr<u8[]> read(new u8[kPage]);
    read_pages(file, number, 1, read.get());
    check_page(read.get(), number);
    if (!pages_[number].compare_exchange_strong(known, read.get(), std::memory_order_acq_rel)) return known;
    return read.release();
}

PostingPages posting_pages(const u64* keys, u64 stride, u64 n, const u32* positions, const u8* left_out) {
    check_row_count(n);
    Buffer<Entry> entries, other;
    Buffer<u64> counts;
    entries.reserve(n);
    for (u64 i = 0; i < n; ++i)
        if (!left_out || !left_out[i]) entries.push({keys[i * stride], positions ? positions[i] : static_cast<u32>(i)});
    other.reserve(entries.size());
    sort_by_key(entries.data(), entries.size(), other.data(), counts);
    const u64 pages = pages_for(entries.size(), kPosting);
    PostingPages out{Array<u8>(pages * kPage), Array<u64>(pages), entries.size()};
    for (u64 p = 0; p < pages; ++p) {
        u8* const page = out.pages.begin() + p * kPage;
        const u64 from = p * kPostingsPerPage, here = std::min(kPostingsPerPage, entries.size() - from);
        for (u64 i = 0; i < here; ++i) {
            std::memcpy(page + i * kPosting, &entries[from + i].key, 8);
            std::memcpy(page + i * kPosting + 8, &entries[from + i].row, 4);
        }
        std::fill(page + here * kPosting, page + kPage, u8{0});
        seal(page);
        out.firsts[p] = entries[from].key;
    }
    return out;
}

Postings::Postings(int file, const u64* counts, u64 bands, const u64* firsts, u64 pages, u64 most_kept)
    : file_(dup(file)), firsts_(firsts, firsts + pages), kept_(pages <= most_kept ? pages : 0) {
    if (file_ < 0) throw std::system_error(errno, std::generic_category(), "a file of postings");
    u64 page = 0;
    for (u64 b = 0; b < bands; ++b) {
        const u64 here = pages_for(counts[b], kPosting);
        if (here > pages - page) break;
        bands_.push_back({page, page + here, counts[b]});
        page += here;
    }
    if (bands_.size() == bands && page == pages) return;
    close(file_);
    require(false, "the postings need one first key per page");
}

Postings::~Postings() { close(file_); }

u64 Postings::page_of(u64 band, u64 key) const {
    const Band& where = bands_[band];
    const u64* const begin = firsts_.data() + where.first;
    const u64 page = static_cast<u64>(std::lower_bound(begin, firsts_.data() + where.last, key) - begin);
    return page > 0 ? page - 1 : 0;  // equal keys may start on the page before
}

void Postings::read(u64 band, u64 first, u64 last, std::vector<Entry>& into) const {
    const Band& where = bands_[band];
    Reader reader(file_, where.first + last, kReadAhead);
    for (u64 p = first; p < last; ++p) {
        const u8* const page = reader.page(where.first + p);
        const u64 here = std::min(kPostingsPerPage, where.count - p * kPostingsPerPage);
        for (u64 i = 0; i < here; ++i) into.push_back({key_at(page, i), position_at(page, i)});
    }
}

// An upper bound on the hits of a query, from the first keys of pages alone; small numbers are rounded down to 0.
u64 Postings::cost(const Keys& queries, const u8* left_out, u64 band, u64 query) const {
    if (left_out && left_out[query]) return 0;
    u64 pages = 0;
    for (u64 b = 0; b < queries.bands; ++b) {
        const Band& where = bands_[band + b];
        const u64 key = queries.row(query)[b];
        const auto end = firsts_.begin() + static_cast<i64>(where.last);
        const auto from = std::lower_bound(firsts_.begin() + static_cast<i64>(where.first), end, key);
        if (from != end && *from == key) pages += static_cast<u64>(std::upper_bound(from, end, key) - from);
    }
    return pages * kPostingsPerPage;
}

struct Postings::Found {
    std::vector<u64> pairs;  // query and position
    std::vector<u32> cut;
};

// The first page of a band that may contain a key; `kNoPage` if there is none. The search starts at page `from`.
u64 Postings::first_page(const Band& band, u64 key, u64 from) const {
    const u64* const firsts = firsts_.data() + from;
    const u64 n = band.last - from;
    const u64 guess = n ? place_of(key, firsts[0], ~0ull, n) : 0;
    const u64 page = from + lower_near(n, key, guess, [firsts](u64 i) { return firsts[i]; });
    if (page > band.first) return page - 1;  // equal keys may start on the page before
    return page < band.last && firsts_[page] == key ? page : kNoPage;
}

// The first of the `here` postings on a page of a band whose key is not less.
u64 Postings::first_posting(const u8* page, u64 number, const Band& band, u64 here, u64 key) const {
    const u64 next = number + 1 < band.last ? firsts_[number + 1] : ~0ull;
    return lower_near(here, key, place_of(key, firsts_[number], next, here), [page](u64 i) { return key_at(page, i); });
}

// The first pages that one query needs, of all bands. Those that the system has to fetch are fetched at the same time.
struct Postings::Ahead {
    std::vector<u64> numbers;
    Array<u8> pages;
    const u8* of(u64 band) const { return pages.data.get() + band * kPage; }
};

Postings::Ahead Postings::ahead(const Keys& queries, u64 band, u64 query) const {
    Ahead made{std::vector<u64>(queries.bands), Array<u8>(queries.bands * kPage)};
    std::vector<u64> waiting;
    for (u64 b = 0; b < queries.bands; ++b) {
        const Band& where = bands_[band + b];
        made.numbers[b] = first_page(where, queries.row(query)[b], where.first);
        if (made.numbers[b] == kNoPage) continue;
        const i64 at = static_cast<i64>(made.numbers[b] * kPage);
        if (!read_cached(file_, made.pages.begin() + b * kPage, kPage, at)) waiting.push_back(b);
    }
    if (waiting.size() > 1)
        for (const u64 b : waiting) will_need(file_, kPage, static_cast<i64>(made.numbers[b] * kPage));
    for (const u64 b : waiting) read_pages(file_, made.numbers[b], 1, made.pages.begin() + b * kPage);
    return made;
}

void Postings::find_in(const Band& band, const Keys& queries, const u8* left_out, u64 column, u64 start, u64 end,
                       u64 cap, const Ahead* ahead, Found& found) const {
    Buffer<Entry> several, other;
    Buffer<u64> counts;
    Entry one;
    const Entry* wanted = &one;
    u64 count = 0;
    if (end - start == 1) {  // a single query needs no memory for each band
        if (!left_out || !left_out[start]) one = {queries.row(start)[column], 0}, count = 1;
    } else {
        several.reserve(end - start);
        for (u64 i = start; i < end; ++i)
            if (!left_out || !left_out[i]) several.push({queries.row(i)[column], static_cast<u32>(i - start)});
        other.reserve(several.size());
        sort_by_key(several.data(), several.size(), other.data(), counts);
        wanted = several.data(), count = several.size();
    }
    Reader reader(file_, band.last, 4 * count > band.last - band.first ? kReadAhead : 1, kept_ ? &kept_ : nullptr,
                  ahead ? ahead->of(column) : nullptr, ahead ? ahead->numbers[column] : 0);
    u64 page_number = band.first;
    for (u64 i = 0, next; i < count; i = next) {
        const u64 key = wanted[i].key;
        for (next = i; next < count && wanted[next].key == key;) ++next;
        const u64 first = first_page(band, key, page_number);
        if (first == kNoPage) continue;
        page_number = first;
        u64 hits = 0;
        for (u64 p = page_number; p < band.last && (p == page_number || firsts_[p] == key); ++p) {
            const u8* const page = reader.page(p);
            const u64 here = std::min(kPostingsPerPage, band.count - (p - band.first) * kPostingsPerPage);
            for (u64 at = first_posting(page, p, band, here, key); at < here && key_at(page, at) == key; ++at) {
                if (cap && hits == cap) {
                    hits = kNoPage;
                    break;
                }
                ++hits;
                for (u64 q = i; q < next; ++q)
                    found.pairs.push_back(static_cast<u64>(wanted[q].row) << 32 | position_at(page, at));
            }
            if (hits == kNoPage) break;
        }
        if (hits == kNoPage)
            for (u64 q = i; q < next; ++q) found.cut.push_back(wanted[q].row);
    }
}

Hits Postings::find(const Keys& queries, const u8* left_out, u64 band, u64 start, u64 most, u64 cap,
                    int threads) const {
    require(queries.bands >= 1 && queries.bands <= bands_.size() && band <= bands_.size() - queries.bands,
            "the postings have " + std::to_string(bands_.size()) + " bands, got queries of bands " +
                std::to_string(band) + " … " + std::to_string(band + queries.bands - 1));
    check_row_count(queries.rows);
    require(start <= queries.rows, "start must be one of the queries, got " + std::to_string(start));
    u64 end = start;
    for (u64 total = 0; end < queries.rows; ++end) {
        if (!cap) total += cost(queries, left_out, band, end);
        if (end > start && total > most) break;
    }
    std::vector<Found> found(queries.bands);
    Ahead first;
    const bool alone = end - start == 1 && !kept_ && !(left_out && left_out[start]);
    if (alone) first = ahead(queries, band, start);
    const bool small = (end - start) * queries.bands < 1024;  // starting threads takes longer
    parallel_for(queries.bands, 1, small ? 1 : threads, [&](u32, u64 b, u64) {
        find_in(bands_[band + b], queries, left_out, b, start, end, cap, alone ? &first : nullptr, found[b]);
    });
    Buffer<u64> pairs, other, counts;
    u64 size = 0, cuts = 0;
    for (const Found& here : found) size += here.pairs.size(), cuts += here.cut.size();
    pairs.reserve(size);
    for (Found& here : found) {
        for (const u64 pair : here.pairs) pairs.push(pair);
        here.pairs = {};
    }
    other.reserve(size);
    sort_by_key(pairs.data(), size, other.data(), counts, 32 + bits_of(end - start));
    const u64 distinct = static_cast<u64>(std::unique(pairs.begin(), pairs.end()) - pairs.begin());
    Hits hits{Array<i64>(distinct), Array<i64>(distinct), end, Array<i64>(cuts), Array<i64>(cuts)};
    for (u64 i = 0; i < distinct; ++i) {
        hits.queries[i] = static_cast<i64>(start + (pairs[i] >> 32));
        hits.positions[i] = static_cast<i64>(pairs[i] & 0xFFFFFFFFull);
    }
    u64 at = 0;
    for (u64 b = 0; b < queries.bands; ++b)
        for (const u32 query : found[b].cut) {
            hits.cut_queries[at] = static_cast<i64>(start + query);
            hits.cut_bands[at++] = static_cast<i64>(b);
        }
    return hits;
}

}  // namespace lookalike
