// Integer types, and the macro that makes a function compile for both host and device.
// No file in native/core includes a system header: NVRTC has none.
#pragma once

#if defined(__CUDACC__)
#define LK_FN __host__ __device__ inline
#define LK_TABLE static __device__ const
#else
#define LK_FN inline
#define LK_TABLE inline constexpr
#endif

namespace lookalike {

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using i64 = long long;

static_assert(sizeof(u16) == 2 && sizeof(u32) == 4 && sizeof(u64) == 8, "integers of other sizes change every hash");

inline constexpr u64 kNone = ~0ull;  // an empty slot of a signature

}  // namespace lookalike
