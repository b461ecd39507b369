// The functions of FCL and of its fork coal that the benchmarks need, in C; `colliders.rs` loads them, README.md has
// the build commands: with -DCOAL for coal.
//
// Both have an OBB per node for collisions and an RSS for distances. A pose is a rotation by rows, then a translation.
//
// A level is meshes at poses that do not move, in a dynamic tree, of which one more mesh is asked.

#ifdef COAL
#include <coal/BVH/BVH_model.h>
#include <coal/broadphase/broadphase_callbacks.h>
#include <coal/broadphase/broadphase_dynamic_AABB_tree.h>
#include <coal/collision.h>
#include <coal/distance.h>
using Number = coal::CoalScalar;
using Point = coal::Vec3s;
using Triangle = coal::Triangle;
using Model = coal::BVHModel<coal::OBBRSS>;
using Placing = coal::Transform3s;
using Object = coal::CollisionObject;
using Manager = coal::DynamicAABBTreeCollisionManager;
using CollisionRequest = coal::CollisionRequest;
using CollisionResult = coal::CollisionResult;
using DistanceRequest = coal::DistanceRequest;
using DistanceResult = coal::DistanceResult;
#else
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>
using Number = double;
using Point = fcl::Vector3d;
using Triangle = fcl::Triangle;
using Model = fcl::BVHModel<fcl::OBBRSSd>;
using Placing = fcl::Transform3d;
using Object = fcl::CollisionObjectd;
using Manager = fcl::DynamicAABBTreeCollisionManagerd;
using CollisionRequest = fcl::CollisionRequestd;
using CollisionResult = fcl::CollisionResultd;
using DistanceRequest = fcl::DistanceRequestd;
using DistanceResult = fcl::DistanceResultd;
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

static Placing placing(const double* pose) {
    Eigen::Matrix<Number, 3, 3> rotation;
    rotation << pose[0], pose[1], pose[2], pose[3], pose[4], pose[5], pose[6], pose[7], pose[8];
    Placing made = Placing::Identity();
#ifdef COAL
    made.setRotation(rotation);
    made.setTranslation(Point(pose[9], pose[10], pose[11]));
#else
    made.linear() = rotation;
    made.translation() = Point(pose[9], pose[10], pose[11]);
#endif
    return made;
}

// For up to `most` contacts. Triangles within the margin, which FCL does not have, count as contacts.
static CollisionRequest asking(size_t most, double margin) {
    CollisionRequest request;
    request.num_max_contacts = most;
    request.enable_contact = false;
#ifdef COAL
    request.security_margin = margin;
    // Otherwise boxes within this distance would be opened for a better bound.
    request.break_distance = 0;
#else
    (void)margin;
#endif
    return request;
}

static void collide(CollisionResult& result, const Model* a, const Model* b, const double* pose, size_t most, double margin) {
    const CollisionRequest request = asking(most, margin);
#ifdef COAL
    coal::collide(a, Placing::Identity(), b, placing(pose), request, result);
#else
    fcl::collide(a, Placing::Identity(), b, placing(pose), request, result);
#endif
}

extern "C" Model* collider_build(const float* positions, size_t vertices, const uint32_t* corners, size_t triangles) {
    std::vector<Point> points;
    for (size_t i = 0; i < vertices; ++i) {
        points.emplace_back(positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]);
    }
    std::vector<Triangle> faces;
    for (size_t i = 0; i < triangles; ++i) {
        faces.emplace_back(corners[3 * i], corners[3 * i + 1], corners[3 * i + 2]);
    }
    auto model = new Model();
    model->beginModel();
    model->addSubModel(points, faces);
    model->endModel();
    return model;
}

extern "C" void collider_free(Model* model) { delete model; }

extern "C" double collider_distance(const Model* a, const Model* b, const double* pose) {
    DistanceRequest request;
    DistanceResult result;
#ifdef COAL
    request.enable_signed_distance = false;
    return coal::distance(a, Placing::Identity(), b, placing(pose), request, result);
#else
    return fcl::distance(a, Placing::Identity(), b, placing(pose), request, result);
#endif
}

extern "C" bool collider_collides(const Model* a, const Model* b, const double* pose) {
    CollisionResult result;
    collide(result, a, b, pose, 1, 0);
    return result.isCollision();
}

#ifdef COAL
extern "C" bool collider_within(const Model* a, const Model* b, const double* pose, double tolerance) {
    CollisionResult result;
    collide(result, a, b, pose, 1, tolerance);
    return result.isCollision();
}
#endif

extern "C" size_t collider_pairs(const Model* a, const Model* b, const double* pose, uint32_t* found, size_t capacity) {
    CollisionResult result;
    collide(result, a, b, pose, std::numeric_limits<size_t>::max(), 0);
    const size_t count = result.numContacts();
    for (size_t i = 0; i < count && i < capacity; ++i) {
        found[2 * i] = uint32_t(result.getContact(i).b1);
        found[2 * i + 1] = uint32_t(result.getContact(i).b2);
    }
    return count;
}

// Counts contacts, until there are enough.
#ifdef COAL
struct Counter : coal::CollisionCallBackBase {
#else
struct Counter {
#endif
    size_t most, count = 0;

    explicit Counter(size_t enough) : most(enough) {}
    bool add(Object* a, Object* b) {
        CollisionResult result;
#ifdef COAL
        coal::collide(a, b, asking(most, 0), result);
#else
        fcl::collide(a, b, asking(most, 0), result);
#endif
        count += result.numContacts();
        return count >= most;
    }
#ifdef COAL
    bool collide(Object* a, Object* b) override { return add(a, b); }
#endif
};

// Keeps the least distance.
#ifdef COAL
struct Nearest : coal::DistanceCallBackBase {
    Number least = std::numeric_limits<Number>::max();

    bool distance(Object* a, Object* b, Number& limit) override {
        DistanceRequest request;
        request.enable_signed_distance = false;
        DistanceResult result;
        least = std::min(least, coal::distance(a, b, request, result));
        limit = least;
        return least <= 0;
    }
};
#else
static bool add_contacts(Object* a, Object* b, void* counter) { return static_cast<Counter*>(counter)->add(a, b); }

static bool keep_nearest(Object* a, Object* b, void* least_of_all, double& limit) {
    auto& least = *static_cast<double*>(least_of_all);
    DistanceResult result;
    least = std::min(least, fcl::distance(a, b, DistanceRequest(), result));
    limit = least;
    return least <= 0;
}
#endif

static std::shared_ptr<Model> borrowed(Model* model) {
    model->computeLocalAABB();
    return {model, [](Model*) {}};
}

// The models must outlive it.
struct Level {
    std::vector<std::unique_ptr<Object>> objects;
    Manager manager;
    std::unique_ptr<Object> probe;

    void place(const double* pose) {
        probe->setTransform(placing(pose));
        probe->computeAABB();
    }

    size_t count(const double* pose, size_t most) {
        place(pose);
        Counter counter(most);
#ifdef COAL
        manager.collide(probe.get(), &counter);
#else
        manager.collide(probe.get(), &counter, add_contacts);
#endif
        return counter.count;
    }

    double distance(const double* pose) {
        place(pose);
#ifdef COAL
        Nearest nearest;
        manager.distance(probe.get(), &nearest);
        return nearest.least;
#else
        double least = std::numeric_limits<double>::max();
        manager.distance(probe.get(), &least, keep_nearest);
        return least;
#endif
    }
};

extern "C" Level* level_build(Model* const* meshes, size_t count, const uint32_t* mesh_of, const double* poses, size_t instances,
                              Model* probe) {
    std::vector<std::shared_ptr<Model>> shared;
    for (size_t i = 0; i < count; ++i) {
        shared.push_back(borrowed(meshes[i]));
    }
    auto level = new Level();
    std::vector<Object*> all;
    for (size_t i = 0; i < instances; ++i) {
        level->objects.emplace_back(new Object(shared[mesh_of[i]], placing(poses + 12 * i)));
        level->objects.back()->computeAABB();
        all.push_back(level->objects.back().get());
    }
    level->manager.registerObjects(all);
    level->manager.setup();
    level->probe.reset(new Object(borrowed(probe)));
    return level;
}

extern "C" bool level_meets(Level* level, const double* pose) { return level->count(pose, 1) > 0; }
extern "C" size_t level_pairs(Level* level, const double* pose) {
    return level->count(pose, std::numeric_limits<size_t>::max());
}
extern "C" double level_distance(Level* level, const double* pose) { return level->distance(pose); }
extern "C" void level_free(Level* level) { delete level; }
