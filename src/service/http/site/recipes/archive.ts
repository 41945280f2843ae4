// All results of a chain as one ZIP, written while it is read: sound is stored as it is, since it does not get smaller.
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyReply } from 'fastify';
import { create as contentDisposition } from 'content-disposition';
import { ZipFile } from 'yazl';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import type { ChainView } from '../../../rules/chains/chains.ts';
import { stemOf } from '../../../rules/chains/next-step.ts';
import type { OwnPage } from '../account/session.ts';
import { shownChain } from '../account/chain-parts.ts';

/** @throws EarshotError file_expired where nothing is left of them */
export async function sendArchive(page: OwnPage, view: ChainView, reply: FastifyReply): Promise<FastifyReply> {
  const ready = view.outputs.filter(({ status }) => status === 'ready');
  const [first] = ready;
  if (first === undefined) throw new EarshotError('file_expired', 'The results of this chain have been deleted');
  const { files } = page.site.service;
  const zip = new ZipFile();
  const sent = new PassThrough();
  for (const file of ready)
    zip.addReadStreamLazy(
      file.filename,
      // A size that is known beforehand lets the archive say its own.
      { compress: false, mtime: view.chain.createdAt, ...(file.sizeBytes === null ? {} : { size: file.sizeBytes }) },
      (take) => {
        const opened = files.open(page.account, file.id).then(({ read }) => read());
        opened.then(
          (stream) => take(null, stream),
          (thrown: unknown) => take(thrown, sent),
        );
      },
    );
  const report = Buffer.from(`${JSON.stringify(shownChain(page, view), null, 2)}\n`);
  zip.addBuffer(report, `${stemOf(first.filename)}.report.json`, { compress: false, mtime: view.chain.createdAt });
  // Its types leave the size out, which it says: -1 where it is not known.
  const size = new Promise<number>((resolve) => zip.end(undefined, resolve as () => void));
  // A file that goes meanwhile breaks the download off: a short archive must not look whole.
  zip.on('error', (error: Error) => sent.destroy(error));
  void pipeline(zip.outputStream, sent).catch((error: unknown) =>
    reply.log.error({ err: error }, 'an archive broke off'),
  );
  const bytes = await size;
  return reply
    .headers({
      'content-type': 'application/zip',
      'cache-control': 'no-store',
      'content-disposition': contentDisposition(`${stemOf(first.filename)}.zip`),
      'x-content-type-options': 'nosniff',
      ...(bytes > 0 ? { 'content-length': bytes } : {}),
    })
    .send(sent);
}
