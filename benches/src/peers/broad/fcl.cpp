// Broad phases of FCL and, with -DCOAL, of its fork coal: a dynamic tree, or sweep and prune.
//
// They have bodies, too: meshes at poses (a rotation by rows, then a translation), of which the pairs that meet are counted.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "broad.h"

#ifdef COAL
#include <coal/broadphase/broadphase_SaP.h>
#include <coal/broadphase/broadphase_dynamic_AABB_tree.h>
#include <coal/broadphase/broadphase_callbacks.h>
#include <coal/BVH/BVH_model.h>
#include <coal/collision.h>
#include <coal/shape/geometric_shapes.h>
using Object = coal::CollisionObject;
using Manager = coal::BroadPhaseCollisionManager;
using Tree = coal::DynamicAABBTreeCollisionManager;
using Sweep = coal::SaPCollisionManager;
using Box = coal::Box;
using Mesh = coal::BVHModel<coal::OBBRSS>;
using Triangle = coal::Triangle;
using Rotation = coal::Matrix3s;
using Point = coal::Vec3s;

static size_t index(const Object* object) { return reinterpret_cast<size_t>(object->getUserData()); }

struct Finder : coal::CollisionCallBackBase {
    Pairs& out;

    explicit Finder(Pairs& pairs) : out(pairs) {}
    bool collide(Object* a, Object* b) override {
        if (a->getAABB().overlap(b->getAABB())) {
            out.add(index(a), index(b));
        }
        return false;
    }
};

static void meet(Manager& a, Manager& b, Finder& finder) { a.collide(&b, &finder); }
static void meet(Manager& a, Finder& finder) { a.collide(&finder); }

struct Contacts : coal::CollisionCallBackBase {
    size_t count = 0;
    bool collide(Object* a, Object* b) override {
        coal::CollisionRequest request;
        request.enable_contact = false;
        request.break_distance = 0;
        coal::CollisionResult result;
        count += coal::collide(a, b, request, result) > 0;
        return false;
    }
};

static void meet(Manager& a, Contacts& contacts) { a.collide(&contacts); }
#else
#include <fcl/broadphase/broadphase_SaP.h>
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/narrowphase/collision.h>
using Object = fcl::CollisionObjectd;
using Manager = fcl::BroadPhaseCollisionManagerd;
using Tree = fcl::DynamicAABBTreeCollisionManagerd;
using Sweep = fcl::SaPCollisionManagerd;
using Box = fcl::Boxd;
using Mesh = fcl::BVHModel<fcl::OBBRSSd>;
using Triangle = fcl::Triangle;
using Rotation = fcl::Matrix3d;
using Point = fcl::Vector3d;

static size_t index(const Object* object) { return reinterpret_cast<size_t>(object->getUserData()); }

struct Finder {
    Pairs& out;

    explicit Finder(Pairs& pairs) : out(pairs) {}
};

static bool find(Object* a, Object* b, void* finder) {
    if (a->getAABB().overlap(b->getAABB())) {
        static_cast<Finder*>(finder)->out.add(index(a), index(b));
    }
    return false;
}

static void meet(Manager& a, Manager& b, Finder& finder) { a.collide(&b, &finder, find); }
static void meet(Manager& a, Finder& finder) { a.collide(&finder, find); }

struct Contacts {
    size_t count = 0;
};

static bool collide(Object* a, Object* b, void* contacts) {
    fcl::CollisionRequestd request;
    fcl::CollisionResultd result;
    static_cast<Contacts*>(contacts)->count += fcl::collide(a, b, request, result) > 0;
    return false;
}

static void meet(Manager& a, Contacts& contacts) { a.collide(&contacts, collide); }
#endif

struct OfFcl : Broad {
    std::vector<std::unique_ptr<Object>> objects;
    std::vector<Object*> changed;
    std::unique_ptr<Manager> still, moving;
    size_t first;

    static Point centre(const float* b) {
        return Point((double(b[0]) + b[3]) / 2, (double(b[1]) + b[4]) / 2, (double(b[2]) + b[5]) / 2);
    }

    OfFcl(const float* boxes, size_t still_count, size_t count, bool sweep) : first(still_count) {
        for (auto* manager : {&still, &moving}) {
            manager->reset(sweep ? static_cast<Manager*>(new Sweep()) : static_cast<Manager*>(new Tree()));
        }
        for (size_t i = 0; i < count; ++i) {
            const float* b = boxes + 6 * i;
            auto box = std::make_shared<Box>(double(b[3]) - b[0], double(b[4]) - b[1], double(b[5]) - b[2]);
            objects.emplace_back(new Object(box));
            objects.back()->setTranslation(centre(b));
            objects.back()->computeAABB();
            objects.back()->setUserData(reinterpret_cast<void*>(i));
        }
        std::vector<Object*> of_still, of_moving;
        for (size_t i = 0; i < count; ++i) {
            (i < first ? of_still : of_moving).push_back(objects[i].get());
        }
        if (!of_still.empty()) {
            still->registerObjects(of_still);
            still->setup();
        }
        moving->registerObjects(of_moving);
        moving->setup();
    }

    void move(const uint32_t* moved, size_t count, const float* boxes) override {
        changed.clear();
        for (size_t i = 0; i < count; ++i) {
            auto* object = objects[first + moved[i]].get();
            object->setTranslation(centre(boxes + 6 * moved[i]));
            object->computeAABB();
            changed.push_back(object);
        }
    }

    void update() override {
        moving->update(changed);
    }

    void pairs(Pairs& out) override {
        Finder finder(out);
        if (first > 0) {
            meet(*moving, *still, finder);
        }
        meet(*moving, finder);
    }
};

static Broad* make(const float* boxes, size_t still, size_t count, bool sweep) { return new OfFcl(boxes, still, count, sweep); }

struct Bodies {
    std::vector<std::unique_ptr<Object>> objects;
    std::unique_ptr<Manager> manager;

    Bodies(std::shared_ptr<Mesh> mesh, size_t count, bool sweep) {
        manager.reset(sweep ? static_cast<Manager*>(new Sweep()) : static_cast<Manager*>(new Tree()));
        for (size_t i = 0; i < count; ++i) {
            objects.emplace_back(new Object(mesh));
        }
    }

    size_t frame(const double* poses) {
        bool is_first = manager->empty();
        for (size_t i = 0; i < objects.size(); ++i, poses += 12) {
            Rotation rotation;
            rotation << poses[0], poses[1], poses[2], poses[3], poses[4], poses[5], poses[6], poses[7], poses[8];
            objects[i]->setRotation(rotation);
            objects[i]->setTranslation(Point(poses[9], poses[10], poses[11]));
            objects[i]->computeAABB();
        }
        if (is_first) {
            std::vector<Object*> all;
            for (auto& object : objects) {
                all.push_back(object.get());
            }
            manager->registerObjects(all);
            manager->setup();
        }
        manager->update();
        Contacts contacts;
        meet(*manager, contacts);
        return contacts.count;
    }
};

extern "C" Bodies* bodies_new(const float* positions, size_t vertices, const uint32_t* corners, size_t triangles,
                              size_t count, bool sweep) {
    std::vector<Point> points;
    for (size_t i = 0; i < vertices; ++i) {
        points.emplace_back(positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]);
    }
    std::vector<Triangle> faces;
    for (size_t i = 0; i < triangles; ++i) {
        faces.emplace_back(corners[3 * i], corners[3 * i + 1], corners[3 * i + 2]);
    }
    auto mesh = std::make_shared<Mesh>();
    mesh->beginModel();
    mesh->addSubModel(points, faces);
    mesh->endModel();
    mesh->computeLocalAABB();
    return new Bodies(mesh, count, sweep);
}

extern "C" size_t bodies_frame(Bodies* bodies, const double* poses) { return bodies->frame(poses); }
extern "C" void bodies_free(Bodies* bodies) { delete bodies; }
