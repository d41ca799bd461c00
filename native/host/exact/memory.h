// Large arrays that are read here and there: on pages of two megabytes, where the system has them.
#pragma once
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <cstdint>

#include "../array.h"

namespace lookalike {

// Once there are more pages than the processor keeps in mind, finding the page of an address costs more than reading
// it.
template <class T>
Array<T> scattered(u64 n) {
    Array<T> array(n);
#if defined(MADV_HUGEPAGE)
    constexpr uintptr_t page = 1 << 21;
    const uintptr_t begin = (reinterpret_cast<uintptr_t>(array.begin()) + page - 1) & ~(page - 1);
    const uintptr_t end = reinterpret_cast<uintptr_t>(array.end()) & ~(page - 1);
    if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // no harm if it is refused
#endif
    return array;
}

}  // namespace lookalike
