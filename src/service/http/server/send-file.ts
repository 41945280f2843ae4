import { create as contentDisposition } from 'content-disposition';
import type { FastifyReply, FastifyRequest } from 'fastify';
import parseRange from 'range-parser';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { shownName } from '../../../library/core/checks/names.ts';
import { sentType } from '../../rules/files/sent-type.ts';
import type { OpenedFile } from '../../rules/files/opened-file.ts';
import type { Dialect } from './dialect.ts';
import { sendError } from './errors.ts';

/** Responds to GET and HEAD with the bytes of a file or a range; supports If-Range and If-None-Match. */
export async function sendStoredFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { file, sizeBytes, read }: OpenedFile,
  speaker: Pick<Dialect, 'errorAnswer'>,
): Promise<FastifyReply> {
  const etag = `"${file.sha256 ?? file.id}"`;
  reply.headers({
    'accept-ranges': 'bytes',
    // The link is a short-lived credential.
    'cache-control': 'private, no-cache',
    etag,
    // Uploaded HTML must not run as a page of this site.
    'content-disposition': contentDisposition(file.filename),
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  if (request.headers['if-none-match']?.split(',').some((tag) => [etag, '*'].includes(tag.trim().replace(/^W\//, ''))))
    return reply.code(304).send();

  // Ranges apply to GET only (RFC 9110, 14.2).
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

/** One byte range; null: the whole file, also for several ranges, which need not be supported. */
function chooseRange(
  request: FastifyRequest,
  sizeBytes: number,
  etag: string,
): { start: number; end: number } | null | 'outside' {
  const { range: header, 'if-range': ifRange } = request.headers;
  if (header === undefined || (ifRange !== undefined && ifRange !== etag)) return null;
  // A suffix longer than the file means the whole file (RFC 9110, 14.1.2); range-parser treats it as outside.
  const within = header.replace(
    /([=,]\s*)-(\d+)/g,
    (_, before, length) => `${before}-${Math.min(Number(length), sizeBytes)}`,
  );
  const ranges = parseRange(sizeBytes, within, { combine: true });
  if (ranges === -1) return 'outside';
  if (ranges === -2 || ranges.type !== 'bytes') return null;
  const [only, ...others] = ranges;
  return only === undefined || others.length > 0 ? null : { start: only.start, end: only.end };
}
