// Compiles the kernels to WebAssembly: prebuilt/earshot.wasm. The compiler is a package of npm and runs in Node;
// objects are kept by what they are made of, in build/wasm. Two builds give the same bytes, on any machine.
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const compiler = JSON.parse(readFileSync(join(root, 'node_modules/@yowasp/clang/package.json'), 'utf8')).version;
// No relaxed vectors: their results differ between machines, and Node 20 and Safari refuse them. What else libc++'s
// headers include would be half of the compiler's time.
const flags = (
  '-std=c++17 -O3 -msimd128 -fno-math-errno -ffp-contract=fast -fno-exceptions -fno-rtti -fvisibility=hidden ' +
  '-D_LIBCPP_REMOVE_TRANSITIVE_INCLUDES -Wall -Wextra'
).split(' ');
const linkFlags = (
  '-mexec-model=reactor -O3 -Wl,--strip-all -Wl,--gc-sections -Wl,--max-memory=4294967296 ' +
  '-Wl,-z,stack-size=1048576'
).split(' ');

const hashOf = (...parts) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest('hex').slice(0, 32);
};

/** Puts a file there in one step: builds side by side never see half of one. */
function put(path, bytes) {
  mkdirSync(dirname(path), { recursive: true });
  const next = `${path}.${process.pid}`;
  writeFileSync(next, bytes);
  renameSync(next, path);
}

/** By path from native/. The compiler's files know no "..", so includes are written from there. */
function readSources(native) {
  const named = globSync(['kernels/*/*.{h,cc}', 'wasm/*.{h,cc}'], { cwd: native }).map((each) =>
    each.replaceAll('\\', '/'),
  );
  return new Map(
    named.sort().map((path) => {
      const text = readFileSync(join(native, path), 'utf8');
      const from = (_, name) => {
        const beside = posix.join(dirname(path), name);
        return `#include "${named.includes(beside) ? beside : name}"`;
      };
      return [path, text.replaceAll(/#include "([^"]+)"/g, from)];
    }),
  );
}

/** A file with all of ours that it includes, over however many steps. */
function withIncludes(sources, path, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const [, name] of sources.get(path).matchAll(/#include "([^"]+)"/g)) withIncludes(sources, name, found);
  return found;
}

/** The compiler's files: folders are objects. */
function treeOf(sources, more) {
  const tree = { ...more };
  for (const [path, text] of sources) {
    const names = path.split('/');
    const folder = names.slice(0, -1).reduce((into, name) => (into[name] ??= {}), tree);
    folder[names.at(-1)] = text;
  }
  return tree;
}

/** Loads the compiler when something must be compiled: 75 MB of WebAssembly. */
async function clang(args, tree) {
  const { runClang, runLLVM } = await import('@yowasp/clang');
  // Reads its own files, without a line about each.
  await runLLVM(undefined, undefined, { fetchProgress: () => {} });
  let said = '';
  const show = (bytes) => (said += bytes === null ? '' : new TextDecoder().decode(bytes));
  try {
    const made = await runClang(['clang++', ...args], tree, { stdout: show, stderr: show });
    if (said) console.error(said);
    return made;
  } catch (thrown) {
    throw new Error(`clang++ ${args.at(-1)}: ${said || String(thrown)}`, { cause: thrown });
  }
}

/**
 * @param out the module's path
 * @param native the folder of the sources
 * @param kept the folder where objects are kept; an empty one has all compiled anew
 * @returns how many sources were compiled
 */
export async function buildWasm({
  out = join(root, 'prebuilt/earshot.wasm'),
  native = join(root, 'native'),
  kept = join(root, 'build/wasm'),
} = {}) {
  const sources = readSources(native);
  const headers = new Set([...sources.values()].flatMap((text) => text.match(/#include <\w+>/g) ?? []));
  const standard = `${[...headers].sort().join('\n')}\n`;
  const objects = [...sources.keys()]
    .filter((path) => path.endsWith('.cc'))
    .map((path) => {
      const parts = [...withIncludes(sources, path)].sort().flatMap((each) => [each, sources.get(each)]);
      return { path, name: `${path.replaceAll('/', '-').slice(0, -3)}.o`, key: hashOf(compiler, ...flags, ...parts) };
    });
  const key = hashOf(compiler, ...linkFlags, ...objects.map((each) => each.key));
  const module = join(kept, `${key}.wasm`);
  const missing = objects.filter((each) => !existsSync(join(kept, `${each.key}.o`)));
  if (!existsSync(module)) {
    if (missing.length > 0) {
      // What all of them include of libc++, read once.
      const header = join(kept, `${hashOf(compiler, ...flags, standard)}.pch`);
      const files = treeOf(sources, { 'standard.h': standard });
      if (!existsSync(header))
        put(
          header,
          (await clang([...flags, '-x', 'c++-header', '-o', 'standard.pch', 'standard.h'], files))['standard.pch'],
        );
      files['standard.pch'] = readFileSync(header);
      const use = ['-I.', '-include-pch', 'standard.pch', '-Xclang', '-fno-validate-pch'];
      for (const { path, name, key: object } of missing)
        put(join(kept, `${object}.o`), (await clang([...flags, ...use, '-o', name, '-c', path], files))[name]);
    }
    const linked = Object.fromEntries(objects.map((each) => [each.name, readFileSync(join(kept, `${each.key}.o`))]));
    const made = await clang([...linkFlags, ...Object.keys(linked), '-o', 'earshot.wasm'], linked);
    put(module, made['earshot.wasm']);
  }
  const bytes = readFileSync(module);
  if (!existsSync(out) || !readFileSync(out).equals(bytes)) put(out, bytes);
  return missing.length;
}

if (process.argv[1] === import.meta.filename) {
  const startedAt = performance.now();
  const compiled = await buildWasm();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${basename(root)}: prebuilt/earshot.wasm, ${compiled} sources compiled, ${seconds} s`);
}
