// Text that many documents contain, such as the menu of a site.
#pragma once
#include "documents.h"

namespace lookalike {

// Runs of consecutive windows. Run i begins at window starts[i] of document documents[i], where it occurs first, and
// has lengths[i] windows; the rarest of them is in counts[i] documents.
struct Runs {
    Array<i64> documents, starts, lengths, counts;
};
// The distinct runs of windows that are in at least `least` documents, each run as long as possible, in the order in
// which they occur first. `bag` and ignored windows have no effect.
Runs repeated_runs(const Documents& documents, const Shingling& shingling, i64 least, int threads);

}  // namespace lookalike
