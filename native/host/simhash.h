// Sets → strings of bits. A bit is the majority of that bit in the hashes of the elements, so that two strings differ
// in a share of bits that grows with the angle between the sets.
#pragma once
#include "array.h"
#include "sets.h"

namespace lookalike {

// `words` words per set. Word w comes from hash w of each element: mix(element ^ mix(seed + (w + 1)·kGolden)). A bit is
// set if it is 1 in more than half of the hashes; an empty set has no bit set.
Array<u64> simhash(const Sets& sets, u64 words, u64 seed, int threads);

}  // namespace lookalike
