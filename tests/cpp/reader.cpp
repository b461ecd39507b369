// A reader of bvhc files, built from FORMAT.md alone: rays, boxes and triangles.
//
// `samples.hpp` holds the samples in C++ of that page, as they stand there; the test that compiles this file writes it.
// Usage: reader FILE; queries are read from standard input, a line each, with numbers as the hexadecimal bits of f32:
//   ray OX OY OZ DX DY DZ T_MIN T_MAX   ->  TRIANGLE T SECOND THIRD BACK, or `miss`
//   box LX LY LZ UX UY UZ               ->  the numbers of the triangles that touch the box
//   triangles                           ->  a line each: number, nine coordinates, face, its corners, material
#include "samples.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <new>
#include <set>
#include <sstream>
#include <string>

namespace {

struct Root { const u8* at; Payload payload; };

struct File {
    const u8* bytes;
    u64 size;

    // The readable section of mesh 0 with this kind, by its root's size.
    bool find(u32 kind, u64 root_size, Root& found) const {
        const u32 sections = load<u32>(bytes + 28);
        for (u32 i = 0; i < sections; ++i) {
            const u8* entry = bytes + 64 + 64 * u64(i);
            if (load<u32>(entry) != kind || load<u32>(entry + 28) != 0 || load<u16>(entry + 4) != 1) continue;
            const u64 offset = load<u64>(entry + 8), length = load<u64>(entry + 16);
            need(offset <= size && length <= size - offset, "D2");
            found.payload = {bytes + offset, length};
            found.at = root(found.payload, root_size);
            return true;
        }
        return false;
    }

    // Unlike the sample's reader, this one knows kinds 3 and 4.
    void check_kinds() const {
        const u32 sections = load<u32>(bytes + 28);
        for (u32 i = 0; i < sections; ++i) {
            const u8* entry = bytes + 64 + 64 * u64(i);
            const u32 kind = load<u32>(entry);
            const bool known = (kind >= 1 && kind <= 4) || kind == 16;
            need((known && load<u16>(entry + 4) == 1) || (entry[6] & 1) == 0, "D7");
        }
    }
};

struct Mesh {
    Slice blocks, packed{nullptr, 0}, numbers, faces, runs, corners, wide, nodes;
    float bounds[6];

    explicit Mesh(const File& file) {
        file.check_kinds();
        Root geometry{}, tree{}, bytes{};
        need(file.find(2, 112, geometry) && file.find(16, 48, tree), "D12");
        blocks = slice(geometry.payload, geometry.at, sizeof(Block), 64);
        numbers = slice(geometry.payload, geometry.at + 16, 4, 4);
        faces = slice(geometry.payload, geometry.at + 32, 4, 4);
        runs = slice(geometry.payload, geometry.at + 48, 16, 4);
        corners = slice(geometry.payload, geometry.at + 64, 2, 2);
        wide = slice(geometry.payload, geometry.at + 80, 16, 4);
        nodes = slice(tree.payload, tree.at + 32, sizeof(WideNode), 64);
        std::memcpy(bounds, tree.at, sizeof bounds);
        if (file.find(4, 24, bytes)) packed = slice(bytes.payload, bytes.at, 1, 8);
    }

    bool block(u32 reference, Block& block) const {
        if (packed.data) {
            const u64 at = 8 * u64(reference);
            return at < packed.count && unpack(packed.data + at, packed.count - at, block);
        }
        if (reference >= blocks.count) return false;
        std::memcpy(&block, blocks.data + sizeof(Block) * u64(reference), sizeof block);
        return true;
    }

    // Visits the blocks below all boxes that `meets` accepts.
    template <class Meets, class Visit> void walk(Meets meets, Visit visit) const {
        std::vector<u32> stack{0};
        u64 budget = 1000000;
        while (!stack.empty() && budget-- > 0) {
            const u32 child = stack.back();
            stack.pop_back();
            if (child >> 31) {
                Block found;
                if (block(child & 0x7FFFFFFF, found)) visit(found);
            } else if (child < nodes.count) {
                const WideNode& node = reinterpret_cast<const WideNode*>(nodes.data)[child];
                for (int slot = 0; slot < 16; ++slot)
                    if (node.children[slot] != 0xFFFFFFFF && meets(node, slot)) stack.push_back(node.children[slot]);
            }
        }
    }

    u32 number(const Block& block, u32 lane) const {
        need(u64(block.first) + lane < numbers.count, "G5");
        return load<u32>(numbers.data + 4 * (u64(block.first) + lane));
    }
};

float bits(const std::string& word) {
    const u32 number = u32(std::strtoul(word.c_str(), nullptr, 16));
    float value;
    std::memcpy(&value, &number, 4);
    return value;
}

u32 bits(float value) {
    u32 number;
    std::memcpy(&number, &value, 4);
    return number;
}

// The slab test of "Boxes for rays", in f64, where its own rounding is nothing beside the margin.
struct SlabTest {
    double o[3], d[3], margin[3];

    SlabTest(const Mesh& mesh, const float origin[3], const float direction[3], int last) {
        const double u = std::ldexp(1.0, -24), least = std::ldexp(std::fabs(double(direction[last])), -40);
        double r[3];
        for (int a = 0; a < 3; ++a) {
            o[a] = origin[a], d[a] = direction[a];
            r[a] = std::fabs(o[a]) + std::max(std::fabs(mesh.bounds[a]), std::fabs(mesh.bounds[a + 3])) + std::ldexp(1.0, -100);
        }
        for (int a = 0; a < 3; ++a) {
            double extra = 0;
            if (std::fabs(d[a]) < least) {
                d[a] = std::copysign(least, d[a]);
                extra = 2.5 * r[last] / std::fabs(double(direction[last]));
            }
            margin[a] = 8 * u * r[a] / std::fabs(d[a]) + 16 * u * r[last] / std::fabs(double(direction[last])) + extra;
        }
    }

    bool operator()(const WideNode& node, int slot, double t_min, double limit) const {
        double enter = t_min, leave = limit;
        for (int a = 0; a < 3; ++a) {
            const bool negative = std::signbit(d[a]);
            const double near = node.planes[2 * a + negative][slot], far = node.planes[2 * a + !negative][slot];
            enter = std::max(enter, (near - o[a]) / d[a] - margin[a]);
            leave = std::min(leave, (far - o[a]) / d[a] + margin[a]);
        }
        return enter <= leave;
    }
};

void answer_ray(const Mesh& mesh, const float o[3], const float d[3], float t_min, float t_max) {
    const Frame ray = frame(o, d, t_min, t_max);
    const SlabTest slabs(mesh, o, d, ray.axis[2]);
    bool any = false;
    Hit best{};
    best.t = t_max;
    mesh.walk(
        [&](const WideNode& node, int slot) { return slabs(node, slot, t_min, best.t); },
        [&](const Block& block) {
            for (u32 lane = 0; lane < block.triangles; ++lane) {
                Hit hit{};
                if (!hits(block, lane, ray, hit)) continue;
                hit.triangle = mesh.number(block, lane);
                if (any && (hit.t > best.t || (hit.t == best.t && hit.triangle >= best.triangle))) continue;
                best = hit, any = true;
            }
        });
    if (!any) std::puts("miss");
    else std::printf("%u %08x %08x %08x %d\n", best.triangle, bits(best.t), bits(best.second), bits(best.third), best.back);
}

// Coordinates as whole numbers of 2^-30: the models and boxes of the test are such, and so is all below exact.
using Whole = __int128;

Whole whole(float x) {
    const double scaled = std::ldexp(double(x), 30);
    need(std::fabs(scaled) < std::ldexp(1.0, 37) && scaled == std::floor(scaled), "the test's coordinates");
    return Whole(scaled);
}

struct Point { Whole x[3]; };

Point cross(const Point& a, const Point& b) {
    Point c;
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        c.x[k] = a.x[i] * b.x[j] - a.x[j] * b.x[i];
    }
    return c;
}

// Whether the closed triangle and the closed box have a common point, exactly.
bool touches(const Point (&p)[3], const Point& lower, const Point& upper) {
    Point edges[3];
    for (int k = 0; k < 3; ++k)
        for (int a = 0; a < 3; ++a) edges[k].x[a] = p[(k + 1) % 3].x[a] - p[k].x[a];
    std::vector<Point> normals{cross(edges[0], edges[1])};
    for (int a = 0; a < 3; ++a) {
        Point axis{};
        axis.x[a] = 1;
        normals.push_back(axis);
        for (const Point& edge : edges) normals.push_back(cross(axis, edge));
    }
    for (const Point& n : normals) {
        // Relative to corner 0, so that products stay small.
        Whole least = 0, most = 0, from = 0, to = 0;
        for (int k = 1; k < 3; ++k) {
            Whole at = 0;
            for (int a = 0; a < 3; ++a) at += n.x[a] * (p[k].x[a] - p[0].x[a]);
            least = std::min(least, at), most = std::max(most, at);
        }
        for (int a = 0; a < 3; ++a) {
            const Whole l = n.x[a] * (lower.x[a] - p[0].x[a]), h = n.x[a] * (upper.x[a] - p[0].x[a]);
            from += std::min(l, h), to += std::max(l, h);
        }
        if (to < least || most < from) return false;
    }
    return true;
}

void answer_box(const Mesh& mesh, const float lower[3], const float upper[3]) {
    std::set<u32> found; // a split triangle is met in several blocks
    const Point from{{whole(lower[0]), whole(lower[1]), whole(lower[2])}};
    const Point to{{whole(upper[0]), whole(upper[1]), whole(upper[2])}};
    mesh.walk(
        [&](const WideNode& node, int slot) {
            bool meets = true;
            for (int a = 0; a < 3; ++a)
                meets = meets && node.planes[2 * a][slot] <= upper[a] && node.planes[2 * a + 1][slot] >= lower[a];
            return meets;
        },
        [&](const Block& block) {
            for (u32 lane = 0; lane < block.triangles; ++lane) {
                Point p[3];
                for (int k = 0; k < 3; ++k)
                    for (int a = 0; a < 3; ++a) p[k].x[a] = whole(block.positions[a][block.corners[k][lane] & 15]);
                if (touches(p, from, to)) found.insert(mesh.number(block, lane));
            }
        });
    for (u32 triangle : found) std::printf("%u ", triangle);
    std::puts("");
}

void print_triangle(const Mesh& mesh, u32 triangle, const Block& block, u32 lane) {
    std::printf("%u", triangle);
    for (int k = 0; k < 3; ++k)
        for (int a = 0; a < 3; ++a) std::printf(" %08x", bits(block.positions[a][block.corners[k][lane] & 15]));
    const u32 face = mesh.faces.count ? load<u32>(mesh.faces.data + 4 * u64(triangle)) : triangle;
    u32 of_face[3] = {0, 1, 2};
    const u16 code = mesh.corners.count ? load<u16>(mesh.corners.data + 2 * u64(triangle)) : 0 | 1 << 5 | 2 << 10;
    for (int k = 0; k < 3; ++k) of_face[k] = code >> (5 * k) & 31;
    for (u64 i = 0; code == 0xFFFF && i < mesh.wide.count; ++i)
        if (load<u32>(mesh.wide.data + 16 * i) == triangle) std::memcpy(of_face, mesh.wide.data + 16 * i + 4, 12);
    u32 material = 0xFFFFFFFF;
    for (u64 i = 0; i < mesh.runs.count && load<u32>(mesh.runs.data + 16 * i) <= triangle; ++i)
        material = load<u32>(mesh.runs.data + 16 * i + 4);
    std::printf(" %u %u %u %u %u\n", face, of_face[0], of_face[1], of_face[2], material);
}

void answer_triangles(const Mesh& mesh) {
    std::map<u32, std::pair<Block, u32>> all;
    mesh.walk([](const WideNode&, int) { return true; }, [&](const Block& block) {
        for (u32 lane = 0; lane < block.triangles; ++lane) all[mesh.number(block, lane)] = {block, lane};
    });
    for (const auto& [triangle, at] : all) print_triangle(mesh, triangle, at.first, at.second);
}

void answer(const Mesh& mesh, const std::string& line) {
    std::istringstream words(line);
    std::string kind, word;
    words >> kind;
    std::vector<float> numbers;
    while (words >> word) numbers.push_back(bits(word));
    if (kind == "ray" && numbers.size() == 8) answer_ray(mesh, &numbers[0], &numbers[3], numbers[6], numbers[7]);
    else if (kind == "box" && numbers.size() == 6) answer_box(mesh, &numbers[0], &numbers[3]);
    else if (kind == "triangles") answer_triangles(mesh);
    else throw std::runtime_error("no such query");
}

} // namespace

int main(int count, char** arguments) try {
    need(count == 2, "usage: reader FILE");
    std::ifstream stream(arguments[1], std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    u8* bytes = static_cast<u8*>(::operator new(text.size() + 64, std::align_val_t(64)));
    std::memcpy(bytes, text.data(), text.size());
    const File file{bytes, text.size()};
    need(text.size() >= 64, "H1");
    const Mesh mesh(file);
    // The page's own reader agrees on what touches the whole model, where it reads the file at all.
    try {
        u64 touched = 0;
        touching(bytes, file.size, mesh.bounds, mesh.bounds + 3, [&](u32, const Block&, u32) { ++touched; });
        need(touched == mesh.numbers.count, "the sample finds all triangles");
    } catch (const std::runtime_error& error) {
        need(std::string(error.what()) == "D7", error.what());
    }
    for (std::string line; std::getline(std::cin, line);) answer(mesh, line);
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
