// Jolt's casts and overlaps, for casts.h.

#include <algorithm>

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

#include "casts.h"

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

static void release(Placed *placed) { delete placed; }
