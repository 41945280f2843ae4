// Builds the clients that are packages of their own beside `earshot`: clients/<name>/dist, one module with the REST
// client in it, and its types. Usage: build-clients.mjs [names; default: all]
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const names = process.argv.length > 2 ? process.argv.slice(2) : ['ai-sdk'];

for (const name of names) {
  const entry = `clients/${name}/src/index`;
  const types = join(root, 'build', `types-${name}`);
  const dir = join(root, 'clients', name, 'dist');
  const external = (id) => !id.startsWith('.') && !isAbsolute(id);
  rmSync(dir, { recursive: true, force: true });
  const code = await rolldown({ cwd: root, input: `${entry}.ts`, external, platform: 'neutral' });
  await code.write({ dir, format: 'esm', entryFileNames: 'index.js' });
  await code.close();
  const flags = [
    '--declaration',
    '--emitDeclarationOnly',
    '--noEmit',
    'false',
    '--allowJs',
    'false',
    '--outDir',
    types,
  ];
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const settings =
    '--target es2023 --module nodenext --strict --exactOptionalPropertyTypes --skipLibCheck --types node ' +
    '--allowImportingTsExtensions --rewriteRelativeImportExtensions --rootDir';
  execFileSync(
    process.execPath,
    [compiler, '--ignoreConfig', ...settings.split(' '), root, ...flags, join(root, `${entry}.ts`)],
    {
      stdio: 'inherit',
      cwd: root,
    },
  );
  const build = await rolldown({
    cwd: root,
    input: { index: join(types, `${entry}.d.ts`) },
    plugins: [dts({ dtsInput: true })],
    external,
  });
  await build.write({ dir, format: 'esm' });
  await build.close();
  rmSync(types, { recursive: true, force: true });
}
