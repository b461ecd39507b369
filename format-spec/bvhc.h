/* The records of bvhc files; FORMAT.md says what they mean. Generated from the Rust records by the test `declarations`
 * (BVHC_BLESS=1): change those. Files are little-endian, and so must be the machine. C11 or C++11. */
#ifndef BVHC_H
#define BVHC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define BVHC_ASSERT(condition, text) static_assert(condition, text)
#else
#define BVHC_ASSERT(condition, text) _Static_assert(condition, text)
#endif

/* Element i of a slice is at `distance` + i * sizeof(element) from the first byte of this field. */
typedef struct bvhc_slice {
    int64_t distance;
    uint64_t count;
} bvhc_slice;
BVHC_ASSERT(sizeof(bvhc_slice) == 16, "bvhc_slice");

#define BVHC_MAGIC {0xAB, 0x42, 0x56, 0x48, 0x43, 0x4F, 0x4D, 0xBB, 0x0D, 0x0A, 0x1A, 0x0A}
#define BVHC_VERSION_MAJOR 3
#define BVHC_VERSION_MINOR 0
#define BVHC_ALIGNMENT 64
#define BVHC_MAX_DEPTH 96
#define BVHC_NONE 0xFFFFFFFFu

/* Kinds of sections. */
#define BVHC_KIND_METADATA 1u
#define BVHC_KIND_GEOMETRY 2u
#define BVHC_KIND_SPLITS 3u
#define BVHC_KIND_PACKED_BLOCKS 4u
#define BVHC_KIND_HULL 5u
#define BVHC_KIND_SAMPLES 6u
#define BVHC_KIND_SOLID 7u
#define BVHC_KIND_EDGES 8u
#define BVHC_KIND_INTERSECTIONS 10u
#define BVHC_KIND_FIELD 9u
#define BVHC_KIND_AABB_TREE 16u
#define BVHC_KIND_OBB_TREE 17u
#define BVHC_KIND_KDOP_TREE 18u
#define BVHC_KIND_SWEPT_TREE 19u
#define BVHC_KIND_HULL_TREE 20u
#define BVHC_KIND_WORLD 32u
#define BVHC_KIND_LINKED_MESHES 33u
#define BVHC_KIND_VENDORS 0x80000000u /* and above */

/* Bits. */
#define BVHC_SECTION_REQUIRED 0x1u /* in bvhc_section_entry.flags */
#define BVHC_INSTANCE_MIRROR 0x1u /* in bvhc_instance.flags: x becomes -x, before the scale */
#define BVHC_INSTANCE_MOVABLE 0x2u /* in bvhc_instance.flags */
#define BVHC_BLOCK_BIT 0x80000000u /* in bvhc_wide_node.children: a block or a world's leaf */

/* Header: 64 bytes, aligned to 64. */
typedef struct bvhc_header {
    uint8_t magic[12]; /* 0 */
    uint16_t major; /* 12 */
    uint16_t minor; /* 14 */
    uint64_t length; /* 16 */
    uint32_t required_features; /* 24 */
    uint32_t sections; /* 28 */
    uint8_t hash[32]; /* 32 */
} bvhc_header;
BVHC_ASSERT(sizeof(bvhc_header) == 64, "bvhc_header");
BVHC_ASSERT(offsetof(bvhc_header, magic) == 0, "bvhc_header.magic");
BVHC_ASSERT(offsetof(bvhc_header, major) == 12, "bvhc_header.major");
BVHC_ASSERT(offsetof(bvhc_header, minor) == 14, "bvhc_header.minor");
BVHC_ASSERT(offsetof(bvhc_header, length) == 16, "bvhc_header.length");
BVHC_ASSERT(offsetof(bvhc_header, required_features) == 24, "bvhc_header.required_features");
BVHC_ASSERT(offsetof(bvhc_header, sections) == 28, "bvhc_header.sections");
BVHC_ASSERT(offsetof(bvhc_header, hash) == 32, "bvhc_header.hash");

/* SectionEntry: 64 bytes, aligned to 64. */
typedef struct bvhc_section_entry {
    uint32_t kind; /* 0 */
    uint16_t version; /* 4 */
    uint16_t flags; /* 6 */
    uint64_t offset; /* 8 */
    uint64_t length; /* 16 */
    uint32_t alignment; /* 24 */
    uint32_t mesh; /* 28 */
    uint8_t hash[32]; /* 32 */
} bvhc_section_entry;
BVHC_ASSERT(sizeof(bvhc_section_entry) == 64, "bvhc_section_entry");
BVHC_ASSERT(offsetof(bvhc_section_entry, kind) == 0, "bvhc_section_entry.kind");
BVHC_ASSERT(offsetof(bvhc_section_entry, version) == 4, "bvhc_section_entry.version");
BVHC_ASSERT(offsetof(bvhc_section_entry, flags) == 6, "bvhc_section_entry.flags");
BVHC_ASSERT(offsetof(bvhc_section_entry, offset) == 8, "bvhc_section_entry.offset");
BVHC_ASSERT(offsetof(bvhc_section_entry, length) == 16, "bvhc_section_entry.length");
BVHC_ASSERT(offsetof(bvhc_section_entry, alignment) == 24, "bvhc_section_entry.alignment");
BVHC_ASSERT(offsetof(bvhc_section_entry, mesh) == 28, "bvhc_section_entry.mesh");
BVHC_ASSERT(offsetof(bvhc_section_entry, hash) == 32, "bvhc_section_entry.hash");

/* PackedHead: 20 bytes, aligned to 8. */
typedef struct bvhc_packed_head {
    float origin[3]; /* 0 */
    uint32_t first; /* 12 */
    uint8_t exponent; /* 16 */
    uint8_t counts; /* 17 */
    uint16_t split; /* 18 */
} bvhc_packed_head;
BVHC_ASSERT(sizeof(bvhc_packed_head) == 20, "bvhc_packed_head");
BVHC_ASSERT(offsetof(bvhc_packed_head, origin) == 0, "bvhc_packed_head.origin");
BVHC_ASSERT(offsetof(bvhc_packed_head, first) == 12, "bvhc_packed_head.first");
BVHC_ASSERT(offsetof(bvhc_packed_head, exponent) == 16, "bvhc_packed_head.exponent");
BVHC_ASSERT(offsetof(bvhc_packed_head, counts) == 17, "bvhc_packed_head.counts");
BVHC_ASSERT(offsetof(bvhc_packed_head, split) == 18, "bvhc_packed_head.split");

/* Names: 32 bytes, aligned to 8. */
typedef struct bvhc_names {
    bvhc_slice text; /* 0 of u8 */
    bvhc_slice ends; /* 16 of u32 */
} bvhc_names;
BVHC_ASSERT(sizeof(bvhc_names) == 32, "bvhc_names");
BVHC_ASSERT(offsetof(bvhc_names, text) == 0, "bvhc_names.text");
BVHC_ASSERT(offsetof(bvhc_names, ends) == 16, "bvhc_names.ends");

/* TreeStatistics: 48 bytes, aligned to 8. */
typedef struct bvhc_tree_statistics {
    uint32_t kind; /* 0 */
    uint32_t depth; /* 4 */
    uint64_t nodes; /* 8 */
    uint64_t leaves; /* 16 */
    uint64_t references; /* 24 */
    float sah_cost; /* 32 */
    float node_fill; /* 36 */
    float block_fill; /* 40 */
    uint32_t reserved; /* 44 */
} bvhc_tree_statistics;
BVHC_ASSERT(sizeof(bvhc_tree_statistics) == 48, "bvhc_tree_statistics");
BVHC_ASSERT(offsetof(bvhc_tree_statistics, kind) == 0, "bvhc_tree_statistics.kind");
BVHC_ASSERT(offsetof(bvhc_tree_statistics, depth) == 4, "bvhc_tree_statistics.depth");
BVHC_ASSERT(offsetof(bvhc_tree_statistics, nodes) == 8, "bvhc_tree_statistics.nodes");
BVHC_ASSERT(offsetof(bvhc_tree_statistics, leaves) == 16, "bvhc_tree_statistics.leaves");
BVHC_ASSERT(offsetof(bvhc_tree_statistics, references) == 24, "bvhc_tree_statistics.references");
BVHC_ASSERT(offsetof(bvhc_tree_statistics, sah_cost) == 32, "bvhc_tree_statistics.sah_cost");
BVHC_ASSERT(offsetof(bvhc_tree_statistics, node_fill) == 36, "bvhc_tree_statistics.node_fill");
BVHC_ASSERT(offsetof(bvhc_tree_statistics, block_fill) == 40, "bvhc_tree_statistics.block_fill");
BVHC_ASSERT(offsetof(bvhc_tree_statistics, reserved) == 44, "bvhc_tree_statistics.reserved");

/* InputFile: 40 bytes, aligned to 8. */
typedef struct bvhc_input_file {
    uint8_t hash[32]; /* 0 */
    uint64_t length; /* 32 */
} bvhc_input_file;
BVHC_ASSERT(sizeof(bvhc_input_file) == 40, "bvhc_input_file");
BVHC_ASSERT(offsetof(bvhc_input_file, hash) == 0, "bvhc_input_file.hash");
BVHC_ASSERT(offsetof(bvhc_input_file, length) == 32, "bvhc_input_file.length");

/* Block: 256 bytes, aligned to 64. */
typedef struct bvhc_block {
    float positions[3][16]; /* 0 */
    uint8_t corners[3][16]; /* 192 */
    uint32_t first; /* 240 */
    uint8_t triangles; /* 244 */
    uint8_t vertices; /* 245 */
    uint16_t split; /* 246 */
    uint8_t reserved[8]; /* 248 */
} bvhc_block;
BVHC_ASSERT(sizeof(bvhc_block) == 256, "bvhc_block");
BVHC_ASSERT(offsetof(bvhc_block, positions) == 0, "bvhc_block.positions");
BVHC_ASSERT(offsetof(bvhc_block, corners) == 192, "bvhc_block.corners");
BVHC_ASSERT(offsetof(bvhc_block, first) == 240, "bvhc_block.first");
BVHC_ASSERT(offsetof(bvhc_block, triangles) == 244, "bvhc_block.triangles");
BVHC_ASSERT(offsetof(bvhc_block, vertices) == 245, "bvhc_block.vertices");
BVHC_ASSERT(offsetof(bvhc_block, split) == 246, "bvhc_block.split");
BVHC_ASSERT(offsetof(bvhc_block, reserved) == 248, "bvhc_block.reserved");

/* AttributeRun: 16 bytes, aligned to 4. */
typedef struct bvhc_attribute_run {
    uint32_t first_triangle; /* 0 */
    uint32_t material; /* 4 */
    uint32_t group; /* 8 */
    uint32_t object; /* 12 */
} bvhc_attribute_run;
BVHC_ASSERT(sizeof(bvhc_attribute_run) == 16, "bvhc_attribute_run");
BVHC_ASSERT(offsetof(bvhc_attribute_run, first_triangle) == 0, "bvhc_attribute_run.first_triangle");
BVHC_ASSERT(offsetof(bvhc_attribute_run, material) == 4, "bvhc_attribute_run.material");
BVHC_ASSERT(offsetof(bvhc_attribute_run, group) == 8, "bvhc_attribute_run.group");
BVHC_ASSERT(offsetof(bvhc_attribute_run, object) == 12, "bvhc_attribute_run.object");

/* FaceCorners: 16 bytes, aligned to 4. */
typedef struct bvhc_face_corners {
    uint32_t triangle; /* 0 */
    uint32_t corners[3]; /* 4 */
} bvhc_face_corners;
BVHC_ASSERT(sizeof(bvhc_face_corners) == 16, "bvhc_face_corners");
BVHC_ASSERT(offsetof(bvhc_face_corners, triangle) == 0, "bvhc_face_corners.triangle");
BVHC_ASSERT(offsetof(bvhc_face_corners, corners) == 4, "bvhc_face_corners.corners");

/* PairLeaf: 16 bytes, aligned to 16. */
typedef struct bvhc_pair_leaf {
    uint32_t addresses[4]; /* 0 */
} bvhc_pair_leaf;
BVHC_ASSERT(sizeof(bvhc_pair_leaf) == 16, "bvhc_pair_leaf");
BVHC_ASSERT(offsetof(bvhc_pair_leaf, addresses) == 0, "bvhc_pair_leaf.addresses");

/* HullVertex: 16 bytes, aligned to 16. */
typedef struct bvhc_hull_vertex {
    float position[3]; /* 0 */
    uint32_t end; /* 12 */
} bvhc_hull_vertex;
BVHC_ASSERT(sizeof(bvhc_hull_vertex) == 16, "bvhc_hull_vertex");
BVHC_ASSERT(offsetof(bvhc_hull_vertex, position) == 0, "bvhc_hull_vertex.position");
BVHC_ASSERT(offsetof(bvhc_hull_vertex, end) == 12, "bvhc_hull_vertex.end");

/* SampleNode: 64 bytes, aligned to 64. */
typedef struct bvhc_sample_node {
    float position[3][4]; /* 0 */
    uint32_t triangles[4]; /* 48 */
} bvhc_sample_node;
BVHC_ASSERT(sizeof(bvhc_sample_node) == 64, "bvhc_sample_node");
BVHC_ASSERT(offsetof(bvhc_sample_node, position) == 0, "bvhc_sample_node.position");
BVHC_ASSERT(offsetof(bvhc_sample_node, triangles) == 48, "bvhc_sample_node.triangles");

/* BoundaryEdges: 192 bytes, aligned to 64. */
typedef struct bvhc_boundary_edges {
    float from[3][8]; /* 0 */
    float to[3][8]; /* 96 */
} bvhc_boundary_edges;
BVHC_ASSERT(sizeof(bvhc_boundary_edges) == 192, "bvhc_boundary_edges");
BVHC_ASSERT(offsetof(bvhc_boundary_edges, from) == 0, "bvhc_boundary_edges.from");
BVHC_ASSERT(offsetof(bvhc_boundary_edges, to) == 96, "bvhc_boundary_edges.to");

/* TriangleEdges: 36 bytes, aligned to 4. */
typedef struct bvhc_triangle_edges {
    uint32_t neighbours[3]; /* 0 */
    uint16_t convex[6]; /* 12 */
    uint16_t concave[6]; /* 24 */
} bvhc_triangle_edges;
BVHC_ASSERT(sizeof(bvhc_triangle_edges) == 36, "bvhc_triangle_edges");
BVHC_ASSERT(offsetof(bvhc_triangle_edges, neighbours) == 0, "bvhc_triangle_edges.neighbours");
BVHC_ASSERT(offsetof(bvhc_triangle_edges, convex) == 12, "bvhc_triangle_edges.convex");
BVHC_ASSERT(offsetof(bvhc_triangle_edges, concave) == 24, "bvhc_triangle_edges.concave");

/* FieldNode: 24 bytes, aligned to 8. */
typedef struct bvhc_field_node {
    uint64_t stored; /* 0 */
    uint64_t inside; /* 8 */
    uint32_t first; /* 16 */
    float error; /* 20 */
} bvhc_field_node;
BVHC_ASSERT(sizeof(bvhc_field_node) == 24, "bvhc_field_node");
BVHC_ASSERT(offsetof(bvhc_field_node, stored) == 0, "bvhc_field_node.stored");
BVHC_ASSERT(offsetof(bvhc_field_node, inside) == 8, "bvhc_field_node.inside");
BVHC_ASSERT(offsetof(bvhc_field_node, first) == 16, "bvhc_field_node.first");
BVHC_ASSERT(offsetof(bvhc_field_node, error) == 20, "bvhc_field_node.error");

/* WideNode: 512 bytes, aligned to 64. */
typedef struct bvhc_wide_node {
    float planes[6][16]; /* 0 */
    uint32_t children[16]; /* 384 */
    uint32_t order[16]; /* 448 */
} bvhc_wide_node;
BVHC_ASSERT(sizeof(bvhc_wide_node) == 512, "bvhc_wide_node");
BVHC_ASSERT(offsetof(bvhc_wide_node, planes) == 0, "bvhc_wide_node.planes");
BVHC_ASSERT(offsetof(bvhc_wide_node, children) == 384, "bvhc_wide_node.children");
BVHC_ASSERT(offsetof(bvhc_wide_node, order) == 448, "bvhc_wide_node.order");

/* ObbNode: 192 bytes, aligned to 64. */
typedef struct bvhc_obb_node {
    float rotation[4][4]; /* 0 */
    float centre[3][4]; /* 64 */
    float half_extents[3][4]; /* 112 */
    uint32_t children[4]; /* 160 */
    uint32_t reserved[4]; /* 176 */
} bvhc_obb_node;
BVHC_ASSERT(sizeof(bvhc_obb_node) == 192, "bvhc_obb_node");
BVHC_ASSERT(offsetof(bvhc_obb_node, rotation) == 0, "bvhc_obb_node.rotation");
BVHC_ASSERT(offsetof(bvhc_obb_node, centre) == 64, "bvhc_obb_node.centre");
BVHC_ASSERT(offsetof(bvhc_obb_node, half_extents) == 112, "bvhc_obb_node.half_extents");
BVHC_ASSERT(offsetof(bvhc_obb_node, children) == 160, "bvhc_obb_node.children");
BVHC_ASSERT(offsetof(bvhc_obb_node, reserved) == 176, "bvhc_obb_node.reserved");

/* PackedObbNode: 96 bytes, aligned to 32. */
typedef struct bvhc_packed_obb_node {
    uint32_t rotation[4]; /* 0 */
    uint16_t centre[3][4]; /* 16 */
    uint16_t half_extents[3][4]; /* 40 */
    uint32_t children[4]; /* 64 */
    float origin[3]; /* 80 */
    uint16_t centre_step; /* 92 */
    uint16_t extent_step; /* 94 */
} bvhc_packed_obb_node;
BVHC_ASSERT(sizeof(bvhc_packed_obb_node) == 96, "bvhc_packed_obb_node");
BVHC_ASSERT(offsetof(bvhc_packed_obb_node, rotation) == 0, "bvhc_packed_obb_node.rotation");
BVHC_ASSERT(offsetof(bvhc_packed_obb_node, centre) == 16, "bvhc_packed_obb_node.centre");
BVHC_ASSERT(offsetof(bvhc_packed_obb_node, half_extents) == 40, "bvhc_packed_obb_node.half_extents");
BVHC_ASSERT(offsetof(bvhc_packed_obb_node, children) == 64, "bvhc_packed_obb_node.children");
BVHC_ASSERT(offsetof(bvhc_packed_obb_node, origin) == 80, "bvhc_packed_obb_node.origin");
BVHC_ASSERT(offsetof(bvhc_packed_obb_node, centre_step) == 92, "bvhc_packed_obb_node.centre_step");
BVHC_ASSERT(offsetof(bvhc_packed_obb_node, extent_step) == 94, "bvhc_packed_obb_node.extent_step");

/* LaneRow: 16 bytes, aligned to 16. */
typedef struct bvhc_lane_row {
    float lanes[4]; /* 0 */
} bvhc_lane_row;
BVHC_ASSERT(sizeof(bvhc_lane_row) == 16, "bvhc_lane_row");
BVHC_ASSERT(offsetof(bvhc_lane_row, lanes) == 0, "bvhc_lane_row.lanes");

/* HullNode: 416 bytes, aligned to 16. */
typedef struct bvhc_hull_node {
    float vertices[8][3][4]; /* 0 */
    float radius[4]; /* 384 */
    uint32_t children[4]; /* 400 */
} bvhc_hull_node;
BVHC_ASSERT(sizeof(bvhc_hull_node) == 416, "bvhc_hull_node");
BVHC_ASSERT(offsetof(bvhc_hull_node, vertices) == 0, "bvhc_hull_node.vertices");
BVHC_ASSERT(offsetof(bvhc_hull_node, radius) == 384, "bvhc_hull_node.radius");
BVHC_ASSERT(offsetof(bvhc_hull_node, children) == 400, "bvhc_hull_node.children");

/* Instance: 160 bytes, aligned to 32. */
typedef struct bvhc_instance {
    double position[3]; /* 0 */
    double rotation[3][3]; /* 24 */
    double scale; /* 96 */
    uint64_t id; /* 104 */
    uint64_t user; /* 112 */
    uint32_t mesh; /* 120 */
    uint32_t layers; /* 124 */
    uint32_t flags; /* 128 */
    uint32_t reserved; /* 132 */
    float bounds[6]; /* 136 */
} bvhc_instance;
BVHC_ASSERT(sizeof(bvhc_instance) == 160, "bvhc_instance");
BVHC_ASSERT(offsetof(bvhc_instance, position) == 0, "bvhc_instance.position");
BVHC_ASSERT(offsetof(bvhc_instance, rotation) == 24, "bvhc_instance.rotation");
BVHC_ASSERT(offsetof(bvhc_instance, scale) == 96, "bvhc_instance.scale");
BVHC_ASSERT(offsetof(bvhc_instance, id) == 104, "bvhc_instance.id");
BVHC_ASSERT(offsetof(bvhc_instance, user) == 112, "bvhc_instance.user");
BVHC_ASSERT(offsetof(bvhc_instance, mesh) == 120, "bvhc_instance.mesh");
BVHC_ASSERT(offsetof(bvhc_instance, layers) == 124, "bvhc_instance.layers");
BVHC_ASSERT(offsetof(bvhc_instance, flags) == 128, "bvhc_instance.flags");
BVHC_ASSERT(offsetof(bvhc_instance, reserved) == 132, "bvhc_instance.reserved");
BVHC_ASSERT(offsetof(bvhc_instance, bounds) == 136, "bvhc_instance.bounds");

/* InstanceLeaf: 32 bytes, aligned to 32. */
typedef struct bvhc_instance_leaf {
    float bounds[6]; /* 0 */
    uint32_t instance; /* 24 */
    uint32_t slot; /* 28 */
} bvhc_instance_leaf;
BVHC_ASSERT(sizeof(bvhc_instance_leaf) == 32, "bvhc_instance_leaf");
BVHC_ASSERT(offsetof(bvhc_instance_leaf, bounds) == 0, "bvhc_instance_leaf.bounds");
BVHC_ASSERT(offsetof(bvhc_instance_leaf, instance) == 24, "bvhc_instance_leaf.instance");
BVHC_ASSERT(offsetof(bvhc_instance_leaf, slot) == 28, "bvhc_instance_leaf.slot");

/* LinkedMesh: 72 bytes, aligned to 8. */
typedef struct bvhc_linked_mesh {
    uint8_t hash[32]; /* 0 */
    uint64_t length; /* 32 */
    uint64_t triangles; /* 40 */
    float bounds[6]; /* 48 */
} bvhc_linked_mesh;
BVHC_ASSERT(sizeof(bvhc_linked_mesh) == 72, "bvhc_linked_mesh");
BVHC_ASSERT(offsetof(bvhc_linked_mesh, hash) == 0, "bvhc_linked_mesh.hash");
BVHC_ASSERT(offsetof(bvhc_linked_mesh, length) == 32, "bvhc_linked_mesh.length");
BVHC_ASSERT(offsetof(bvhc_linked_mesh, triangles) == 40, "bvhc_linked_mesh.triangles");
BVHC_ASSERT(offsetof(bvhc_linked_mesh, bounds) == 48, "bvhc_linked_mesh.bounds");

/* Root of section metadata (kind 1): 368 bytes, aligned to 8. */
typedef struct bvhc_metadata {
    uint8_t source_hash[32]; /* 0 */
    uint64_t source_length; /* 32 */
    uint64_t source_faces; /* 40 */
    uint64_t source_vertices; /* 48 */
    uint64_t triangles; /* 56 */
    uint64_t vertices; /* 64 */
    uint64_t dropped_triangles; /* 72 */
    uint64_t dropped_faces; /* 80 */
    float bounds[6]; /* 88 */
    bvhc_slice compiler; /* 112 of u8 */
    bvhc_slice options; /* 128 of u8 */
    bvhc_names materials; /* 144 */
    bvhc_names groups; /* 176 */
    bvhc_names objects; /* 208 */
    bvhc_slice trees; /* 240 of TreeStatistics */
    bvhc_names keys; /* 256 */
    bvhc_names values; /* 288 */
    bvhc_names input_names; /* 320 */
    bvhc_slice inputs; /* 352 of InputFile */
} bvhc_metadata;
BVHC_ASSERT(sizeof(bvhc_metadata) == 368, "bvhc_metadata");
BVHC_ASSERT(offsetof(bvhc_metadata, source_hash) == 0, "bvhc_metadata.source_hash");
BVHC_ASSERT(offsetof(bvhc_metadata, source_length) == 32, "bvhc_metadata.source_length");
BVHC_ASSERT(offsetof(bvhc_metadata, source_faces) == 40, "bvhc_metadata.source_faces");
BVHC_ASSERT(offsetof(bvhc_metadata, source_vertices) == 48, "bvhc_metadata.source_vertices");
BVHC_ASSERT(offsetof(bvhc_metadata, triangles) == 56, "bvhc_metadata.triangles");
BVHC_ASSERT(offsetof(bvhc_metadata, vertices) == 64, "bvhc_metadata.vertices");
BVHC_ASSERT(offsetof(bvhc_metadata, dropped_triangles) == 72, "bvhc_metadata.dropped_triangles");
BVHC_ASSERT(offsetof(bvhc_metadata, dropped_faces) == 80, "bvhc_metadata.dropped_faces");
BVHC_ASSERT(offsetof(bvhc_metadata, bounds) == 88, "bvhc_metadata.bounds");
BVHC_ASSERT(offsetof(bvhc_metadata, compiler) == 112, "bvhc_metadata.compiler");
BVHC_ASSERT(offsetof(bvhc_metadata, options) == 128, "bvhc_metadata.options");
BVHC_ASSERT(offsetof(bvhc_metadata, materials) == 144, "bvhc_metadata.materials");
BVHC_ASSERT(offsetof(bvhc_metadata, groups) == 176, "bvhc_metadata.groups");
BVHC_ASSERT(offsetof(bvhc_metadata, objects) == 208, "bvhc_metadata.objects");
BVHC_ASSERT(offsetof(bvhc_metadata, trees) == 240, "bvhc_metadata.trees");
BVHC_ASSERT(offsetof(bvhc_metadata, keys) == 256, "bvhc_metadata.keys");
BVHC_ASSERT(offsetof(bvhc_metadata, values) == 288, "bvhc_metadata.values");
BVHC_ASSERT(offsetof(bvhc_metadata, input_names) == 320, "bvhc_metadata.input_names");
BVHC_ASSERT(offsetof(bvhc_metadata, inputs) == 352, "bvhc_metadata.inputs");

/* Root of section geometry (kind 2): 112 bytes, aligned to 8. */
typedef struct bvhc_geometry {
    bvhc_slice blocks; /* 0 of Block */
    bvhc_slice triangles; /* 16 of u32 */
    bvhc_slice faces; /* 32 of u32 */
    bvhc_slice runs; /* 48 of AttributeRun */
    bvhc_slice corners; /* 64 of u16 */
    bvhc_slice wide_corners; /* 80 of FaceCorners */
    bvhc_slice pair_leaves; /* 96 of PairLeaf */
} bvhc_geometry;
BVHC_ASSERT(sizeof(bvhc_geometry) == 112, "bvhc_geometry");
BVHC_ASSERT(offsetof(bvhc_geometry, blocks) == 0, "bvhc_geometry.blocks");
BVHC_ASSERT(offsetof(bvhc_geometry, triangles) == 16, "bvhc_geometry.triangles");
BVHC_ASSERT(offsetof(bvhc_geometry, faces) == 32, "bvhc_geometry.faces");
BVHC_ASSERT(offsetof(bvhc_geometry, runs) == 48, "bvhc_geometry.runs");
BVHC_ASSERT(offsetof(bvhc_geometry, corners) == 64, "bvhc_geometry.corners");
BVHC_ASSERT(offsetof(bvhc_geometry, wide_corners) == 80, "bvhc_geometry.wide_corners");
BVHC_ASSERT(offsetof(bvhc_geometry, pair_leaves) == 96, "bvhc_geometry.pair_leaves");

/* Root of section splits (kind 3): 48 bytes, aligned to 8. */
typedef struct bvhc_splits {
    bvhc_slice triangles; /* 0 of u32 */
    bvhc_slice ends; /* 16 of u32 */
    bvhc_slice slots; /* 32 of u32 */
} bvhc_splits;
BVHC_ASSERT(sizeof(bvhc_splits) == 48, "bvhc_splits");
BVHC_ASSERT(offsetof(bvhc_splits, triangles) == 0, "bvhc_splits.triangles");
BVHC_ASSERT(offsetof(bvhc_splits, ends) == 16, "bvhc_splits.ends");
BVHC_ASSERT(offsetof(bvhc_splits, slots) == 32, "bvhc_splits.slots");

/* Root of section packed-blocks (kind 4): 24 bytes, aligned to 8. */
typedef struct bvhc_packed_blocks {
    bvhc_slice bytes; /* 0 of u8 */
    uint32_t count; /* 16 */
    float position_error; /* 20 */
} bvhc_packed_blocks;
BVHC_ASSERT(sizeof(bvhc_packed_blocks) == 24, "bvhc_packed_blocks");
BVHC_ASSERT(offsetof(bvhc_packed_blocks, bytes) == 0, "bvhc_packed_blocks.bytes");
BVHC_ASSERT(offsetof(bvhc_packed_blocks, count) == 16, "bvhc_packed_blocks.count");
BVHC_ASSERT(offsetof(bvhc_packed_blocks, position_error) == 20, "bvhc_packed_blocks.position_error");

/* Root of section hull (kind 5): 48 bytes, aligned to 8. */
typedef struct bvhc_hull {
    bvhc_slice vertices; /* 0 of HullVertex */
    bvhc_slice neighbours; /* 16 of u32 */
    bvhc_slice starts; /* 32 of u32 */
} bvhc_hull;
BVHC_ASSERT(sizeof(bvhc_hull) == 48, "bvhc_hull");
BVHC_ASSERT(offsetof(bvhc_hull, vertices) == 0, "bvhc_hull.vertices");
BVHC_ASSERT(offsetof(bvhc_hull, neighbours) == 16, "bvhc_hull.neighbours");
BVHC_ASSERT(offsetof(bvhc_hull, starts) == 32, "bvhc_hull.starts");

/* Root of section samples (kind 6): 16 bytes, aligned to 8. */
typedef struct bvhc_samples {
    bvhc_slice nodes; /* 0 of SampleNode */
} bvhc_samples;
BVHC_ASSERT(sizeof(bvhc_samples) == 16, "bvhc_samples");
BVHC_ASSERT(offsetof(bvhc_samples, nodes) == 0, "bvhc_samples.nodes");

/* Root of section solid (kind 7): 56 bytes, aligned to 8. */
typedef struct bvhc_solid {
    uint64_t edges; /* 0 */
    uint64_t open_edges; /* 8 */
    uint64_t flipped_edges; /* 16 */
    uint64_t branching_edges; /* 24 */
    uint64_t boundary_edges; /* 32 */
    bvhc_slice boundary; /* 40 of BoundaryEdges */
} bvhc_solid;
BVHC_ASSERT(sizeof(bvhc_solid) == 56, "bvhc_solid");
BVHC_ASSERT(offsetof(bvhc_solid, edges) == 0, "bvhc_solid.edges");
BVHC_ASSERT(offsetof(bvhc_solid, open_edges) == 8, "bvhc_solid.open_edges");
BVHC_ASSERT(offsetof(bvhc_solid, flipped_edges) == 16, "bvhc_solid.flipped_edges");
BVHC_ASSERT(offsetof(bvhc_solid, branching_edges) == 24, "bvhc_solid.branching_edges");
BVHC_ASSERT(offsetof(bvhc_solid, boundary_edges) == 32, "bvhc_solid.boundary_edges");
BVHC_ASSERT(offsetof(bvhc_solid, boundary) == 40, "bvhc_solid.boundary");

/* Root of section edges (kind 8): 16 bytes, aligned to 8. */
typedef struct bvhc_edges {
    bvhc_slice triangles; /* 0 of TriangleEdges */
} bvhc_edges;
BVHC_ASSERT(sizeof(bvhc_edges) == 16, "bvhc_edges");
BVHC_ASSERT(offsetof(bvhc_edges, triangles) == 0, "bvhc_edges.triangles");

/* Root of section intersections (kind 10): 16 bytes, aligned to 8. */
typedef struct bvhc_intersections {
    bvhc_slice triangles; /* 0 of u32 */
} bvhc_intersections;
BVHC_ASSERT(sizeof(bvhc_intersections) == 16, "bvhc_intersections");
BVHC_ASSERT(offsetof(bvhc_intersections, triangles) == 0, "bvhc_intersections.triangles");

/* Root of section field (kind 9): 128 bytes, aligned to 8. */
typedef struct bvhc_distance_field {
    double origin[3]; /* 0 */
    double voxel; /* 24 */
    double step; /* 32 */
    uint32_t tile_counts[3]; /* 40 */
    uint32_t bits; /* 52 */
    uint32_t signs; /* 56 */
    float edge_error; /* 60 */
    double point_error; /* 64 */
    uint64_t active; /* 72 */
    bvhc_slice tiles; /* 80 of FieldNode */
    bvhc_slice bricks; /* 96 of FieldNode */
    bvhc_slice values; /* 112 of u8 */
} bvhc_distance_field;
BVHC_ASSERT(sizeof(bvhc_distance_field) == 128, "bvhc_distance_field");
BVHC_ASSERT(offsetof(bvhc_distance_field, origin) == 0, "bvhc_distance_field.origin");
BVHC_ASSERT(offsetof(bvhc_distance_field, voxel) == 24, "bvhc_distance_field.voxel");
BVHC_ASSERT(offsetof(bvhc_distance_field, step) == 32, "bvhc_distance_field.step");
BVHC_ASSERT(offsetof(bvhc_distance_field, tile_counts) == 40, "bvhc_distance_field.tile_counts");
BVHC_ASSERT(offsetof(bvhc_distance_field, bits) == 52, "bvhc_distance_field.bits");
BVHC_ASSERT(offsetof(bvhc_distance_field, signs) == 56, "bvhc_distance_field.signs");
BVHC_ASSERT(offsetof(bvhc_distance_field, edge_error) == 60, "bvhc_distance_field.edge_error");
BVHC_ASSERT(offsetof(bvhc_distance_field, point_error) == 64, "bvhc_distance_field.point_error");
BVHC_ASSERT(offsetof(bvhc_distance_field, active) == 72, "bvhc_distance_field.active");
BVHC_ASSERT(offsetof(bvhc_distance_field, tiles) == 80, "bvhc_distance_field.tiles");
BVHC_ASSERT(offsetof(bvhc_distance_field, bricks) == 96, "bvhc_distance_field.bricks");
BVHC_ASSERT(offsetof(bvhc_distance_field, values) == 112, "bvhc_distance_field.values");

/* Root of section aabb-tree (kind 16): 48 bytes, aligned to 8. */
typedef struct bvhc_aabb_tree {
    float bounds[6]; /* 0 */
    uint32_t depth; /* 24 */
    uint32_t reserved; /* 28 */
    bvhc_slice nodes; /* 32 of WideNode */
} bvhc_aabb_tree;
BVHC_ASSERT(sizeof(bvhc_aabb_tree) == 48, "bvhc_aabb_tree");
BVHC_ASSERT(offsetof(bvhc_aabb_tree, bounds) == 0, "bvhc_aabb_tree.bounds");
BVHC_ASSERT(offsetof(bvhc_aabb_tree, depth) == 24, "bvhc_aabb_tree.depth");
BVHC_ASSERT(offsetof(bvhc_aabb_tree, reserved) == 28, "bvhc_aabb_tree.reserved");
BVHC_ASSERT(offsetof(bvhc_aabb_tree, nodes) == 32, "bvhc_aabb_tree.nodes");

/* Root of section obb-tree (kind 17): 56 bytes, aligned to 8. */
typedef struct bvhc_obb_tree {
    float origin[3]; /* 0 */
    float radius; /* 12 */
    uint32_t depth; /* 16 */
    uint32_t reserved; /* 20 */
    bvhc_slice nodes; /* 24 of ObbNode */
    bvhc_slice packed_nodes; /* 40 of PackedObbNode */
} bvhc_obb_tree;
BVHC_ASSERT(sizeof(bvhc_obb_tree) == 56, "bvhc_obb_tree");
BVHC_ASSERT(offsetof(bvhc_obb_tree, origin) == 0, "bvhc_obb_tree.origin");
BVHC_ASSERT(offsetof(bvhc_obb_tree, radius) == 12, "bvhc_obb_tree.radius");
BVHC_ASSERT(offsetof(bvhc_obb_tree, depth) == 16, "bvhc_obb_tree.depth");
BVHC_ASSERT(offsetof(bvhc_obb_tree, reserved) == 20, "bvhc_obb_tree.reserved");
BVHC_ASSERT(offsetof(bvhc_obb_tree, nodes) == 24, "bvhc_obb_tree.nodes");
BVHC_ASSERT(offsetof(bvhc_obb_tree, packed_nodes) == 40, "bvhc_obb_tree.packed_nodes");

/* Root of section kdop-tree (kind 18): 48 bytes, aligned to 8. */
typedef struct bvhc_kdop_tree {
    float origin[3]; /* 0 */
    float radius; /* 12 */
    uint32_t depth; /* 16 */
    uint32_t k; /* 20 */
    uint32_t tables; /* 24 */
    uint32_t reserved; /* 28 */
    bvhc_slice rows; /* 32 of LaneRow */
} bvhc_kdop_tree;
BVHC_ASSERT(sizeof(bvhc_kdop_tree) == 48, "bvhc_kdop_tree");
BVHC_ASSERT(offsetof(bvhc_kdop_tree, origin) == 0, "bvhc_kdop_tree.origin");
BVHC_ASSERT(offsetof(bvhc_kdop_tree, radius) == 12, "bvhc_kdop_tree.radius");
BVHC_ASSERT(offsetof(bvhc_kdop_tree, depth) == 16, "bvhc_kdop_tree.depth");
BVHC_ASSERT(offsetof(bvhc_kdop_tree, k) == 20, "bvhc_kdop_tree.k");
BVHC_ASSERT(offsetof(bvhc_kdop_tree, tables) == 24, "bvhc_kdop_tree.tables");
BVHC_ASSERT(offsetof(bvhc_kdop_tree, reserved) == 28, "bvhc_kdop_tree.reserved");
BVHC_ASSERT(offsetof(bvhc_kdop_tree, rows) == 32, "bvhc_kdop_tree.rows");

/* Root of section swept-tree (kind 19): 40 bytes, aligned to 8. */
typedef struct bvhc_swept_tree {
    float origin[3]; /* 0 */
    float radius; /* 12 */
    uint32_t depth; /* 16 */
    uint32_t core; /* 20 */
    bvhc_slice rows; /* 24 of LaneRow */
} bvhc_swept_tree;
BVHC_ASSERT(sizeof(bvhc_swept_tree) == 40, "bvhc_swept_tree");
BVHC_ASSERT(offsetof(bvhc_swept_tree, origin) == 0, "bvhc_swept_tree.origin");
BVHC_ASSERT(offsetof(bvhc_swept_tree, radius) == 12, "bvhc_swept_tree.radius");
BVHC_ASSERT(offsetof(bvhc_swept_tree, depth) == 16, "bvhc_swept_tree.depth");
BVHC_ASSERT(offsetof(bvhc_swept_tree, core) == 20, "bvhc_swept_tree.core");
BVHC_ASSERT(offsetof(bvhc_swept_tree, rows) == 24, "bvhc_swept_tree.rows");

/* Root of section hull-tree (kind 20): 40 bytes, aligned to 8. */
typedef struct bvhc_hull_tree {
    float origin[3]; /* 0 */
    float radius; /* 12 */
    uint32_t depth; /* 16 */
    uint32_t reserved; /* 20 */
    bvhc_slice nodes; /* 24 of HullNode */
} bvhc_hull_tree;
BVHC_ASSERT(sizeof(bvhc_hull_tree) == 40, "bvhc_hull_tree");
BVHC_ASSERT(offsetof(bvhc_hull_tree, origin) == 0, "bvhc_hull_tree.origin");
BVHC_ASSERT(offsetof(bvhc_hull_tree, radius) == 12, "bvhc_hull_tree.radius");
BVHC_ASSERT(offsetof(bvhc_hull_tree, depth) == 16, "bvhc_hull_tree.depth");
BVHC_ASSERT(offsetof(bvhc_hull_tree, reserved) == 20, "bvhc_hull_tree.reserved");
BVHC_ASSERT(offsetof(bvhc_hull_tree, nodes) == 24, "bvhc_hull_tree.nodes");

/* Root of section world (kind 32): 264 bytes, aligned to 8. */
typedef struct bvhc_world {
    uint8_t source_hash[32]; /* 0 */
    uint64_t source_length; /* 32 */
    float bounds[6]; /* 40 */
    uint32_t depth; /* 64 */
    uint32_t reserved; /* 68 */
    bvhc_slice nodes; /* 72 of WideNode */
    bvhc_slice instances; /* 88 of Instance */
    bvhc_slice leaves; /* 104 of InstanceLeaf */
    bvhc_slice inputs; /* 120 of InputFile */
    bvhc_slice by_id; /* 136 of u32 */
    bvhc_slice node_layers; /* 152 of u32 */
    bvhc_names names; /* 168 */
    bvhc_names input_names; /* 200 */
    bvhc_slice compiler; /* 232 of u8 */
    bvhc_slice options; /* 248 of u8 */
} bvhc_world;
BVHC_ASSERT(sizeof(bvhc_world) == 264, "bvhc_world");
BVHC_ASSERT(offsetof(bvhc_world, source_hash) == 0, "bvhc_world.source_hash");
BVHC_ASSERT(offsetof(bvhc_world, source_length) == 32, "bvhc_world.source_length");
BVHC_ASSERT(offsetof(bvhc_world, bounds) == 40, "bvhc_world.bounds");
BVHC_ASSERT(offsetof(bvhc_world, depth) == 64, "bvhc_world.depth");
BVHC_ASSERT(offsetof(bvhc_world, reserved) == 68, "bvhc_world.reserved");
BVHC_ASSERT(offsetof(bvhc_world, nodes) == 72, "bvhc_world.nodes");
BVHC_ASSERT(offsetof(bvhc_world, instances) == 88, "bvhc_world.instances");
BVHC_ASSERT(offsetof(bvhc_world, leaves) == 104, "bvhc_world.leaves");
BVHC_ASSERT(offsetof(bvhc_world, inputs) == 120, "bvhc_world.inputs");
BVHC_ASSERT(offsetof(bvhc_world, by_id) == 136, "bvhc_world.by_id");
BVHC_ASSERT(offsetof(bvhc_world, node_layers) == 152, "bvhc_world.node_layers");
BVHC_ASSERT(offsetof(bvhc_world, names) == 168, "bvhc_world.names");
BVHC_ASSERT(offsetof(bvhc_world, input_names) == 200, "bvhc_world.input_names");
BVHC_ASSERT(offsetof(bvhc_world, compiler) == 232, "bvhc_world.compiler");
BVHC_ASSERT(offsetof(bvhc_world, options) == 248, "bvhc_world.options");

/* Root of section linked-meshes (kind 33): 48 bytes, aligned to 8. */
typedef struct bvhc_linked_meshes {
    bvhc_slice meshes; /* 0 of LinkedMesh */
    bvhc_names names; /* 16 */
} bvhc_linked_meshes;
BVHC_ASSERT(sizeof(bvhc_linked_meshes) == 48, "bvhc_linked_meshes");
BVHC_ASSERT(offsetof(bvhc_linked_meshes, meshes) == 0, "bvhc_linked_meshes.meshes");
BVHC_ASSERT(offsetof(bvhc_linked_meshes, names) == 16, "bvhc_linked_meshes.names");

#endif
