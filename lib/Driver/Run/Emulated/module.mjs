// usage: node module.mjs MODULE FUNCTION REQUEST RESPONSE
//
// Runs MODULE, which attnc-run has linked of module.c and an object. The files
// are those of caller.c.
import { readFileSync, writeFileSync } from "node:fs";

const [module, name, request, response] = process.argv.slice(2);

function fail(text) {
  const bytes = new Uint8Array(memory.buffer);
  const what = bytes.subarray(text, bytes.indexOf(0, text));
  process.stderr.write(`module: ${Buffer.from(what)}\n`);
  process.exit(2);
}

const instance = new WebAssembly.Instance(
  new WebAssembly.Module(readFileSync(module)), { env: { fail } });
const { memory, reserve, run } = instance.exports;

function put(bytes) {
  const at = reserve(bytes.length, 8) >>> 0;
  new Uint8Array(memory.buffer).set(bytes, at);
  return at;
}

const result = run(put(Buffer.from(name + "\0")), put(readFileSync(request)));
const at = result >>> 0;
const length = Number(new DataView(memory.buffer).getBigInt64(at, true));
writeFileSync(response, new Uint8Array(memory.buffer, at + 8, length));
