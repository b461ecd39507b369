// What the broad phases in C++ have in common, for `library.rs`: each file beside this one makes a library of it.
//
// A box is six numbers: lower x, y, z, upper x, y, z. Boxes that never move come first. A pair is two indices of boxes, of which one
// at least may move.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

// Pairs in the caller's memory. Those beyond its end are only counted.
struct Pairs {
    uint32_t* out;
    size_t capacity, count;

    void add(size_t a, size_t b) {
        if (count < capacity) {
            out[2 * count] = uint32_t(std::min(a, b));
            out[2 * count + 1] = uint32_t(std::max(a, b));
        }
        ++count;
    }
};

// Whether two boxes touch.
inline bool touch(const float* a, const float* b) {
    for (int axis = 0; axis < 3; ++axis) {
        if (a[axis] > b[axis + 3] || b[axis] > a[axis + 3]) {
            return false;
        }
    }
    return true;
}

struct Broad {
    virtual ~Broad() = default;
    // Takes the boxes of what has moved: its numbers, and the boxes of all that may.
    virtual void move(const uint32_t* moved, size_t count, const float* boxes) = 0;
    // Updates what pairs are found by.
    virtual void update() = 0;
    // All pairs whose boxes touch.
    virtual void pairs(Pairs& pairs) = 0;
    // Builds anew what pairs are found by; false if the library cannot.
    virtual bool rebuild() { return false; }
};

// Each library's own.
static Broad* make(const float* boxes, size_t still, size_t count, bool sweep);

extern "C" {

Broad* broad_new(const float* boxes, size_t still, size_t count, bool sweep) { return make(boxes, still, count, sweep); }

void broad_move(Broad* broad, const uint32_t* moved, size_t count, const float* boxes) { broad->move(moved, count, boxes); }

void broad_update(Broad* broad) { broad->update(); }

size_t broad_pairs(Broad* broad, uint32_t* out, size_t capacity) {
    Pairs pairs = {out, capacity, 0};
    broad->pairs(pairs);
    return pairs.count;
}

bool broad_rebuild(Broad* broad) { return broad->rebuild(); }

void broad_free(Broad* broad) { delete broad; }
}
