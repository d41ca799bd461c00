// Survivors, compared with the definition: one row after another, in order of preference; and what removed texts lose.
#pragma once
#include <algorithm>
#include <numeric>
#include <set>

#include "../host/hasher128.h"
#include "../host/losses.h"
#include "../host/survivors.h"
#include "checks.h"
#include "table.h"

namespace {

u64 common_of(const std::set<u64>& a, const std::set<u64>& b) {
    u64 common = 0;
    for (const u64 element : a) common += b.count(element);
    return common;
}

void test_survivors_agree_with_the_definition() {
    for (int round = 0; round < 80; ++round) {
        const u64 n = round % 3 ? 1 + below(40) : 65 + below(250), bands = 1 + below(3), universe = 10 + below(60);
        std::vector<std::set<u64>> all(n);
        for (auto& set : all) {
            if (below(20) == 0) continue;
            for (u64 e = 0; e < universe; ++e)
                if (below(10)) set.insert(mix(e));
            for (u64 e = below(universe / 3); e > 0; --e) set.insert(random_source());
        }
        std::vector<u64> drawn(n * bands);
        for (u64& key : drawn) key = below(1 + n / 40);
        const Array<u64> values = exact(drawn);
        const Keys keys{n, bands, values.data.get()};
        const Table table(all);
        std::vector<i64> order(n);
        std::iota(order.begin(), order.end(), 0);
        for (u64 i = n; i > 1; --i) std::swap(order[i - 1], order[below(i)]);
        const Array<i64> held = exact(order);
        const Preference preference{held.data.get(), below(3) ? 0 : below(n + 1)};
        std::vector<RowPair> different;
        for (u64 d = below(2) ? below(20) : 0; d > 0; --d) different.push_back({u32(below(n)), u32(below(n))});
        const Replaceable replaceable{Threshold{1 + below(10), 10}, Threshold{1 + below(10), 10}, below(2) == 1};

        std::vector<i64> survivor(n), left, right;
        std::vector<u64> survivors;
        for (u64 p = 0; p < n; ++p) {
            const u64 a = static_cast<u64>(order[p]);
            survivor[a] = static_cast<i64>(a);
            for (const u64 b : survivors) {
                const RowPair one{u32(a), u32(b)}, two{u32(b), u32(a)};
                const u64 common = common_of(all[a], all[b]), na = all[a].size(), nb = all[b].size();
                const bool apart = std::count(different.begin(), different.end(), one) > 0 ||
                                   std::count(different.begin(), different.end(), two) > 0;
                if (p < preference.always_kept || na == 0 || nb == 0 || apart) continue;
                if (!keys.met_before(u32(a), u32(b), bands) || common < replaceable.overlap(na, nb)) continue;
                survivor[a] = static_cast<i64>(b);
                left.push_back(static_cast<i64>(a));
                right.push_back(static_cast<i64>(b));
                break;
            }
            if (survivor[a] == static_cast<i64>(a)) survivors.push_back(a);
        }
        const Survivors found = choose_survivors(keys, table.sets, replaceable, preference, different, 1 + round % 3);
        for (u64 i = 0; i < n; ++i) {
            EXPECT(found.survivor[i] == survivor[i]);
            const bool removed = survivor[i] != static_cast<i64>(i);
            EXPECT(found.common[i] ==
                   static_cast<i64>(removed ? common_of(all[i], all[static_cast<u64>(survivor[i])]) : 0));
        }
        // The pairs that remove a row, as a list, give the same answer.
        const Array<i64> held_left = exact(left), held_right = exact(right);
        const Array<i64> by = removing_pairs(n, held_left.data.get(), held_right.data.get(), left.size(), preference);
        for (u64 i = 0; i < n; ++i) {
            const bool removed = survivor[i] != static_cast<i64>(i);
            EXPECT((by[i] >= 0) == removed);
            if (removed && by[i] >= 0) EXPECT(left[static_cast<u64>(by[i])] == static_cast<i64>(i));
        }
    }
}

void test_losses_of_any_text() {
    for (int round = 0; round < 40; ++round) {
        std::vector<std::string> texts;
        for (u64 n = 2 + below(20); n > 0; --n) {
            std::string text = texts.empty() || below(2) ? "" : texts[below(texts.size())];
            for (u64 c = below(40); c > 0; --c)
                text += below(4) ? static_cast<char>("ab .\n"[below(5)]) : static_cast<char>(below(256));
            texts.push_back(text);
        }
        const Column column(texts);
        Shingling shingling;
        shingling.kind = round % 2 ? Kind::words : Kind::chars;
        shingling.k = 1 + below(4);
        std::vector<i64> removed, kept;
        for (u64 pair = below(30); pair > 0; --pair) {
            removed.push_back(static_cast<i64>(below(texts.size())));
            kept.push_back(static_cast<i64>(below(texts.size())));
        }
        const Array<i64> a = exact(removed), b = exact(kept);
        const Losses found =
            losses(column.documents, shingling, a.data.get(), b.data.get(), removed.size(), 1 + round % 2);
        for (u64 i = 0; i < removed.size(); ++i) {
            const std::string &one = texts[u64(removed[i])], &other = texts[u64(kept[i])];
            EXPECT((found.identical[i] != 0) == (one == other));
            EXPECT(found.lost[i] >= 0 && found.lost[i] <= static_cast<i64>(one.size()));
            if (one == other) EXPECT(found.lost[i] == 0);
        }
    }
}

void test_hashing_piece_by_piece() {
    for (int round = 0; round < 200; ++round) {
        std::vector<u8> bytes(below(400));
        for (u8& byte : bytes) byte = static_cast<u8>(below(256));
        const Array<u8> held = exact(bytes);
        Hasher128 hasher;
        for (u64 at = 0; at < bytes.size();) {
            const u64 n = std::min<u64>(bytes.size() - at, below(100));
            hasher.add(held.data.get() + at, n);
            at += n;
        }
        EXPECT(hasher.finish() == hash128(held.data.get(), bytes.size()));
    }
}

}  // namespace
