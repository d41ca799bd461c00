// Memory for plain values: `Array` for results of known size, `Buffer` for reusable scratch memory that grows.
#pragma once
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

#include "../core/base.h"

namespace lookalike {

// Elements are not initialised: whoever creates a result writes every element.
template <class T>
struct Array {
    std::unique_ptr<T[]> data;
    u64 size = 0;

    Array() = default;
    explicit Array(u64 n) : data(new T[n ? n : 1]), size(n) {}
    T& operator[](u64 i) { return data[i]; }
    const T& operator[](u64 i) const { return data[i]; }
    T* begin() { return data.get(); }
    T* end() { return data.get() + size; }
};

// Like a vector, but never initialises memory and keeps it between documents. It starts on a cache line, so that
// consecutive registers of 64 bytes occupy one line each.
template <class T>
class Buffer {
  public:
    T* data() { return data_.get(); }
    u64 size() const { return size_; }
    void clear() { size_ = 0; }
    // Like clear(), but also gives the memory back.
    void free() {
        data_.reset();
        size_ = capacity_ = 0;
    }
    void resize(u64 n) {
        reserve(n);
        size_ = n;
    }
    void reserve(u64 n) {
        if (n <= capacity_) return;
        const u64 wanted = std::max<u64>({n, capacity_ + capacity_ / 2, 64});
        std::unique_ptr<T[], Free> larger(new (kLine) T[wanted]);
        std::copy_n(data_.get(), size_, larger.get());
        data_ = std::move(larger);
        capacity_ = wanted;
    }
    void push(const T& value) {
        if (size_ == capacity_) reserve(size_ + 1);
        data_[size_++] = value;
    }
    T& operator[](u64 i) { return data_[i]; }
    const T& operator[](u64 i) const { return data_[i]; }
    T* begin() { return data_.get(); }
    T* end() { return data_.get() + size_; }

  private:
    static constexpr std::align_val_t kLine{64};
    struct Free {
        void operator()(T* memory) const { ::operator delete[](memory, kLine); }
    };
    static_assert(std::is_trivially_destructible_v<T>);
    std::unique_ptr<T[], Free> data_;
    u64 size_ = 0, capacity_ = 0;
};

}  // namespace lookalike
