// Chooses the path: the best that the processor supports, or the one forced by a test.
#include <atomic>
#include <cstring>

#include "steps.h"

namespace lookalike_steps {

namespace {

#if defined(__x86_64__)
// CMakeLists.txt defines both conditions, from the list of instruction sets that it compiles each path with.
#define HAS(set) __builtin_cpu_supports(#set)
bool runs_avx2() { return LOOKALIKE_RUNS_AVX2; }
bool runs_avx512() { return LOOKALIKE_RUNS_AVX512; }  // Ice Lake, Zen 4 and later
#undef HAS
#endif

std::atomic<const Steps*> chosen{nullptr};

}  // namespace

unsigned paths(const Steps** tables) {
    unsigned count = 0;
    tables[count++] = &kPortable;
#if defined(__x86_64__)
    if (runs_avx2()) tables[count++] = &kAvx2;
    if (runs_avx512()) tables[count++] = &kAvx512;
#endif
    return count;
}

bool force(const char* name) {
    const Steps* tables[3];
    const unsigned count = paths(tables);
    if (!name) chosen = tables[count - 1];
    for (unsigned i = 0; name && i < count; ++i)
        if (std::strcmp(tables[i]->name, name) == 0) {
            chosen = tables[i];
            return true;
        }
    return !name;
}

const Steps& steps() {
    if (!chosen.load(std::memory_order_relaxed)) force(nullptr);
    return *chosen.load(std::memory_order_relaxed);
}

}  // namespace lookalike_steps
