// The functions of tinybvh that the benchmarks need, in C; `tinybvh.rs` loads them, README.md has the build command.

#define TINYBVH_IMPLEMENTATION
#define NO_THREADED_BUILDS
#include "tiny_bvh.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

using tinybvh::BLASInstance;
using tinybvh::BVH;
using tinybvh::BVH8_CPU;
using tinybvh::BVHBase;
using tinybvh::bvhvec3;
using tinybvh::bvhvec4;
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

template <typename Tree>
static float closest_hit(const Tree& tree, const float* origin, const float* direction, float t_max) {
    Ray ray = make(origin, direction, t_max);
    const float limit = ray.hit.t;
    tree.Intersect(ray);
    return ray.hit.t < limit ? ray.hit.t : INFINITY;
}

extern "C" float tinybvh_closest_hit(const BVH8_CPU* tree, const float* origin, const float* direction, float t_max) {
    return closest_hit(*tree, origin, direction, t_max);
}

extern "C" bool tinybvh_any_hit(const BVH8_CPU* tree, const float* origin, const float* direction, float t_max) {
    return tree->IsOccluded(make(origin, direction, t_max));
}

// A tree over instances of the trees of meshes. The library has but one layout for the former, its binary tree; of those for
// meshes that it takes below that, `BVH8_CPU` is the widest.
struct World {
    std::vector<BVHBase*> meshes;
    std::vector<BLASInstance> instances;
    BVH tree;
};

extern "C" World* tinybvh_world() { return new World; }

// The mesh's tree, from `tinybvh_build`, stays the caller's.
extern "C" void tinybvh_world_add_mesh(World* world, BVH8_CPU* mesh) { world->meshes.push_back(mesh); }

// `columns` has the images of the axes and of the origin.
extern "C" void tinybvh_world_add_instance(World* world, uint32_t mesh, const float* columns) {
    BLASInstance instance(mesh);
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++) instance.transform[4 * row + column] = columns[3 * column + row];
    world->instances.push_back(instance);
}

extern "C" void tinybvh_world_build(World* world) {
    world->tree.Build(world->instances.data(), uint32_t(world->instances.size()), world->meshes.data(),
                      uint32_t(world->meshes.size()));
}

extern "C" void tinybvh_world_free(World* world) { delete world; }

extern "C" float tinybvh_world_closest_hit(const World* world, const float* origin, const float* direction, float t_max) {
    return closest_hit(world->tree, origin, direction, t_max);
}

extern "C" bool tinybvh_world_any_hit(const World* world, const float* origin, const float* direction, float t_max) {
    return world->tree.IsOccluded(make(origin, direction, t_max));
}
