// Prints what an installation takes on disk, the largest parts first, and points out files for other platforms.
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../node_modules', import.meta.url));
const seen = new Set();
function size(path) {
  const stat = lstatSync(path);
  if (stat.isDirectory()) return readdirSync(path).reduce((sum, name) => sum + size(join(path, name)), 0);
  // Hard links (the `node` package makes one of its binary) take their space once.
  const key = `${stat.dev}:${stat.ino}`;
  if (stat.nlink > 1 && seen.has(key)) return 0;
  seen.add(key);
  return stat.blocks * 512;
}
const packages = readdirSync(root).flatMap((name) =>
  name.startsWith('@') ? readdirSync(join(root, name)).map((sub) => `${name}/${sub}`) : [name],
);
const rows = packages.map((name) => [name, size(join(root, name))]).sort((a, b) => b[1] - a[1]);
const mb = (bytes) => (bytes / 1e6).toFixed(1).padStart(8);
for (const [name, bytes] of rows.slice(0, 15)) console.log(`${mb(bytes)} MB  ${name}`);
console.log(`${mb(rows.reduce((sum, row) => sum + row[1], 0))} MB  all ${rows.length} packages, for development`);
const development =
  /^(node|vitest|vite|oxlint|oxlint-tsgolint|typescript|fast-check|rolldown|lightningcss.*|@oxlint.*|@typescript\/.*|@rolldown\/.*|@vitest\/.*|@types\/.*)$/;
console.log(
  `${mb(rows.filter((row) => !development.test(row[0])).reduce((sum, row) => sum + row[1], 0))} MB  ` +
    'of them for running',
);
const foreign = rows.filter(
  ([name]) =>
    /(darwin|win32|freebsd|android|linuxmusl|linux-(?!x64|arm64)\w+)/.test(name) &&
    !name.includes(`${process.platform}-${process.arch}`),
);
console.log(
  foreign.length === 0
    ? 'nothing for other platforms'
    : `for other platforms: ${foreign.map(([name]) => name).join(', ')}`,
);
