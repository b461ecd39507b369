// The functions of FCPW that the benchmarks need, in C; `fcpw.rs` loads them, README.md has the build command.

#include <fcpw/fcpw.h>

#include <cstddef>
#include <cstdint>
#include <vector>

using Scene = fcpw::Scene<3>;

static fcpw::Vector<3> vector(const float* numbers) { return {numbers[0], numbers[1], numbers[2]}; }

// Both arrays hold three numbers per item; they are read only during the call.
extern "C" Scene* fcpw_build(const float* positions, size_t vertices, const uint32_t* corners, size_t triangles) {
    std::vector<fcpw::Vector<3>> vectors;
    std::vector<fcpw::Vector3i> indices;
    for (size_t i = 0; i < vertices; i++) vectors.push_back(vector(positions + 3 * i));
    for (size_t i = 0; i < triangles; i++) {
        const uint32_t* abc = corners + 3 * i;
        indices.emplace_back(int(abc[0]), int(abc[1]), int(abc[2]));
    }
    auto scene = new Scene();
    scene->setObjectCount(1);
    scene->setObjectVertices(vectors, 0);
    scene->setObjectTriangles(indices, 0);
    scene->build(fcpw::AggregateType::Bvh_SurfaceArea, true);
    return scene;
}

extern "C" void fcpw_free(Scene* scene) { delete scene; }

extern "C" float fcpw_distance(const Scene* scene, const float* point) {
    fcpw::Interaction<3> found;
    return scene->findClosestPoint(vector(point), found) ? found.d : INFINITY;
}
