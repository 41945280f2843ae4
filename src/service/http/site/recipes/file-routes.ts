// Files of an account in bulk, and their pictures.
import type { FastifyInstance } from 'fastify';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import { authenticate } from '../../interface/authenticate.ts';
import { nothingSelected, selectedIn } from '../account/files.ts';
import { openOwnPage } from '../account/session.ts';
import { toSignIn } from '../account/view.ts';
import type { Site } from '../frame/site.ts';
import { archiveHeaders, archiveOf, entryName } from './archive.ts';

/** Of one page of the list. */
const mostFiles = 50;
const options = { config: { access: 'public' as const }, schema: { hide: true } };

/** GET /files/archive?file-<id>=1&...: these as one ZIP; GET /files/<id>/wave.svg: what a file sounds like, drawn. */
export function fileRoutes(scope: FastifyInstance, site: Site): void {
  const { service, config } = site;
  scope.get<{ Querystring: Record<string, string> }>('/files/archive', options, async (request, reply) => {
    const page = await openOwnPage(site, request, reply);
    if (page === null) return toSignIn(site, reply, '/files');
    const ids = selectedIn(request.query).slice(0, mostFiles);
    if (ids.length === 0) return reply.header('cache-control', 'no-store').redirect(page.href(nothingSelected), 303);
    const found = await Promise.all(ids.map((id) => service.files.get(page.account, id, 0)));
    const ready = found.filter(({ status }) => status === 'ready');
    if (ready.length === 0) throw new EarshotError('file_not_ready', 'None of these files has arrived');
    const files = namedApart(ready).map(({ id, name, sizeBytes }) => ({
      name,
      sizeBytes,
      open: async () => await (await service.files.open(page.account, id)).read(),
    }));
    const { sent, sizeBytes } = await archiveOf(files, null, new Date(), (error) =>
      reply.log.error({ err: error }, 'an archive broke off'),
    );
    return reply.headers(archiveHeaders('files.zip', sizeBytes)).send(sent);
  });

  scope.get<{ Params: { file: string } }>('/files/:file/wave.svg', options, async (request, reply) => {
    const account = await authenticate(request, service.access, config);
    const wanted = { waitSeconds: patienceSeconds, level: 5, first: 0, count: mostBins } as const;
    const { status, bins } = await service.peaks.get(account, request.params.file.slice(0, 100), wanted);
    return reply
      .headers({
        'content-type': 'image/svg+xml',
        // A file's bytes never change; a picture that is not made yet is asked for again.
        'cache-control': status === 'processing' ? 'no-store' : 'private, max-age=86400',
        'content-security-policy': "default-src 'none'",
        'x-content-type-options': 'nosniff',
      })
      .send(waveOf(bins?.data ?? Buffer.alloc(0)));
  });
}

const patienceSeconds = 20;
/** Ten hours of five a second. */
const mostBins = 180_000;
const [columns, height] = [96, 32];

/** Two files of one name would overwrite each other when the archive is unpacked. */
function namedApart<F extends { readonly filename: string }>(files: readonly F[]): readonly (F & { name: string })[] {
  const used = new Set<string>();
  return files.map((file) => {
    const own = entryName(file.filename);
    const dot = own.lastIndexOf('.');
    const [stem, extension] = dot > 0 ? [own.slice(0, dot), own.slice(dot)] : [own, ''];
    let name = own;
    for (let n = 2; used.has(name.toLowerCase()); n += 1) name = `${stem} (${n})${extension}`;
    used.add(name.toLowerCase());
    return { ...file, name };
  });
}

/** Pairs of signed bytes, minimum and maximum, as a picture in a grey that is seen on light and dark. */
function waveOf(data: Buffer): string {
  const bins = data.length / 2;
  const middle = height / 2;
  let path = '';
  for (let x = 0; x < columns; x += 1) {
    let [least, greatest] = [0, 0];
    const first = Math.floor((x * bins) / columns);
    const end = Math.min(bins, Math.max(Math.floor(((x + 1) * bins) / columns), first + 1));
    for (let bin = first; bin < end; bin += 1) {
      least = Math.min(least, data.readInt8(2 * bin));
      greatest = Math.max(greatest, data.readInt8(2 * bin + 1));
    }
    const [top, bottom] = [middle - (greatest / 128) * middle, middle - (least / 128) * middle];
    path += `M${x} ${top.toFixed(1)}h1V${Math.max(bottom, top + 0.6).toFixed(1)}h-1z`;
  }
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${columns}" height="${height}" ` +
    `viewBox="0 0 ${columns} ${height}"><path fill="#7d8783" d="${path}"/></svg>`
  );
}
