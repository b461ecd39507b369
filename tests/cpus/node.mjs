// Runs the WebAssembly program on files and prints a line a query, as the native program does:
//   node node.mjs PROGRAM.wasm simd128|scalar COUNT PAIR_COUNT FILE...
import { readFileSync } from "node:fs";
import { basename } from "node:path";

const [program, level, one, two, ...files] = process.argv.slice(2);
let memory, name;
const text = (at, length) => new TextDecoder().decode(new Uint8Array(memory.buffer, at, length));
const host = {
    report(query, queryLength, by, byLength, found, state) {
        const digest = BigInt.asUintN(64, state).toString(16).padStart(16, "0");
        console.log(`${name} ${text(query, queryLength)} ${text(by, byLength)} ${BigInt.asUintN(64, found)} ${digest}`);
    },
    fail: (at, length) => console.error(text(at, length)),
};
const { instance } = await WebAssembly.instantiate(readFileSync(program), { host });
memory = instance.exports.memory;

let number = 0;
while (number < instance.exports.level_count() && instance.exports.is_scalar(number) != (level === "scalar")) number++;
if (number === instance.exports.level_count()) throw new Error(`${program} has no level ${level}`);
for (const file of files) {
    const bytes = readFileSync(file);
    // Pages are 64 KiB, so a new one is aligned.
    const at = memory.grow(Math.ceil(bytes.length / 65536)) * 65536;
    new Uint8Array(memory.buffer).set(bytes, at);
    name = basename(file);
    if (!instance.exports.digests(at, bytes.length, number, Number(one), Number(two))) throw new Error(`${file} does not open`);
}
