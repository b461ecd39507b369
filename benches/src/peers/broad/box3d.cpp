// Box3D's broad phase, made of its dynamic trees and its set of pairs as `broad_phase.c`, `solver.c` and `physics_world.c` use them:
// boxes have a margin, only what leaves its own is moved in the tree and asked for new pairs, and pairs are kept until the boxes with
// margins are apart.
//
// Box3D asks for pairs before it rebuilds the parts of the tree that have changed; here it is the other way round, which suits it
// better where all jump. The caller gets those of the kept pairs whose boxes touch without margins.

#include <box3d/collision.h>

extern "C" {
#include "table.h"
}

#include <cmath>

#include "broad.h"

namespace {

// `b3ComputeShapeMargin` of a hull: an eighth of the distance of its farthest corner, at most 5 cm.
constexpr float MOST_MARGIN = 0.05f, MARGIN_FRACTION = 0.125f;

struct Proxy {
    int node;
    b3AABB tight, fat;
    float margin;
    bool is_changed;
};

struct Box3d : Broad {
    b3DynamicTree still, moving;
    std::vector<Proxy> proxies;
    std::vector<uint32_t> changed;
    size_t first;
    b3HashSet set;
    std::vector<std::pair<uint32_t, uint32_t>> kept;

    // Of the box that is asked.
    uint32_t asker = 0;
    bool is_tree_moving = false;

    static b3AABB aabb(const float* b) { return {{b[0], b[1], b[2]}, {b[3], b[4], b[5]}}; }

    static b3AABB grown(const b3AABB& of, float by) {
        return {{of.lowerBound.x - by, of.lowerBound.y - by, of.lowerBound.z - by},
                {of.upperBound.x + by, of.upperBound.y + by, of.upperBound.z + by}};
    }

    Box3d(const float* boxes, size_t still_count, size_t count) : first(still_count) {
        still = b3DynamicTree_Create(int(still_count) + 16);
        moving = b3DynamicTree_Create(int(count - still_count) + 16);
        set = b3CreateSet(1 << 16);
        for (size_t i = 0; i < count; ++i) {
            b3AABB tight = aabb(boxes + 6 * i);
            if (i < first) {
                int node = b3DynamicTree_CreateProxy(&still, tight, B3_DEFAULT_MASK_BITS, i);
                proxies.push_back({node, tight, tight, 0.0f, false});
                continue;
            }
            const float* b = boxes + 6 * i;
            float extent = 0.5f * std::hypot(b[3] - b[0], b[4] - b[1], b[5] - b[2]);
            float margin = std::min(MOST_MARGIN, MARGIN_FRACTION * extent);
            b3AABB fat = grown(tight, margin);
            int node = b3DynamicTree_CreateProxy(&moving, fat, B3_DEFAULT_MASK_BITS, i);
            proxies.push_back({node, tight, fat, margin, true});
            changed.push_back(uint32_t(i));
        }
        b3DynamicTree_Rebuild(&still, true);
        b3DynamicTree_Rebuild(&moving, true);
    }

    ~Box3d() override {
        b3DynamicTree_Destroy(&still);
        b3DynamicTree_Destroy(&moving);
        b3DestroySet(&set);
    }

    void move(const uint32_t* moved, size_t count, const float* boxes) override {
        for (size_t i = 0; i < count; ++i) {
            uint32_t index = uint32_t(first + moved[i]);
            Proxy& proxy = proxies[index];
            proxy.tight = aabb(boxes + 6 * moved[i]);
            if (b3AABB_Contains(proxy.fat, proxy.tight)) {
                continue;
            }
            proxy.fat = grown(proxy.tight, proxy.margin);
            b3DynamicTree_EnlargeProxy(&moving, proxy.node, proxy.fat);
            if (!proxy.is_changed) {
                proxy.is_changed = true;
                changed.push_back(index);
            }
        }
    }

    void update() override {
        b3DynamicTree_Rebuild(&moving, false);
    }

    static bool visit(int, uint64_t other, void* context) {
        auto& self = *static_cast<Box3d*>(context);
        uint32_t a = self.asker, b = uint32_t(other);
        if (a == b || (self.is_tree_moving && b < a && self.proxies[b].is_changed)) {
            return true;
        }
        // A key that is there already stays.
        if (!b3AddKey(&self.set, b3ShapePairKey(int(a), int(b), 0))) {
            self.kept.emplace_back(std::min(a, b), std::max(a, b));
        }
        return true;
    }

    void pairs(Pairs& out) override {
        for (uint32_t index : changed) {
            asker = index;
            for (b3DynamicTree* tree : {&still, &moving}) {
                is_tree_moving = tree == &moving;
                b3DynamicTree_Query(tree, proxies[index].fat, B3_DEFAULT_MASK_BITS, false, visit, this);
            }
        }
        for (uint32_t index : changed) {
            proxies[index].is_changed = false;
        }
        changed.clear();
        size_t rest = 0;
        for (auto pair : kept) {
            const Proxy &a = proxies[pair.first], &b = proxies[pair.second];
            if (!b3AABB_Overlaps(a.fat, b.fat)) {
                b3RemoveKey(&set, b3ShapePairKey(int(pair.first), int(pair.second), 0));
                continue;
            }
            kept[rest++] = pair;
            if (b3AABB_Overlaps(a.tight, b.tight)) {
                out.add(pair.first, pair.second);
            }
        }
        kept.resize(rest);
    }

    bool rebuild() override {
        b3DynamicTree_Rebuild(&moving, true);
        return true;
    }
};

}  // namespace

static Broad* make(const float* boxes, size_t still, size_t count, bool) { return new Box3d(boxes, still, count); }
