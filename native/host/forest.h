// Union-find over rows. The root of a tree is its smallest row.
#pragma once
#include <vector>

#include "array.h"

namespace lookalike {

class Forest {
  public:
    explicit Forest(u64 n) : parent_(n) {
        for (u64 i = 0; i < n; ++i) parent_[i] = static_cast<u32>(i);
    }
    // Halves the path while walking it.
    u32 find(u32 i) {
        while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
        return i;
    }
    // Changes nothing, so that several threads may call it at the same time.
    u32 look(u32 i) const {
        while (parent_[i] != i) i = parent_[i];
        return i;
    }
    // Returns true if they were in different trees.
    bool join(u32 a, u32 b) {
        a = find(a);
        b = find(b);
        if (a == b) return false;
        if (a < b)
            parent_[b] = a;
        else
            parent_[a] = b;
        return true;
    }
    // Makes i, and every row between it and the root, a child of the root.
    void flatten(u32 i) {
        const u32 root = look(i);
        while (parent_[i] != root) {
            const u32 next = parent_[i];
            parent_[i] = root;
            i = next;
        }
    }
    u64 rows() const { return parent_.size(); }
    // The root of every row.
    Array<i64> labels() {
        Array<i64> labels(parent_.size());
        for (u64 i = 0; i < parent_.size(); ++i) labels[i] = find(static_cast<u32>(i));
        return labels;
    }

  private:
    std::vector<u32> parent_;
};

// The connected components of the graph with these edges: for each row, the smallest row of its component.
Array<i64> connect(u64 rows, const i64* left, const i64* right, u64 count);

}  // namespace lookalike
