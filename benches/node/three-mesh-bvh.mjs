// Closest hits in Node: bvhc as WebAssembly and three-mesh-bvh in the same process, on the same rays. One call a ray of either.
//   npm install three three-mesh-bvh
//   RUSTFLAGS="-C target-feature=+simd128" cargo build --release -p bvhc-cpus --target wasm32-unknown-unknown
//   node three-mesh-bvh.mjs bvhc-cpus.wasm MODEL.obj MODEL.bvh [RAYS [LEAF]]
// LEAF is how many triangles three-mesh-bvh aims at in a leaf. The OBJ file has triangles or convex polygons, and no relative
// indices. Prints the median of the rounds.
import { readFileSync } from "node:fs";
import { BufferAttribute, BufferGeometry, DoubleSide, Ray, Vector3 } from "three";
import { MeshBVH, SAH } from "three-mesh-bvh";

const [program, obj, bvh, count = "100000", leaf = "10"] = process.argv.slice(2);
const RAYS = Number(count), ROUNDS = 9;

const positions = [], indices = [];
for (const line of readFileSync(obj, "utf8").split("\n")) {
    const [word, ...rest] = line.trim().split(/\s+/);
    if (word === "v") positions.push(...rest.slice(0, 3).map(Number));
    if (word === "f") {
        const corners = rest.map(corner => Number(corner.split("/")[0]) - 1);
        for (let k = 2; k < corners.length; k++) indices.push(corners[0], corners[k - 1], corners[k]);
    }
}
const geometry = new BufferGeometry();
geometry.setAttribute("position", new BufferAttribute(new Float32Array(positions), 3));
geometry.setIndex(indices);
const tree = new MeshBVH(geometry, { strategy: SAH, targetLeafSize: Number(leaf) });

const { instance } = await WebAssembly.instantiate(readFileSync(program), { host: { report() {}, fail() {} } });
const { memory, open, closest_hit, model_size } = instance.exports;
const bytes = readFileSync(bvh);
const place = size => memory.grow(Math.ceil(size / 65536)) * 65536;
const [file, model, rays] = [place(bytes.length), place(model_size()), place(RAYS * 24)];
new Uint8Array(memory.buffer).set(bytes, file);
if (!open(file, bytes.length, model)) throw new Error(`${bvh} does not open`);

// From within twice the bounds to a point of them; SplitMix-like 32-bit numbers, the same in every run.
let state = 1;
const unit = () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
};
geometry.computeBoundingBox();
const { min, max } = geometry.boundingBox;
const numbers = new Float32Array(memory.buffer, rays, RAYS * 6);
for (let ray = 0; ray < RAYS; ray++) {
    ["x", "y", "z"].forEach((axis, k) => {
        const extent = max[axis] - min[axis];
        const origin = min[axis] - extent + 3 * extent * unit();
        numbers[6 * ray + k] = origin;
        numbers[6 * ray + 3 + k] = min[axis] + extent * unit() - origin;
    });
}

const ours = new Float32Array(RAYS), theirs = new Float32Array(RAYS);
// three-mesh-bvh wants unit directions and gives distances: made before, as a caller who has such rays would have them.
const peers = Array.from({ length: RAYS }, (_, ray) => {
    const part = first => new Vector3(...numbers.subarray(6 * ray + first, 6 * ray + first + 3));
    const direction = part(3);
    return { length: direction.length(), ray: new Ray(part(0), direction.normalize()) };
});
const runOurs = () => { for (let ray = 0; ray < RAYS; ray++) ours[ray] = closest_hit(model, rays + 24 * ray); };
const runTheirs = () => {
    for (let ray = 0; ray < RAYS; ray++) {
        const hit = tree.raycastFirst(peers[ray].ray, DoubleSide);
        theirs[ray] = hit ? hit.distance / peers[ray].length : Infinity;
    }
};
const times = [[], []];
for (let round = 0; round < ROUNDS; round++) {
    [runOurs, runTheirs].forEach((run, who) => {
        const start = process.hrtime.bigint();
        run();
        times[who].push(Number(process.hrtime.bigint() - start) / RAYS);
    });
}
let hits = 0, others = 0;
for (let ray = 0; ray < RAYS; ray++) {
    hits += Number.isFinite(ours[ray]);
    const equal = ours[ray] === theirs[ray] || Math.abs(ours[ray] - theirs[ray]) <= 1e-4 * Math.abs(theirs[ray]);
    others += !equal;
}
// Rays along edges may slip through three-mesh-bvh's triangles.
if (others > RAYS / 1000) throw new Error(`${others} of ${RAYS} answers differ`);
const [us, them] = times.map(list => list.sort((a, b) => a - b)[ROUNDS >> 1]);
console.log(`${bvh}: ${indices.length / 3} triangles, ${RAYS} rays, ${hits} hit, ${others} answers differ by more than 1e-4`);
console.log(`bvhc ${us.toFixed(0)} ns, three-mesh-bvh ${them.toFixed(0)} ns, ${(them / us).toFixed(2)} times`);
