// A registry on this machine that knows the packages of a folder and passes everything else on to the one that npm uses:
// `npm install earshot` before anything is published.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { limitsOf, platforms } from './platform.mjs';

/** The package.json of a tarball: the files of a tar lie in blocks of 512 bytes, a head before each. */
function manifestOf(tarball) {
  const tar = gunzipSync(tarball);
  for (let at = 0; at < tar.length;) {
    const name = tar.toString('utf8', at, at + 100).replace(/\0.*$/s, '');
    const size = parseInt(tar.toString('latin1', at + 124, at + 136), 8) || 0;
    if (name === 'package/package.json') return JSON.parse(tar.toString('utf8', at + 512, at + 512 + size));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  throw new Error('a tarball without package.json');
}

/** What a registry says of a package that has one version. */
const packument = (manifest, dist) => ({
  type: 'application/json',
  body: JSON.stringify({
    name: manifest.name,
    'dist-tags': { latest: manifest.version },
    versions: { [manifest.version]: { ...manifest, dist } },
    // Package managers may refuse what is only minutes old.
    time: { [manifest.version]: '2026-01-01T00:00:00.000Z' },
  }),
});

/** A package that holds nothing but its package.json. */
function tarballOf(manifest) {
  const text = Buffer.from(JSON.stringify(manifest));
  const head = Buffer.alloc(512);
  head.write('package/package.json');
  head.write('0000644\0', 100);
  head.write('0000000\0', 108);
  head.write('0000000\0', 116);
  head.write(`${text.length.toString(8).padStart(11, '0')}\0`, 124);
  head.write('00000000000\0', 136);
  head.write('        ', 148);
  head.write('0ustar\x0000', 156);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return gzipSync(Buffer.concat([head, text, Buffer.alloc(((512 - (text.length % 512)) % 512) + 1024)]));
}

/** @returns its address, and how to close it */
export async function startRegistry(folder) {
  const upstream = spawnSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).stdout.trim();
  const base = upstream.endsWith('/') ? upstream : `${upstream}/`;
  const known = new Map();
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.tgz'))) {
    const bytes = readFileSync(join(folder, file));
    const manifest = manifestOf(bytes);
    known.set(manifest.name, { manifest, file, bytes });
  }
  const known404 = '{"error":"not found"}';
  function own(path) {
    const file = [...known.values()].find((each) => path === `-/${each.file}`);
    if (file) return { type: 'application/octet-stream', body: file.bytes };
    const found = known.get(path);
    if (found) {
      const integrity = `sha512-${createHash('sha512').update(found.bytes).digest('base64')}`;
      return packument(found.manifest, { tarball: `${address}/-/${found.file}`, integrity });
    }
    // Of other systems: built there. Some package managers fetch them all the same.
    const [system] = /(?<=^(?:-\/)?earshot-(?:onnxruntime-)?).+?(?=\.tgz$|$)/.exec(path) ?? [];
    if (system === undefined || !platforms.includes(system)) return null;
    const [{ manifest }] = known.values();
    const elsewhere = { name: path.replace(/^-\/|\.tgz$/g, ''), version: manifest.version, ...limitsOf(system) };
    const body = tarballOf(elsewhere);
    if (path.endsWith('.tgz')) return { type: 'application/octet-stream', body };
    const integrity = `sha512-${createHash('sha512').update(body).digest('base64')}`;
    return packument(elsewhere, { tarball: `${address}/-/${elsewhere.name}.tgz`, integrity });
  }
  async function answer(request, response) {
    const path = decodeURIComponent((request.url ?? '/').slice(1));
    const found = own(path);
    if (found) response.setHeader('content-type', found.type).end(found.body);
    else if (/^earshot(-|$)/.test(path)) response.writeHead(404).end(known404);
    else
      try {
        const theirs = await fetch(new URL(request.url.slice(1), base), {
          headers: { accept: request.headers.accept ?? '*/*' },
        });
        response.writeHead(theirs.status, { 'content-type': theirs.headers.get('content-type') ?? 'application/json' });
        const body = Buffer.from(await theirs.arrayBuffer());
        // Tarballs come through here, too: who tries the packages may know neither the other registry nor its certificate.
        const isText = /json/.test(theirs.headers.get('content-type') ?? '');
        const ours = (url) =>
          `"tarball":"${address}/${url.startsWith(base) ? url.slice(base.length) : new URL(url).pathname.slice(1)}"`;
        response.end(
          isText ? body.toString('utf8').replaceAll(/"tarball":\s*"([^"]+)"/g, (_, url) => ours(url)) : body,
        );
      } catch (thrown) {
        response.writeHead(502).end(String(thrown));
      }
  }
  const server = createServer((request, response) => void answer(request, response));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${server.address().port}`;
  return { address, close: () => server.closeAllConnections() ?? server.close() };
}
