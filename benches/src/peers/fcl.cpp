// The functions of FCL and of its fork coal that the benchmarks need, in C; `colliders.rs` loads them, README.md has
// the build commands: with -DCOAL for coal.
//
// Both have an OBB per node for collisions and an RSS for distances. A pose is a rotation by rows, then a translation.

#ifdef COAL
#include <coal/BVH/BVH_model.h>
#include <coal/collision.h>
#include <coal/distance.h>
using Number = coal::CoalScalar;
using Point = coal::Vec3s;
using Triangle = coal::Triangle;
using Model = coal::BVHModel<coal::OBBRSS>;
using Placing = coal::Transform3s;
using CollisionRequest = coal::CollisionRequest;
using CollisionResult = coal::CollisionResult;
using DistanceRequest = coal::DistanceRequest;
using DistanceResult = coal::DistanceResult;
#else
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>
using Number = double;
using Point = fcl::Vector3d;
using Triangle = fcl::Triangle;
using Model = fcl::BVHModel<fcl::OBBRSSd>;
using Placing = fcl::Transform3d;
using CollisionRequest = fcl::CollisionRequestd;
using CollisionResult = fcl::CollisionResultd;
using DistanceRequest = fcl::DistanceRequestd;
using DistanceResult = fcl::DistanceResultd;
#endif

#include <cstddef>
#include <cstdint>
#include <limits>
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

// Up to `most` contacts. Triangles within the margin, which FCL does not have, count as contacts.
static void collide(CollisionResult& result, const Model* a, const Model* b, const double* pose, size_t most, double margin) {
    CollisionRequest request;
    request.num_max_contacts = most;
    request.enable_contact = false;
#ifdef COAL
    request.security_margin = margin;
    // Otherwise boxes within this distance would be opened for a better bound.
    request.break_distance = 0;
    coal::collide(a, Placing::Identity(), b, placing(pose), request, result);
#else
    (void)margin;
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
