// The functions of PQP 1.3 that the benchmarks need, in C; `colliders.rs` loads them, README.md has the build command.
//
// PQP has an OBB per node for collisions, which are RAPID's, and an RSS for distances. A pose is a rotation by rows,
// then a translation.

#include <PQP.h>

#include <cstddef>
#include <cstdint>

namespace {

// B's pose in A's space, in the form that PQP takes.
struct Placing {
    PQP_REAL rotation[3][3];
    PQP_REAL translation[3];

    explicit Placing(const double* pose) {
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) rotation[i][j] = pose[3 * i + j];
            translation[i] = pose[9 + i];
        }
    }

    static Placing origin() {
        const double identity[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
        return Placing(identity);
    }
};

void collide(PQP_CollideResult& result, PQP_Model* a, PQP_Model* b, const double* pose, int flag) {
    Placing still = Placing::origin(), moved(pose);
    PQP_Collide(&result, still.rotation, still.translation, a, moved.rotation, moved.translation, b, flag);
}

double distance(PQP_Model* a, PQP_Model* b, const double* pose) {
    Placing still = Placing::origin(), moved(pose);
    PQP_DistanceResult result;
    PQP_Distance(&result, still.rotation, still.translation, a, moved.rotation, moved.translation, b, 0, 0);
    return result.Distance();
}

}  // namespace

extern "C" PQP_Model* collider_build(const float* positions, size_t, const uint32_t* corners, size_t triangles) {
    auto model = new PQP_Model();
    model->BeginModel(int(triangles));
    for (size_t i = 0; i < triangles; ++i) {
        PQP_REAL points[3][3];
        for (int j = 0; j < 3; ++j) {
            for (int k = 0; k < 3; ++k) points[j][k] = positions[3 * size_t(corners[3 * i + j]) + k];
        }
        model->AddTri(points[0], points[1], points[2], int(i));
    }
    model->EndModel();
    return model;
}

extern "C" void collider_free(PQP_Model* model) { delete model; }

// PQP starts from the triangles that it found last; this starts from the first ones, as after the models were built.
extern "C" double collider_distance(PQP_Model* a, PQP_Model* b, const double* pose) {
    a->last_tri = a->tris;
    b->last_tri = b->tris;
    return distance(a, b, pose);
}

// Starts from the triangles found last, as PQP does by default.
extern "C" double collider_warm_distance(PQP_Model* a, PQP_Model* b, const double* pose) {
    return distance(a, b, pose);
}

extern "C" bool collider_within(PQP_Model* a, PQP_Model* b, const double* pose, double tolerance) {
    Placing still = Placing::origin(), moved(pose);
    PQP_ToleranceResult result;
    PQP_Tolerance(&result, still.rotation, still.translation, a, moved.rotation, moved.translation, b, tolerance);
    return result.CloserThanTolerance();
}

extern "C" bool collider_collides(PQP_Model* a, PQP_Model* b, const double* pose) {
    PQP_CollideResult result;
    collide(result, a, b, pose, PQP_FIRST_CONTACT);
    return result.Colliding();
}

extern "C" size_t collider_pairs(PQP_Model* a, PQP_Model* b, const double* pose, uint32_t* found, size_t capacity) {
    PQP_CollideResult result;
    collide(result, a, b, pose, PQP_ALL_CONTACTS);
    const size_t count = size_t(result.NumPairs());
    for (size_t i = 0; i < count && i < capacity; ++i) {
        found[2 * i] = uint32_t(result.Id1(int(i)));
        found[2 * i + 1] = uint32_t(result.Id2(int(i)));
    }
    return count;
}
