// Convex shapes against a mesh by Jolt (-DJOLT) or Box3D (-DBOX3D), for casts.rs; README.md has the commands.
//
// A shape is its points and a radius: one for a ball, two for a capsule, more for a hull; a box has its centre and half its edges.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

enum Kind { BALL, CAPSULE, BOX, HULL };

#ifdef JOLT

#include <Jolt/Jolt.h>

#include <Jolt/Physics/Collision/CastResult.h>
#include <Jolt/Physics/Collision/CollideShape.h>
#include <Jolt/Physics/Collision/CollisionCollectorImpl.h>
#include <Jolt/Physics/Collision/CollisionDispatch.h>
#include <Jolt/Physics/Collision/Shape/BoxShape.h>
#include <Jolt/Physics/Collision/Shape/CapsuleShape.h>
#include <Jolt/Physics/Collision/Shape/ConvexHullShape.h>
#include <Jolt/Physics/Collision/Shape/MeshShape.h>
#include <Jolt/Physics/Collision/Shape/SphereShape.h>
#include <Jolt/Physics/Collision/ShapeCast.h>

using namespace JPH;

struct Mesh {
    ShapeRefC shape;
};

struct Placed {
    ShapeRefC shape;
    Mat44 at;
};

static void prepare() {
    static bool done = [] {
        RegisterDefaultAllocator();
        CollisionDispatch::sInit();
        ConvexShape::sRegister();
        SphereShape::sRegister();
        BoxShape::sRegister();
        CapsuleShape::sRegister();
        ConvexHullShape::sRegister();
        MeshShape::sRegister();
        return true;
    }();
    (void)done;
}

static Mesh *build(const float *positions, size_t vertices, const uint32_t *corners, size_t triangles) {
    prepare();
    VertexList list;
    for (size_t i = 0; i < vertices; i++) list.push_back(Float3(positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]));
    IndexedTriangleList faces;
    for (size_t i = 0; i < triangles; i++) faces.push_back(IndexedTriangle(corners[3 * i], corners[3 * i + 1], corners[3 * i + 2], 0));
    ShapeSettings::ShapeResult made = MeshShapeSettings(std::move(list), std::move(faces)).Create();
    return made.HasError() ? nullptr : new Mesh{made.Get()};
}

static Vec3 vector(const float *x) { return Vec3(x[0], x[1], x[2]); }

static Placed *place(Kind kind, const float *points, size_t count, float radius) {
    Vec3 first = vector(points);
    if (kind == BALL) return new Placed{new SphereShape(radius), Mat44::sTranslation(first)};
    if (kind == BOX) return new Placed{new BoxShape(vector(points + 3), 0.0f), Mat44::sTranslation(first)};
    if (kind == CAPSULE) {
        Vec3 along = vector(points + 3) - first;
        Quat turn = Quat::sFromTo(Vec3::sAxisY(), along.Normalized());
        Mat44 at = Mat44::sRotationTranslation(turn, first + 0.5f * along);
        return new Placed{new CapsuleShape(0.5f * along.Length(), radius), at};
    }
    Array<Vec3> offsets;
    float size = 0.0f;
    for (size_t i = 0; i < count; i++) {
        offsets.push_back(vector(points + 3 * i) - first);
        size = std::max(size, offsets.back().Length());
    }
    ConvexHullShapeSettings settings(offsets, 0.0f);
    // An absolute length, made for shapes of about a metre.
    settings.mHullTolerance *= size;
    ShapeSettings::ShapeResult made = settings.Create();
    if (made.HasError()) return nullptr;
    return new Placed{made.Get(), Mat44::sTranslation(first + made.Get()->GetCenterOfMass())};
}

static float cast(const Mesh &mesh, const Placed &placed, const float *displacement) {
    ShapeCastSettings settings;
    settings.SetBackFaceMode(EBackFaceMode::CollideWithBackFaces);
    ClosestHitCollisionCollector<CastShapeCollector> hit;
    ShapeCast moving(placed.shape, Vec3::sOne(), placed.at, vector(displacement));
    CollisionDispatch::sCastShapeVsShapeLocalSpace(moving, settings, mesh.shape, Vec3::sOne(), ShapeFilter(), Mat44::sIdentity(),
                                                   SubShapeIDCreator(), SubShapeIDCreator(), hit);
    return hit.HadHit() ? hit.mHit.mFraction : INFINITY;
}

static bool overlaps(const Mesh &mesh, const Placed &placed) {
    CollideShapeSettings settings;
    settings.mBackFaceMode = EBackFaceMode::CollideWithBackFaces;
    AnyHitCollisionCollector<CollideShapeCollector> hit;
    CollisionDispatch::sCollideShapeVsShape(placed.shape, mesh.shape, Vec3::sOne(), Vec3::sOne(), placed.at, Mat44::sIdentity(),
                                            SubShapeIDCreator(), SubShapeIDCreator(), settings, hit);
    return hit.HadHit();
}

static void release(Mesh *mesh) { delete mesh; }

#else

#include <box3d/collision.h>

struct Mesh {
    b3Mesh mesh;
};

struct Placed {
    std::vector<b3Vec3> points;
    float radius;

    b3ShapeProxy proxy() const { return {points.data(), int(points.size()), radius}; }
};

static Mesh *build(const float *positions, size_t vertices, const uint32_t *corners, size_t triangles) {
    std::vector<b3Vec3> list;
    for (size_t i = 0; i < vertices; i++) list.push_back({positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]});
    std::vector<int32_t> indices(corners, corners + 3 * triangles);
    std::vector<uint8_t> materials(triangles, 0);
    b3MeshDef def = {};
    def.vertices = list.data();
    def.indices = indices.data();
    def.materialIndices = materials.data();
    def.vertexCount = int(vertices);
    def.triangleCount = int(triangles);
    b3MeshData *data = b3CreateMesh(&def, nullptr, 0);
    return data ? new Mesh{{data, {1.0f, 1.0f, 1.0f}}} : nullptr;
}

static Placed *place(Kind kind, const float *points, size_t count, float radius) {
    Placed *placed = new Placed{{}, kind == BOX ? 0.0f : radius};
    if (kind == BOX) {
        for (int corner = 0; corner < 8; corner++) {
            float at[3];
            for (int axis = 0; axis < 3; axis++) at[axis] = points[axis] + (corner >> axis & 1 ? 1.0f : -1.0f) * points[3 + axis];
            placed->points.push_back({at[0], at[1], at[2]});
        }
        return placed;
    }
    for (size_t i = 0; i < count; i++) placed->points.push_back({points[3 * i], points[3 * i + 1], points[3 * i + 2]});
    return placed;
}

static float cast(const Mesh &mesh, const Placed &placed, const float *displacement) {
    b3ShapeCastInput input = {placed.proxy(), {displacement[0], displacement[1], displacement[2]}, 1.0f, false};
    b3CastOutput output = b3ShapeCastMesh(&mesh.mesh, &input);
    return output.hit ? output.fraction : INFINITY;
}

static bool overlaps(const Mesh &mesh, const Placed &placed) {
    b3ShapeProxy proxy = placed.proxy();
    return b3OverlapMesh(&mesh.mesh, b3Transform_identity, &proxy);
}

static void release(Mesh *mesh) {
    b3DestroyMesh(const_cast<b3MeshData *>(mesh->mesh.data));
    delete mesh;
}

#endif

extern "C" {

// Null if the library refuses it.
Mesh *casts_build(const float *positions, size_t vertices, const uint32_t *corners, size_t triangles) {
    return build(positions, vertices, corners, triangles);
}

void casts_free(Mesh *mesh) { release(mesh); }

// Null if the library refuses it. A box has two points: its centre, and half its edges.
Placed *casts_place(int kind, const float *points, size_t count, float radius) { return place(Kind(kind), points, count, radius); }

void casts_free_placed(Placed *placed) { delete placed; }

// The time of the first contact up to 1; infinite without one.
float casts_cast(const Mesh *mesh, const Placed *placed, const float *displacement) { return cast(*mesh, *placed, displacement); }

bool casts_overlaps(const Mesh *mesh, const Placed *placed) { return overlaps(*mesh, *placed); }
}
