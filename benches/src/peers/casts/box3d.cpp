// Box3D's casts and overlaps, for casts.h.

#include <vector>

#include <box3d/collision.h>

#include "casts.h"

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

static void release(Placed *placed) { delete placed; }
