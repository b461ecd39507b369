// PhysX's sweeps and overlaps, for casts.h.

#include <cstdlib>
#include <vector>

#include <foundation/PxPhysicsVersion.h>
#include <cooking/PxCooking.h>
#include <foundation/PxErrorCallback.h>
#include <foundation/PxFoundation.h>
#include <foundation/PxMathUtils.h>
#include <geometry/PxBoxGeometry.h>
#include <geometry/PxCapsuleGeometry.h>
#include <geometry/PxConvexMesh.h>
#include <geometry/PxConvexMeshGeometry.h>
#include <geometry/PxGeometryHelpers.h>
#include <geometry/PxGeometryHit.h>
#include <geometry/PxGeometryQuery.h>
#include <geometry/PxSphereGeometry.h>
#include <geometry/PxTriangleMesh.h>
#include <geometry/PxTriangleMeshGeometry.h>

#include "casts.h"

using namespace physx;

struct Mesh {
    PxTriangleMesh *mesh;

    PxTriangleMeshGeometry geometry() const {
        return PxTriangleMeshGeometry(mesh, PxMeshScale(), PxMeshGeometryFlag::eDOUBLE_SIDED);
    }
};

struct Placed {
    PxGeometryHolder shape;
    PxTransform at;
};

// The caller's floating-point state is left as it is.
static const PxGeometryQueryFlags PLAIN(0);

// Its extensions, which have one, need all of the engine.
struct Allocator : PxAllocatorCallback {
    void *allocate(size_t size, const char *, const char *, int) override { return aligned_alloc(16, (size + 15) & ~size_t(15)); }
    void deallocate(void *at) override { free(at); }
};

struct Silent : PxErrorCallback {
    void reportError(PxErrorCode::Enum, const char *, const char *, int) override {}
};

static const PxCookingParams &parameters() {
    static Allocator allocator;
    static Silent silent;
    static PxFoundation *foundation = PxCreateFoundation(PX_PHYSICS_VERSION, allocator, silent);
    static PxCookingParams parameters{PxTolerancesScale()};
    (void)foundation;
    return parameters;
}

static PxVec3 vector(const float *x) { return PxVec3(x[0], x[1], x[2]); }

static Mesh *build(const float *positions, size_t vertices, const uint32_t *corners, size_t triangles) {
    const PxCookingParams &how = parameters();
    PxTriangleMeshDesc desc;
    desc.points.count = PxU32(vertices);
    desc.points.stride = sizeof(float) * 3;
    desc.points.data = positions;
    desc.triangles.count = PxU32(triangles);
    desc.triangles.stride = sizeof(uint32_t) * 3;
    desc.triangles.data = corners;
    PxTriangleMesh *mesh = PxCreateTriangleMesh(how, desc, *PxGetStandaloneInsertionCallback());
    return mesh ? new Mesh{mesh} : nullptr;
}

static Placed *place(Kind kind, const float *points, size_t count, float radius) {
    PxVec3 first = vector(points);
    if (kind == BALL) return new Placed{PxSphereGeometry(radius), PxTransform(first)};
    if (kind == BOX) return new Placed{PxBoxGeometry(vector(points + 3)), PxTransform(first)};
    if (kind == CAPSULE) {
        PxVec3 along = vector(points + 3) - first;
        PxQuat turn = PxShortestRotation(PxVec3(1.0f, 0.0f, 0.0f), along.getNormalized());
        return new Placed{PxCapsuleGeometry(radius, 0.5f * along.magnitude()), PxTransform(first + 0.5f * along, turn)};
    }
    std::vector<PxVec3> offsets;
    for (size_t i = 0; i < count; i++) offsets.push_back(vector(points + 3 * i) - first);
    PxConvexMeshDesc desc;
    desc.points.count = PxU32(count);
    desc.points.stride = sizeof(PxVec3);
    desc.points.data = offsets.data();
    desc.flags = PxConvexFlag::eCOMPUTE_CONVEX;
    PxConvexMesh *hull = PxCreateConvexMesh(parameters(), desc, *PxGetStandaloneInsertionCallback());
    return hull ? new Placed{PxConvexMeshGeometry(hull), PxTransform(first)} : nullptr;
}

static float cast(const Mesh &mesh, const Placed &placed, const float *displacement) {
    PxVec3 way = vector(displacement);
    float length = way.normalize();
    PxGeomSweepHit hit;
    PxHitFlags asked = PxHitFlag::eDEFAULT | PxHitFlag::eMESH_BOTH_SIDES;
    bool is_hit = PxGeometryQuery::sweep(way, length, placed.shape.any(), placed.at, mesh.geometry(), PxTransform(PxIdentity), hit,
                                         asked, 0.0f, PLAIN);
    return is_hit ? hit.distance / length : INFINITY;
}

static bool overlaps(const Mesh &mesh, const Placed &placed) {
    return PxGeometryQuery::overlap(placed.shape.any(), placed.at, mesh.geometry(), PxTransform(PxIdentity), PLAIN);
}

static void release(Mesh *mesh) {
    mesh->mesh->release();
    delete mesh;
}

static void release(Placed *placed) {
    if (placed->shape.getType() == PxGeometryType::eCONVEXMESH) placed->shape.convexMesh().convexMesh->release();
    delete placed;
}
