import { create as contentDisposition } from 'content-disposition';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import parseRange from 'range-parser';
import { EarshotError } from '../../../library/core/errors.ts';
import { shownName } from '../../../library/core/names.ts';
import type { StoredFile } from '../../rules/records.ts';
import type { Dialect } from './dialect.ts';
import { sendError } from './errors.ts';

/** A file with its bytes. */
export interface OpenedFile {
  readonly file: StoredFile;
  readonly sizeBytes: number;
  read(range?: { readonly start: number; readonly end: number }): Promise<Readable>;
}

/** Answers GET and HEAD with the bytes of a file, whole or a range; knows If-Range and If-None-Match. */
export async function sendStoredFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { file, sizeBytes, read }: OpenedFile,
  speaker: Pick<Dialect, 'errorAnswer'>,
): Promise<FastifyReply> {
  const etag = `"${file.sha256 ?? file.id}"`;
  reply.headers({
    'accept-ranges': 'bytes',
    // The link is a secret of its holder, and works for minutes only.
    'cache-control': 'private, no-cache',
    etag,
    // Whatever somebody uploaded must not act as a page of this site.
    'content-disposition': contentDisposition(file.filename),
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  if (request.headers['if-none-match']?.split(',').some((tag) => [etag, '*'].includes(tag.trim().replace(/^W\//, ''))))
    return reply.code(304).send();

  // Ranges are for GET alone (RFC 9110, 14.2).
  const range = request.method === 'HEAD' ? null : chooseRange(request, sizeBytes, etag);
  if (range === 'outside') {
    reply.header('content-range', `bytes */${sizeBytes}`).removeHeader('content-disposition').removeHeader('etag');
    sendError(
      new EarshotError(
        'bad_request',
        `Expected a range within the ${sizeBytes} bytes of the file ` +
          `but received ${shownName(request.headers.range ?? '')}`,
      ),
      request,
      reply,
      speaker,
      416,
    );
    return reply;
  }
  reply.type(sentType(file));
  if (range !== null) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${sizeBytes}`);
  reply.header('content-length', range === null ? sizeBytes : range.end - range.start + 1);
  if (request.method === 'HEAD') return reply.send();
  const stream = await (range === null ? read() : read(range));
  stream.once('error', (error) =>
    request.log.error({ err: error, file: file.id }, 'reading a file for a download failed'),
  );
  return reply.send(stream);
}

/** One range of bytes; null: all of them, also for several ranges at once, which nobody has to be given. */
function chooseRange(
  request: FastifyRequest,
  sizeBytes: number,
  etag: string,
): { start: number; end: number } | null | 'outside' {
  const { range: header, 'if-range': ifRange } = request.headers;
  if (header === undefined || (ifRange !== undefined && ifRange !== etag)) return null;
  // A suffix longer than the file is the whole file (RFC 9110, 14.1.2); range-parser would call it outside.
  const within = header.replace(/(?<=[=,]\s*)-(\d+)/g, (_, length) => `-${Math.min(Number(length), sizeBytes)}`);
  const ranges = parseRange(sizeBytes, within, { combine: true });
  if (ranges === -1) return 'outside';
  if (ranges === -2 || ranges.type !== 'bytes') return null;
  const [only, ...others] = ranges;
  return only === undefined || others.length > 0 ? null : { start: only.start, end: only.end };
}

/**
 * A type that came with an upload is only passed on when it is one. Text is UTF-8, or it would not have passed its check,
 * and says so: browsers take it for Latin letters otherwise. HTML says itself what it is.
 */
export function sentType({ contentType }: Pick<StoredFile, 'contentType'>): string {
  if (!/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;\s*[\w!#$&^.+-]+=[\w!#$&^.+-]+)*$/.test(contentType))
    return 'application/octet-stream';
  return ['text/plain', 'text/vtt'].includes(contentType) ? `${contentType}; charset=utf-8` : contentType;
}
