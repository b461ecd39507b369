"""Which points are inside, by libigl's fast winding numbers and by Open3D's occupancy, on one thread.

`inside.rs` runs it: `python inside.py <folder> <library> <rounds>`. The folder has vertices (f32), triangles (u32) and points
(f32). Prints the least seconds of the rounds for all points, and writes a byte for each: 1 where the point is inside.
"""

import os
import sys
import time

# Read when the libraries are loaded.
os.environ["IGL_NUM_THREADS"] = "1"

import numpy as np


def of_libigl(vertices, triangles):
    import igl

    tree = igl.FastWindingNumberBVH()
    # Order 2 is what libigl itself uses; so is the accuracy 2.
    tree.init(vertices.astype(np.float64), triangles.astype(np.int64), 2)

    def prepare(points):
        points = points.astype(np.float64)
        return lambda: tree.winding_number(points, 2.0)

    return prepare, lambda numbers: np.round(numbers) != 0


def of_open3d(vertices, triangles):
    import open3d

    scene = open3d.t.geometry.RaycastingScene(nthreads=1)
    scene.add_triangles(open3d.core.Tensor(vertices), open3d.core.Tensor(triangles))

    def prepare(points):
        points = open3d.core.Tensor(points)
        return lambda: scene.compute_occupancy(points, nthreads=1)

    return prepare, lambda occupancy: occupancy.numpy() != 0


def main():
    folder, library, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    read = lambda name, kind: np.fromfile(os.path.join(folder, name), kind).reshape(-1, 3)
    make = {"libigl": of_libigl, "open3d": of_open3d}[library]
    prepare, decide = make(read("vertices", np.float32), read("triangles", np.uint32))
    ask = prepare(read("points", np.float32))
    least = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        answers = ask()
        least = min(least, time.process_time() - start)
    decide(answers).astype(np.uint8).tofile(os.path.join(folder, library))
    print(least)


main()
