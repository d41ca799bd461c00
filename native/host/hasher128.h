// The 128-bit hash of bytes that arrive piece by piece.
#pragma once
#include <bit>

#include "../core/hash128.h"
#include "array.h"

namespace lookalike {

static_assert(std::endian::native == std::endian::little, "tokens are hashed as little-endian bytes");

class Hasher128 {
  public:
    explicit Hasher128(Hash128 key = {}) : chains_(key) {}
    void add(const u8* s, u64 n) {
        const u64 open = size_ % Chains::kStripe;
        size_ += n;
        if (open) {
            const u64 here = std::min(n, Chains::kStripe - open);
            std::copy_n(s, here, rest_ + open);
            if (open + here < Chains::kStripe) return;
            chains_.stripes(rest_, 1);
            s += here;
            n -= here;
        }
        const u64 left = n % Chains::kStripe;
        chains_.stripes(s, n / Chains::kStripe);
        std::copy_n(s + n - left, left, rest_);
    }
    void add(const u64* words, u64 n) { add(reinterpret_cast<const u8*>(words), 8 * n); }

    // The hash of all bytes added so far; afterwards, nothing may be added.
    Hash128 finish() {
        chains_.rest(rest_, size_ % Chains::kStripe);
        return chains_.joined(size_);
    }

  private:
    Chains chains_;
    u64 size_ = 0;
    u8 rest_[Chains::kStripe] = {};
};

inline Hash128 hash128(const u64* words, u64 n, Hash128 key) {
    return hash128(reinterpret_cast<const u8*>(words), 8 * n, key);
}

}  // namespace lookalike
