// Convex shapes against a mesh by a library in C or C++, for casts.rs; README.md has the commands. A library defines Mesh, Placed and
// the static functions that the last lines call, in a file that includes this one.
//
// A shape is its points and a radius: one for a ball, two for a capsule, more for a hull; a box has its centre and half its edges.

#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

enum Kind { BALL, CAPSULE, BOX, HULL };

struct Mesh;
struct Placed;

static Mesh *build(const float *positions, size_t vertices, const uint32_t *corners, size_t triangles);
static void release(Mesh *mesh);
static Placed *place(Kind kind, const float *points, size_t count, float radius);
static void release(Placed *placed);
static float cast(const Mesh &mesh, const Placed &placed, const float *displacement);
static bool overlaps(const Mesh &mesh, const Placed &placed);

extern "C" {

// Null if the library refuses it.
Mesh *casts_build(const float *positions, size_t vertices, const uint32_t *corners, size_t triangles) {
    return build(positions, vertices, corners, triangles);
}

void casts_free(Mesh *mesh) { release(mesh); }

// Null if the library refuses it. A box has two points: its centre, and half its edges.
Placed *casts_place(int kind, const float *points, size_t count, float radius) { return place(Kind(kind), points, count, radius); }

void casts_free_placed(Placed *placed) { release(placed); }

// The time of the first contact up to 1; infinite without one.
float casts_cast(const Mesh *mesh, const Placed *placed, const float *displacement) { return cast(*mesh, *placed, displacement); }

bool casts_overlaps(const Mesh *mesh, const Placed *placed) { return overlaps(*mesh, *placed); }
}
