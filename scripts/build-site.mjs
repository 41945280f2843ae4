// Builds what browsers load of the website: a script for each kind of page out of src/site/islands, one style sheet,
// fonts. Usage: build-site.mjs [folder; default: dist/site]. The service that runs on its sources imports this instead
// (src/service/http/site/frame/assets.ts).
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { exampleSounds, exampleSource, makeExample } from './example.mjs';
import { iconNames, makeIcon } from './icons.mjs';

export { exampleSounds, iconNames, makeExample, makeIcon };

const root = fileURLToPath(new URL('..', import.meta.url));
const from = join(root, 'src/site');

/** In the order of the cascade. */
const styles = ['fonts', 'tokens', 'base', 'components', 'site', 'editor'];

const licences = {
  'instrument-sans-latin-wght.woff2': 'instrument-sans-OFL.txt',
  'martian-mono-w80-sub.woff2': 'martian-mono-OFL.txt',
};

/**
 * What src/site/islands/client.ts exports: the other scripts of a page import it from there, so that it is loaded once.
 */
const ofClient = new Set(
  ['client/errors', 'client/keys', 'client/poll', 'client/request', 'site/account/requests'].map((name) =>
    join(root, 'src', `${name}.ts`),
  ),
);
const clientScript = './client.js';

const importsClient = {
  name: 'requests come from the script client',
  resolveId: (source, importer) =>
    importer !== undefined && ofClient.has(resolve(dirname(importer), source))
      ? { id: clientScript, external: true }
      : null,
};

/**
 * One script, with the packages in it.
 * @param {string} name of a file in src/site/islands, without its extension
 * @param {{ minify?: boolean }} [options] default: minified
 * @returns {Promise<string>}
 */
export async function buildScript(name, { minify = true } = {}) {
  const [input] = globSync(`islands/${name}.{ts,tsx}`, { cwd: from });
  if (input === undefined) throw new TypeError(`src/site/islands has no ${name}`);
  const build = await rolldown({
    input: join(from, input),
    cwd: root,
    platform: 'browser',
    transform: {
      target: 'es2022',
      jsx: { runtime: 'automatic' },
      define: { 'process.env.NODE_ENV': '"production"' },
    },
    logLevel: 'warn',
    plugins: name === 'client' ? [] : [importsClient],
  });
  const { output } = await build.generate({ format: 'esm', minify, codeSplitting: false });
  await build.close();
  return output[0].code;
}

/** All styles as one sheet. Addresses of fonts are relative to it. */
export const buildStyle = () =>
  styles.map((name) => readFileSync(join(from, 'styles', `${name}.css`), 'utf8')).join('\n');

/**
 * Files that are served as they are, by name: fonts with their licences, the picture of a tab, a sheet of one page, the
 * example of the front page.
 */
export const plainFiles = () => [
  ...Object.keys(licences).map((name) => join(from, 'fonts', name)),
  ...Object.values(licences).map((name) => join(from, 'fonts', name)),
  join(from, 'favicon.svg'),
  join(from, 'styles/upload-page.css'),
  join(from, 'example.json'),
  exampleSource,
];

/** Names of the scripts. */
export const scriptNames = () =>
  globSync('islands/*.{ts,tsx}', { cwd: from })
    .map((path) => basename(path, extname(path)))
    .toSorted((a, b) => a.localeCompare(b));

/** Writes everything under names that hold a hash of the content, and manifest.json: their names by the plain ones. */
async function writeSite(out) {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const manifest = {};
  const write = (name, bytes) => {
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 10);
    const extension = extname(name);
    manifest[name] = `${name.slice(0, -extension.length)}.${hash}${extension}`;
    writeFileSync(join(out, manifest[name]), bytes);
  };
  const sounds = await Promise.all(exampleSounds.map(makeExample)).catch((thrown) => {
    console.warn(`The front page has no example: ${thrown.message}`);
    return [];
  });
  for (const [place, bytes] of sounds.entries()) write(exampleSounds[place], bytes);
  for (const path of plainFiles())
    if (sounds.length > 0 || basename(path) !== 'example.json') write(basename(path), readFileSync(path));
  for (const name of iconNames) write(name, await makeIcon(name));
  let style = buildStyle();
  for (const name of Object.keys(licences)) style = style.replaceAll(`url(${name})`, `url(${manifest[name]})`);
  write('site.css', Buffer.from(style));
  write('client.js', Buffer.from(await buildScript('client')));
  for (const name of scriptNames().filter((each) => each !== 'client')) {
    const code = await buildScript(name);
    write(`${name}.js`, Buffer.from(code.replaceAll(clientScript, `./${manifest['client.js']}`)));
  }
  writeFileSync(join(out, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  console.log(`${Object.keys(manifest).length} files of the website`);
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await writeSite(resolve(process.argv[2] ?? join(root, 'dist/site')));
