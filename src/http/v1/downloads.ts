import { create as contentDisposition } from 'content-disposition';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import parseRange from 'range-parser';
import * as Type from 'typebox/type';
import type { Static, TSchema } from 'typebox/type';
import { EarshotError } from '../../core/errors.ts';
import type { StoredFile } from '../../service/records.ts';
import { sendError } from '../server/errors.ts';
import { errorAnswer } from '../interface/errors.ts';
import { operation } from '../interface/operation.ts';
import type { RouteParts } from './parts.ts';

const linkParams = Type.Object({
  token: Type.String({ description: 'Token of the link' }),
  filename: Type.String({ description: 'Name of the file, for people' }),
});
type ByLink = Static<typeof linkParams>;

const bytes = (description: string): TSchema =>
  Type.Unsafe({
    description,
    content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
  });

/** GET and HEAD /f/<token>/<filename>: the bytes of a file, whole or a range. The token is the only credential. */
export function downloadRoutes(app: FastifyInstance, { service }: RouteParts): void {
  const options = operation({
    operationId: 'downloadFile',
    summary: 'The bytes of a file',
    description: 'Takes one byte range, and If-Range and If-None-Match with the ETag.',
    tag: 'File links',
    access: 'token',
    openPoint: true,
    params: linkParams,
    answers: {
      200: bytes('The file'),
      206: bytes('A range of it'),
      304: Type.Null({ description: 'Not modified' }),
      416: Type.Unsafe({
        description: 'The range is outside of the file',
        content: { 'application/json': { schema: { $ref: 'Error#' } } },
      }),
    },
    errors: ['unauthorized', 'not_found', 'file_expired'],
  });

  const url = '/f/:token/:filename';
  // HEAD has a route of its own, because the one that Fastify derives would read the whole file.
  app.route<{ Params: ByLink }>({ ...options, method: 'GET', url, exposeHeadRoute: false, handler: sendFile });
  app.route<{ Params: ByLink }>({
    method: 'HEAD',
    url,
    config: options.config ?? {},
    schema: { hide: true },
    handler: sendFile,
  });

  async function sendFile(request: FastifyRequest<{ Params: ByLink }>, reply: FastifyReply): Promise<FastifyReply> {
    const { file, sizeBytes, read } = await service.files.openDownload(request.params.token);
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
    if (
      request.headers['if-none-match']?.split(',').some((tag) => [etag, '*'].includes(tag.trim().replace(/^W\//, '')))
    )
      return reply.code(304).send();

    // Ranges are for GET alone (RFC 9110, 14.2).
    const range = request.method === 'HEAD' ? null : chooseRange(request, sizeBytes, etag);
    if (range === 'outside') {
      reply.header('content-range', `bytes */${sizeBytes}`).removeHeader('content-disposition').removeHeader('etag');
      sendError(
        new EarshotError(
          'bad_request',
          `Expected a range within the ${sizeBytes} bytes of the file ` +
            `but received ${request.headers.range?.slice(0, 100)}`,
        ),
        request,
        reply,
        { errorAnswer },
        416,
      );
      return reply;
    }
    reply.type(contentTypeOf(file));
    if (range !== null) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${sizeBytes}`);
    reply.header('content-length', range === null ? sizeBytes : range.end - range.start + 1);
    if (request.method === 'HEAD') return reply.send();
    const stream = await (range === null ? read() : read(range));
    stream.once('error', (error) =>
      request.log.error({ err: error, file: file.id }, 'reading a file for a download failed'),
    );
    return reply.send(stream);
  }
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

/** A type that came with an upload is only passed on when it is one. */
function contentTypeOf({ contentType }: StoredFile): string {
  return /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;\s*[\w!#$&^.+-]+=[\w!#$&^.+-]+)*$/.test(contentType)
    ? contentType
    : 'application/octet-stream';
}
