// All results of a chain as one ZIP, written while it is read: sound is stored as it is, since it does not get smaller.
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyReply } from 'fastify';
import { create as contentDisposition } from 'content-disposition';
import { ZipFile } from 'yazl';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import type { ChainView } from '../../../rules/chains/chains.ts';
import { stemOf } from '../../../rules/chains/next-step.ts';
import type { OwnPage } from '../account/session.ts';
import { shownChain } from '../account/chain-parts.ts';

/** A file of an archive, opened when its turn comes. */
export interface ArchivedFile {
  readonly name: string;
  /** null: it is not known, nor is the archive's. */
  readonly sizeBytes: number | null;
  open(): Promise<Readable>;
}

/** A name as ZIP files have it: "A: intro.wav" would be a path on a drive, which is refused. */
export const entryName = (filename: string): string => filename.replace(/^([A-Za-z]):/, '$1_');

/** @throws EarshotError file_expired where nothing is left of them */
export async function sendArchive(page: OwnPage, view: ChainView, reply: FastifyReply): Promise<FastifyReply> {
  const ready = view.outputs.filter(({ status }) => status === 'ready');
  const [first] = ready;
  if (first === undefined) throw new EarshotError('file_expired', 'The results of this chain have been deleted');
  const { files } = page.site.service;
  const report = Buffer.from(`${JSON.stringify(shownChain(page, view), null, 2)}\n`);
  const { sent, sizeBytes } = await archiveOf(
    ready.map(({ id, filename, sizeBytes: size }) => ({
      name: filename,
      sizeBytes: size,
      open: async () => await (await files.open(page.account, id)).read(),
    })),
    { name: `${stemOf(first.filename)}.report.json`, bytes: report },
    view.chain.createdAt,
    (error) => reply.log.error({ err: error }, 'an archive broke off'),
  );
  return reply.headers(archiveHeaders(`${stemOf(first.filename)}.zip`, sizeBytes)).send(sent);
}

/** @param sizeBytes null: not known */
export const archiveHeaders = (name: string, sizeBytes: number | null): Readonly<Record<string, string>> => ({
  'content-type': 'application/zip',
  'cache-control': 'no-store',
  'content-disposition': contentDisposition(name),
  'x-content-type-options': 'nosniff',
  ...(sizeBytes === null ? {} : { 'content-length': String(sizeBytes) }),
});

/**
 * An archive that breaks off where a file cannot be read to its end: a short one must not look whole.
 * @param report null: none lies beside the files
 */
export async function archiveOf(
  files: readonly ArchivedFile[],
  report: { readonly name: string; readonly bytes: Buffer } | null,
  mtime: Date,
  onBroken: (error: unknown) => void,
): Promise<{ readonly sent: Readable; readonly sizeBytes: number | null }> {
  const zip = new ZipFile();
  const sent = new PassThrough();
  let reading: Readable | null = null;
  const begin = async (file: ArchivedFile, take: (error: unknown, stream: Readable) => void): Promise<void> => {
    const stream = await file.open();
    // ZipFile leaves errors of a file, and one that is only half read, to its caller: an error ended the process, and
    // each download that was broken off left a file open.
    stream.on('error', (error) => sent.destroy(error));
    if (sent.destroyed) return void stream.destroy();
    reading = stream;
    take(null, stream);
  };
  sent.once('close', () => reading?.destroy());
  for (const file of files)
    zip.addReadStreamLazy(
      entryName(file.name),
      // A size that is known beforehand lets the archive say its own.
      { compress: false, mtime, ...(file.sizeBytes === null ? {} : { size: file.sizeBytes }) },
      (take) => {
        begin(file, take).catch((thrown: unknown) => sent.destroy(thrown as Error));
      },
    );
  if (report !== null) zip.addBuffer(report.bytes, entryName(report.name), { compress: false, mtime });
  zip.on('error', (error: Error) => sent.destroy(error));
  // Its types leave the size out, which it says: -1 where it is not known.
  const size = new Promise<number>((resolve) => zip.end(undefined, resolve as () => void));
  void pipeline(zip.outputStream, sent).catch(onBroken);
  const bytes = await size;
  return { sent, sizeBytes: bytes > 0 ? bytes : null };
}
