// A registry on this machine that knows the packages of a folder and passes everything else on to the one that npm
// uses: `npm install earshot` before anything is published. Of ours it has what the folder has, as the public one will.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { tarballsIn } from './tarballs.mjs';
import { npmCommand } from '../npm.mjs';

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

/** @returns its address, and how to close it */
export async function startRegistry(folder) {
  const [npm, ...first] = npmCommand();
  const upstream = spawnSync(npm, [...first, 'config', 'get', 'registry'], { encoding: 'utf8' }).stdout.trim();
  const base = upstream.endsWith('/') ? upstream : `${upstream}/`;
  const known = new Map((await tarballsIn(folder)).map((each) => [each.manifest.name, each]));
  const known404 = '{"error":"not found"}';
  function own(path) {
    const file = [...known.values()].find((each) => path === `-/${each.file}`);
    if (file) return { type: 'application/octet-stream', body: file.bytes };
    const found = known.get(path);
    if (!found) return null;
    const integrity = `sha512-${createHash('sha512').update(found.bytes).digest('base64')}`;
    return packument(found.manifest, { tarball: `${address}/-/${found.file}`, integrity });
  }
  async function answer(request, response) {
    const path = decodeURIComponent((request.url ?? '/').slice(1));
    const found = own(path);
    if (found) response.setHeader('content-type', found.type).end(found.body);
    else if (/^(?:-\/)?earshot(-|$)/.test(path)) response.writeHead(404).end(known404);
    else
      try {
        const theirs = await fetch(new URL(request.url.slice(1), base), {
          headers: { accept: request.headers.accept ?? '*/*' },
        });
        response.writeHead(theirs.status, { 'content-type': theirs.headers.get('content-type') ?? 'application/json' });
        const body = Buffer.from(await theirs.arrayBuffer());
        // Tarballs come through here, too: who tries the packages may know neither the other registry nor its
        // certificate.
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
