// Opens a raw NanoVDB grid with NanoVDB's own headers, checks it, and prints the values of voxels.
//
//     nanovdb GRID < voxels
//
// prints the count of active voxels and the width of a voxel, then one value for each line `x y z` of input.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

#include <nanovdb/NanoVDB.h>
#include <nanovdb/util/GridValidator.h>

int main(int, char** arguments) {
    std::ifstream file(arguments[1], std::ios::binary);
    std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    void* memory = std::aligned_alloc(NANOVDB_DATA_ALIGNMENT, (bytes.size() + 31) / 32 * 32);
    std::memcpy(memory, bytes.data(), bytes.size());
    auto* grid = static_cast<const nanovdb::NanoGrid<float>*>(memory);
    if (!nanovdb::isValid(*grid, true, true) || !grid->isLevelSet() || grid->gridSize() != bytes.size()) {
        return 1;
    }
    std::printf("%llu %.17g\n", (unsigned long long)grid->activeVoxelCount(), grid->voxelSize()[0]);
    auto accessor = grid->getAccessor();
    for (int x, y, z; std::scanf("%d %d %d", &x, &y, &z) == 3;) {
        std::printf("%.9g %d\n", accessor.getValue({x, y, z}), int(accessor.isActive({x, y, z})));
    }
    std::free(memory);
}
