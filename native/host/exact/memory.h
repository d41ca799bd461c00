// Huge pages (2 MiB) for large arrays with random access, where the system supports them.
#pragma once
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <cstdint>

#include "../array.h"

namespace lookalike {

// With more pages than the processor's TLB can hold, translating an address takes longer than reading it.
template <class T>
Array<T> scattered(u64 n) {
    Array<T> array(n);
#if defined(MADV_HUGEPAGE)
    constexpr uintptr_t page = 1 << 21;
    const uintptr_t begin = (reinterpret_cast<uintptr_t>(array.begin()) + page - 1) & ~(page - 1);
    const uintptr_t end = reinterpret_cast<uintptr_t>(array.end()) & ~(page - 1);
    if (begin < end)
        madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // only a hint: failure is harmless
#endif
    return array;
}

}  // namespace lookalike
