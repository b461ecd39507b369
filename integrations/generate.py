#!/usr/bin/env python3
"""Makes an asset repository of 100 models for the test: generate.py MODELS FOLDER.

FOLDER/assets has scaled and moved copies of three sample models, some as glTF with a buffer beside it. FOLDER/list names them,
one a line: output, source, buffer or -, flags. Descriptions of the same build for Ninja, CMake, tup and Bazel stand beside it
and find the program and the rules in FOLDER/tools, which the test fills.
"""

import json
import os
import struct
import sys

# Most models are small: the test is about builds, not about time.
SHAPES = ["suzanne"] * 8 + ["spot", "teapot"]
FLAGS = ["", "--quality=fast", "--layout=small"]

# Bazel before 6 fetches these before it builds anything. No model needs them: rules of the same names, which it has, will do.
NATIVE = {
    "rules_cc": ("cc", "cc_binary cc_import cc_library cc_proto_library cc_test cc_toolchain cc_toolchain_suite"),
    "rules_java": ("java", "java_binary java_import java_library java_runtime java_test java_toolchain"),
    "rules_proto": ("proto", "proto_lang_toolchain proto_library"),
}


def read(path):
    """Vertices, and faces as indices of corners."""
    vertices, faces = [], []
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            words = line.split()
            if words[:1] == ["v"]:
                vertices.append([float(word) for word in words[1:4]])
            elif words[:1] == ["f"]:
                faces.append([int(word.split("/")[0]) - 1 for word in words[1:]])
    return vertices, faces


def write_obj(folder, name, vertices, faces):
    with open(f"{folder}/{name}.obj", "w", encoding="ascii") as file:
        for vertex in vertices:
            file.write("v %.7g %.7g %.7g\n" % tuple(vertex))
        for face in faces:
            file.write("f " + " ".join(str(corner + 1) for corner in face) + "\n")


def write_gltf(folder, name, vertices, faces):
    fans = [(face[0], a, b) for face in faces for a, b in zip(face[1:], face[2:])]
    buffer = b"".join(struct.pack("<3f", *vertex) for vertex in vertices)
    split = len(buffer)
    buffer += b"".join(struct.pack("<3I", *fan) for fan in fans)
    with open(f"{folder}/{name}.bin", "wb") as file:
        file.write(buffer)
    gltf = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(vertices), "type": "VEC3"},
            {"bufferView": 1, "componentType": 5125, "count": 3 * len(fans), "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": split},
            {"buffer": 0, "byteOffset": split, "byteLength": len(buffer) - split},
        ],
        "buffers": [{"uri": f"{name}.bin", "byteLength": len(buffer)}],
    }
    with open(f"{folder}/{name}.gltf", "w", encoding="ascii") as file:
        json.dump(gltf, file)


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def main():
    models, folder = sys.argv[1:]
    assets = f"{folder}/assets"
    os.makedirs(assets)
    shapes = {shape: read(f"{models}/{shape}.obj") for shape in set(SHAPES)}
    entries = []
    for number in range(100):
        vertices, faces = shapes[SHAPES[number % len(SHAPES)]]
        scale, shift = 1 + number / 64, number / 8
        placed = [[scale * x + shift, scale * y, scale * z] for x, y, z in vertices]
        name = "m%02d" % number
        if number % 5 == 0:
            write_gltf(assets, name, placed, faces)
            source, data = f"{name}.gltf", f"{name}.bin"
        else:
            write_obj(assets, name, placed, faces)
            source, data = f"{name}.obj", "-"
        entries.append((name, source, data, FLAGS[number % len(FLAGS)]))

    write(f"{folder}/list", "".join(f"{n} {s} {d} {f}\n" for n, s, d, f in entries))
    write(
        f"{folder}/build.ninja",
        "include tools/ninja/bvhc.ninja\nbvhc = tools/bvhc\n"
        + "".join(f"build out/{n}.bvh: bvhc assets/{s}\n  bvhc_flags = {f}\n" for n, s, _, f in entries),
    )
    calls = [
        "bvhc_add_models(models%d OUT_DIR out FLAGS %s MODELS\n    %s)\n"
        % (number, flag, "\n    ".join(f"assets/{s}" for _, s, _, f in entries if f == flag))
        for number, flag in enumerate(FLAGS)
    ]
    write(
        f"{folder}/CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.21)\nproject(assets NONE)\ninclude(tools/cmake/Bvhc.cmake)\n" + "".join(calls),
    )
    # The outputs of tup go to a folder of their own, which has the Tupfile.
    os.makedirs(f"{folder}/out")
    rules = [f": ../assets/{s} |> ../tools/bvhc %f -o %o --hermetic --quiet {f} |> {n}.bvh\n" for n, s, _, f in entries]
    write(f"{folder}/out/Tupfile", "".join(rules))
    rules = [
        'bvhc_model(name = "%s", src = "%s"%s%s)\n'
        % (n, s, "" if d == "-" else f', data = ["{d}"]', f', flags = ["{f}"]' if f else "")
        for n, s, d, f in entries
    ]
    write(f"{assets}/BUILD.bazel", 'load("@bvhc//:defs.bzl", "bvhc_model")\n\n' + "".join(rules))
    write(
        f"{folder}/BUILD.bazel",
        'load("@bvhc//:defs.bzl", "bvhc_toolchain")\n\n'
        'bvhc_toolchain(name = "static", bvhc = "tools/bvhc")\n\n'
        'toolchain(name = "bvhc", toolchain = ":static", toolchain_type = "@bvhc//:toolchain_type")\n',
    )
    write(
        f"{folder}/MODULE.bazel",
        'bazel_dep(name = "bvhc", version = "0.1.0")\n'
        'local_path_override(module_name = "bvhc", path = "tools/bazel")\n'
        'register_toolchains("//:bvhc")\n',
    )
    workspace = 'local_repository(name = "bvhc", path = "tools/bazel")\n\nregister_toolchains("//:bvhc")\n'
    for repository, (package, rules) in NATIVE.items():
        stub = f"{folder}/native/{repository}"
        os.makedirs(f"{stub}/{package}")
        write(f"{stub}/WORKSPACE", "")
        write(f"{stub}/{package}/BUILD.bazel", 'toolchain_type(name = "toolchain_type")\n')
        write(f"{stub}/{package}/defs.bzl", "".join(f"{rule} = native.{rule}\n" for rule in rules.split()))
        workspace += f'local_repository(name = "{repository}", path = "native/{repository}")\n'
    write(f"{folder}/WORKSPACE", workspace)


main()
