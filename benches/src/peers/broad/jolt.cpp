// Jolt's broad phase: a quad tree for what is still and one for what moves, whose boxes are those of bodies.
//
// A frame does what `PhysicsSystem::Update` does, but in the order that suits it best here: the tree of what moves is rebuilt where it
// has changed before pairs are asked for, not while they are. All that may move is awake, so that pairs are complete.

#include <Jolt/Jolt.h>

#include <Jolt/Physics/Body/BodyCreationSettings.h>
#include <Jolt/Physics/Body/BodyManager.h>
#include <Jolt/Physics/Body/BodyPair.h>
#include <Jolt/Physics/Collision/BroadPhase/BroadPhaseLayerInterfaceTable.h>
#include <Jolt/Physics/Collision/BroadPhase/BroadPhaseQuadTree.h>
#include <Jolt/Physics/Collision/BroadPhase/ObjectVsBroadPhaseLayerFilterTable.h>
#include <Jolt/Physics/Collision/ObjectLayerPairFilterTable.h>
#include <Jolt/Physics/Collision/Shape/BoxShape.h>

#include "broad.h"

using namespace JPH;

namespace {

constexpr ObjectLayer STILL = 0, MOVING = 1;

struct Collector : BodyPairCollector {
    ::Pairs& out;

    explicit Collector(::Pairs& pairs) : out(pairs) {}
    // Bodies are numbered in the order in which they were added.
    void AddHit(const BodyPair& pair) override { out.add(pair.mBodyA.GetIndex(), pair.mBodyB.GetIndex()); }
};

struct OfJolt : ::Broad {
    BroadPhaseLayerInterfaceTable layers{2, 2};
    ObjectLayerPairFilterTable layer_pairs{2};
    std::unique_ptr<ObjectVsBroadPhaseLayerFilterTable> against;
    BodyManager bodies;
    BroadPhaseQuadTree broad_phase;
    std::vector<BodyID> moving;
    std::vector<BodyID> changed;

    static Vec3 centre(const float* b) { return 0.5f * (Vec3(b[0], b[1], b[2]) + Vec3(b[3], b[4], b[5])); }

    OfJolt(const float* boxes, size_t still, size_t count) {
        layers.MapObjectToBroadPhaseLayer(STILL, BroadPhaseLayer(0));
        layers.MapObjectToBroadPhaseLayer(MOVING, BroadPhaseLayer(1));
        layer_pairs.EnableCollision(STILL, MOVING);
        layer_pairs.EnableCollision(MOVING, MOVING);
        against.reset(new ObjectVsBroadPhaseLayerFilterTable(layers, 2, layer_pairs, 2));
        bodies.Init(uint(count), 1, layers);
        broad_phase.Init(&bodies, layers);
        std::vector<BodyID> all;
        for (size_t i = 0; i < count; ++i) {
            const float* b = boxes + 6 * i;
            Vec3 half = 0.5f * (Vec3(b[3], b[4], b[5]) - Vec3(b[0], b[1], b[2]));
            bool is_still = i < still;
            BodyCreationSettings settings(new BoxShape(half, 0.0f), centre(b), Quat::sIdentity(),
                                          is_still ? EMotionType::Static : EMotionType::Dynamic, is_still ? STILL : MOVING);
            Body* body = bodies.AllocateBody(settings);
            bodies.AddBody(body);
            all.push_back(body->GetID());
            if (!is_still) {
                moving.push_back(body->GetID());
            }
        }
        auto state = broad_phase.AddBodiesPrepare(all.data(), int(all.size()));
        broad_phase.AddBodiesFinalize(all.data(), int(all.size()), state);
        broad_phase.Optimize();
        bodies.ActivateBodies(moving.data(), int(moving.size()));
    }

    void move(const uint32_t* moved, size_t count, const float* boxes) override {
        changed.clear();
        for (size_t i = 0; i < count; ++i) {
            BodyID id = moving[moved[i]];
            bodies.GetBody(id).SetPositionAndRotationInternal(centre(boxes + 6 * moved[i]), Quat::sIdentity(), false);
            changed.push_back(id);
        }
        broad_phase.NotifyBodiesAABBChanged(changed.data(), int(changed.size()), true);
    }

    void update() override {
        broad_phase.FrameSync();
        broad_phase.LockModifications();
        broad_phase.UpdateFinalize(broad_phase.UpdatePrepare());
        broad_phase.UnlockModifications();
    }

    void pairs(::Pairs& out) override {
        Collector collector(out);
        changed = moving;
        broad_phase.FindCollidingPairs(changed.data(), int(changed.size()), 0.0f, *against, layer_pairs, collector);
    }

    bool rebuild() override {
        broad_phase.Optimize();
        return true;
    }
};

}  // namespace

static ::Broad* make(const float* boxes, size_t still, size_t count, bool) {
    static bool done = [] {
        RegisterDefaultAllocator();
        return true;
    }();
    (void)done;
    return new OfJolt(boxes, still, count);
}
