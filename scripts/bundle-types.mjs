// Joins the declarations of the public face into one file for each entry, so that TypeScript reads a few thousand lines
// and no package of ours that only our sources need.
// Usage: bundle-types.mjs <folder of the compiler's declarations> [folder; default: dist]
import { rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';

const root = fileURLToPath(new URL('..', import.meta.url));
const from = resolve(process.argv[2] ?? join(root, 'build/types'));
const out = resolve(process.argv[3] ?? join(root, 'dist'));

/** A package of types alone that ours are made of: joined, so that a user's compiler asks for nothing. */
const joined = { '@standard-schema/spec': join(root, 'node_modules/@standard-schema/spec/dist/index.d.ts') };

const build = await rolldown({
  cwd: root,
  input: Object.fromEntries(
    ['index', 'server', 'sound', 'client', 'browser'].map((entry) => [entry, join(from, `${entry}.d.ts`)]),
  ),
  plugins: [{ name: 'joined', resolveId: (id) => joined[id] ?? null }, dts({ dtsInput: true })],
  external: (id) => !(id in joined) && !id.startsWith('.') && !isAbsolute(id),
});
const { output } = await build.write({ dir: out, format: 'esm', chunkFileNames: 'types/[name].js' });
await build.close();
// The same for `require`: a module is CommonJS or not by its ending.
for (const { fileName, code } of output)
  if (fileName.endsWith('.d.ts'))
    writeFileSync(
      join(out, fileName.replace(/\.d\.ts$/, '.d.cts')),
      code.replaceAll(/((?:from|import\()\s*"\.[^"]*)\.js"/g, '$1.cjs"'),
    );
rmSync(from, { recursive: true, force: true });
console.log(`types: ${output.map(({ fileName }) => fileName).join(', ')}`);
