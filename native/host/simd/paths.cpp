// Which path to take: asked of the processor once, or forced by a test.
#include <atomic>
#include <cstring>

#include "steps.h"

namespace lookalike_steps {

namespace {

bool has_avx2() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
#else
    return false;
#endif
}

bool has_avx512() {  // Ice Lake and Zen 4, and later
#if defined(__x86_64__)
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2");
#else
    return false;
#endif
}

std::atomic<const Steps*> chosen{nullptr};

}  // namespace

unsigned paths(const Steps** tables) {
    unsigned count = 0;
    tables[count++] = &kPortable;
#if defined(__x86_64__)
    if (has_avx2()) tables[count++] = &kAvx2;
    if (has_avx512()) tables[count++] = &kAvx512;
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
