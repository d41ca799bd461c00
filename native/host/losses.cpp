#include "losses.h"

#include <cstring>
#include <optional>

#include "check.h"
#include "cutter.h"
#include "threads.h"

namespace lookalike {

namespace {

constexpr u64 kAtOnce = 32;  // pairs per chunk

// The tokens of one document, with their positions, and its shingles.
class Places {
  public:
    explicit Places(const Shingling& shingling)
        : shingling_(shingling),
          stopwords_(shingling.stopwords, shingling.stopword_count),
          ignored_(shingling.ignored, shingling.ignored_count) {}

    // The number of positions in shingles that are not in the set.
    i64 outside(const Documents& documents, u64 i, const HashSet& set) {
        if (!cut(documents, i)) return 0;
        const u64 n = found_.hashes.size();
        covered_.clear();
        bool any = false;
        WindowSums sums;
        Range all{-1, 0};
        const auto window = [&](u64 first, u64 length, u64 value) {
            const Range here{found_.starts[first], ends_[first + length - 1]};
            if (shingling_.short_hashes) value = shorten(value);
            if (shingling_.ignored_count) {
                sums.add(value);
                all = {all.start < 0 ? here.start : all.start, here.end};
                if (ignored_.has(value)) return;
            }
            any = true;
            if (!set.has(value)) covered_.push(here);
        };
        each_window(n, window);
        if (!any && !set.has(sums.shingle())) covered_.push(all);  // all are ignored, and one stands for the text
        return size_of_union();
    }

  private:
    struct Range {
        i64 start, end;
    };

    // Finds the tokens of a document; returns whether it has any.
    bool cut(const Documents& documents, u64 i) {
        found_.starts.clear();
        found_.ends.clear();
        found_.hashes.clear();
        whole_ = false;
        if (documents.lists) {
            i64 place = 0;
            for (i64 t = documents.lists[i]; t < documents.lists[i + 1]; ++t)
                if (documents.has_token(static_cast<u64>(t))) {
                    const u64 n = static_cast<u64>(documents.strings[t + 1] - documents.strings[t]);
                    add(place, place + 1, hash_bytes(documents.data + documents.strings[t], n, n, shingling_.key));
                    ++place;
                }
        } else {
            const u8* const text = documents.data + documents.strings[i];
            const u64 n = static_cast<u64>(documents.size(i));
            find(text, n, shingling_);
            const bool keeps = shingling_.kind == Kind::chars && shingling_.whitespace == Whitespace::keep;
            if (keeps && is_blank(text, n)) return false;
            if (found_.hashes.size() == 0) {  // a text without words is one shingle of all its characters
                Shingling characters = shingling_;
                characters.kind = Kind::chars;
                characters.whitespace = Whitespace::fold;
                if (shingling_.kind != Kind::tokens) find(text, n, characters);
                whole_ = true;
            }
        }
        ends_.resize(found_.ends.size());
        i64 reach = 0;  // normalisation can reorder combining marks
        for (u64 t = 0; t < ends_.size(); ++t) ends_[t] = reach = std::max(reach, found_.ends[t]);
        return found_.hashes.size() > 0;
    }

    void add(i64 start, i64 end, u64 hash) {
        found_.starts.push(start);
        found_.ends.push(end);
        found_.hashes.push(hash);
    }

    // The tokens of a text. In ASCII, every byte of the normalised text is at the place of its source.
    void find(const u8* text, u64 n, const Shingling& how) {
        const bool known = how.kind == Kind::words || how.kind == Kind::stopwords || how.kind == Kind::chars ||
                           how.kind == Kind::tokens;
        if (!known || ascii_prefix(text, n) < n) {
            found_ = tokens(text, n, how);
            return;
        }
        const bool lower = how.form == Form::fold || how.form == Form::lower;
        text_.resize(n);
        u8* const s = text_.data();
        for (u64 i = 0; i < n; ++i) s[i] = lower ? ascii_lower(text[i]) : text[i];
        const auto word = [&](u64 start, u64 end) {
            const u64 size = end - start;
            add(static_cast<i64>(start), static_cast<i64>(end), hash_bytes(s + start, size, size, how.key));
        };
        if (how.kind == Kind::chars)
            each_character(s, n, how.whitespace, [&](u32 cp, u64 start, u64 end) {
                add(static_cast<i64>(start), static_cast<i64>(end), hash_character(cp, how.key));
            });
        else if (how.kind == Kind::tokens)
            each_stretch(s, n, word);
        else
            each_word(s, n, word);
    }

    bool is_blank(const u8* text, u64 n) const {
        Shingling folded = shingling_;
        folded.whitespace = Whitespace::fold;
        return tokens(text, n, folded).hashes.size() == 0;
    }

    template <class Window>
    void each_window(u64 n, Window&& window) {
        const u64* const hashes = found_.hashes.data();
        u64 k = shingling_.k;
        if (whole_) k = n;
        if (shingling_.kind == Kind::stopwords && !whole_) {
            bool any = false;
            for (u64 i = 0; i + 2 < n; ++i)
                if (stopwords_.has(hashes[i])) {
                    window(i, 3, hash_window(hashes + i, 3));
                    any = true;
                }
            if (any) return;
            k = 3;
        }
        k = std::min(k, n);
        windows_.resize(n - k + 1);
        hash_windows(hashes, n, k, windows_.data());
        for (u64 i = 0; i < windows_.size(); ++i) window(i, k, windows_[i]);
    }

    i64 size_of_union() {
        const auto earlier = [](const Range& a, const Range& b) { return a.start < b.start; };
        if (!std::is_sorted(covered_.begin(), covered_.end(), earlier))
            std::sort(covered_.begin(), covered_.end(), earlier);
        i64 size = 0, reach = 0;
        for (const Range& range : covered_) {
            size += std::max<i64>(0, range.end - std::max(range.start, reach));
            reach = std::max(reach, range.end);
        }
        return size;
    }

    const Shingling& shingling_;
    HashSet stopwords_, ignored_;
    Tokens found_;
    bool whole_ = false;
    Buffer<i64> ends_;
    Buffer<u64> windows_;
    Buffer<Range> covered_;
    Buffer<u8> text_;
};

bool same_bytes(const Documents& documents, u64 a, u64 b) {
    const auto same = [&](i64 one, i64 two) {
        const i64 n = documents.strings[one + 1] - documents.strings[one];
        return n == documents.strings[two + 1] - documents.strings[two] &&
               std::memcmp(documents.data + documents.strings[one], documents.data + documents.strings[two],
                           static_cast<u64>(n)) == 0;
    };
    if (!documents.lists) return same(static_cast<i64>(a), static_cast<i64>(b));
    const i64 n = documents.lists[a + 1] - documents.lists[a];
    if (n != documents.lists[b + 1] - documents.lists[b]) return false;
    for (i64 t = 0; t < n; ++t) {
        const i64 one = documents.lists[a] + t, two = documents.lists[b] + t;
        const bool has = documents.has_token(static_cast<u64>(one));
        if (has != documents.has_token(static_cast<u64>(two)) || (has && !same(one, two))) return false;
    }
    return true;
}

}  // namespace

Losses losses(const Documents& documents, const Shingling& shingling, const i64* removed, const i64* kept, u64 pairs,
              int threads) {
    documents.check();
    shingling.check();
    for (u64 p = 0; p < pairs; ++p)
        for (const i64 row : {removed[p], kept[p]})
            require(row >= 0 && static_cast<u64>(row) < documents.rows,
                    "there is no row " + std::to_string(row) + " of " + std::to_string(documents.rows));
    Shingling once = shingling;  // repetitions make no difference
    once.bag = false;
    Losses found{Array<u8>(pairs), Array<i64>(pairs)};
    parallel_for(pairs, kAtOnce, threads, [&](u32, u64 begin, u64 end) {
        Cutter cutter(once);
        Places places(once);
        std::optional<HashSet> set;  // of the kept document `row`
        i64 row = -1;
        for (u64 p = begin; p < end; ++p) {
            const u64 gone = static_cast<u64>(removed[p]);
            found.lost[p] = 0;
            found.identical[p] = same_bytes(documents, gone, static_cast<u64>(kept[p]));
            if (found.identical[p]) continue;
            if (row != kept[p]) {
                row = kept[p];
                cutter.cut(documents, static_cast<u64>(row));
                cutter.to_elements();
                set.emplace(cutter.windows(), cutter.window_count());
            }
            found.lost[p] = places.outside(documents, gone, *set);
        }
    });
    return found;
}

}  // namespace lookalike
