// Bullet's broad phases: its two dynamic trees, or sweep and prune.

#include <BulletCollision/BroadphaseCollision/btAxisSweep3.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>

#include <memory>

#include "broad.h"

namespace {

struct Bullet : Broad {
    std::unique_ptr<btBroadphaseInterface> broadphase;
    std::vector<btBroadphaseProxy*> moving;

    static void* name(size_t index) { return reinterpret_cast<void*>(index); }
    static size_t index(const btBroadphaseProxy* proxy) { return reinterpret_cast<size_t>(proxy->m_clientObject); }

    Bullet(const float* boxes, size_t still, size_t count, bool sweep) {
        if (sweep) {
            broadphase.reset(new bt32BitAxisSweep3(btVector3(-1000, -1000, -1000), btVector3(1000, 1000, 1000), count + 1));
        } else {
            broadphase.reset(new btDbvtBroadphase());
        }
        for (size_t i = 0; i < count; ++i) {
            const float* b = boxes + 6 * i;
            bool is_still = i < still;
            // What is still is paired with what moves only.
            auto* proxy = broadphase->createProxy(btVector3(b[0], b[1], b[2]), btVector3(b[3], b[4], b[5]), 0, name(i),
                                                  is_still ? 2 : 1, is_still ? 1 : 3, nullptr);
            if (!is_still) {
                moving.push_back(proxy);
            }
        }
    }

    void move(const uint32_t* moved, size_t count, const float* boxes) override {
        for (size_t i = 0; i < count; ++i) {
            const float* b = boxes + 6 * moved[i];
            broadphase->setAabb(moving[moved[i]], btVector3(b[0], b[1], b[2]), btVector3(b[3], b[4], b[5]), nullptr);
        }
    }

    void update() override {
        broadphase->calculateOverlappingPairs(nullptr);
    }

    void pairs(Pairs& out) override {
        auto* cache = broadphase->getOverlappingPairCache();
        auto* pairs = cache->getOverlappingPairArrayPtr();
        // Its boxes are grown, so that some of its pairs are apart.
        for (int i = 0; i < cache->getNumOverlappingPairs(); ++i) {
            auto *a = pairs[i].m_pProxy0, *b = pairs[i].m_pProxy1;
            if (TestAabbAgainstAabb2(a->m_aabbMin, a->m_aabbMax, b->m_aabbMin, b->m_aabbMax)) {
                out.add(index(a), index(b));
            }
        }
    }
};

}  // namespace

static Broad* make(const float* boxes, size_t still, size_t count, bool sweep) { return new Bullet(boxes, still, count, sweep); }
