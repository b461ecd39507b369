// The functions of tinybvh that the benchmarks need, in C; `tinybvh.rs` loads them, README.md has the build command.

#define TINYBVH_IMPLEMENTATION
#define NO_THREADED_BUILDS
#include "tiny_bvh.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

using tinybvh::bvhvec3;
using tinybvh::bvhvec4;
using tinybvh::BVH8_CPU;
using tinybvh::Ray;

static Ray make(const float* origin, const float* direction, float t_max) {
    Ray ray;
    ray.O = bvhvec3(origin[0], origin[1], origin[2]);
    // Its constructor would normalise the direction; `t` is in lengths of the given one.
    ray.D = bvhvec3(direction[0], direction[1], direction[2]);
    ray.rD = tinybvh::tinybvh_rcp(ray.D);
    ray.hit.t = std::fmin(t_max, BVH_FAR);
    return ray;
}

// `corners` has three times four numbers for each triangle; it is read only during the call.
extern "C" void* tinybvh_build(const float* corners, uint32_t triangles) {
    auto tree = new BVH8_CPU();
    tree->BuildHQ(reinterpret_cast<const bvhvec4*>(corners), triangles);
    return tree;
}

extern "C" void tinybvh_free(BVH8_CPU* tree) { delete tree; }

extern "C" size_t tinybvh_bytes(const BVH8_CPU* tree) { return size_t(tree->usedBlocks) * sizeof(BVH8_CPU::CacheLine); }

extern "C" float tinybvh_closest_hit(const BVH8_CPU* tree, const float* origin, const float* direction, float t_max) {
    Ray ray = make(origin, direction, t_max);
    const float limit = ray.hit.t;
    tree->Intersect(ray);
    return ray.hit.t < limit ? ray.hit.t : INFINITY;
}

extern "C" bool tinybvh_any_hit(const BVH8_CPU* tree, const float* origin, const float* direction, float t_max) {
    return tree->IsOccluded(make(origin, direction, t_max));
}
