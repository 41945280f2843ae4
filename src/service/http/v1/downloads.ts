import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as Type from 'typebox/type';
import type { Static, TSchema } from 'typebox/type';
import { errorAnswer } from '../interface/errors.ts';
import { sendStoredFile } from '../server/send-file.ts';
import { operation } from '../interface/operation.ts';
import type { RouteDeps } from './deps.ts';

const linkParams = Type.Object({
  token: Type.String({ description: 'Token of the link' }),
  filename: Type.String({ description: 'Name of the file; not checked' }),
});
type ByLink = Static<typeof linkParams>;

const bytes = (description: string): TSchema =>
  Type.Unsafe({
    description,
    content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
  });

/** GET and HEAD /f/<token>/<filename>: the bytes of a file, whole or a range. The token is the only credential. */
export function downloadRoutes(app: FastifyInstance, { service }: RouteDeps): void {
  const options = operation({
    operationId: 'downloadFile',
    summary: 'The bytes of a file',
    description: 'Supports one byte range, and If-Range and If-None-Match with the ETag.',
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
  // A separate HEAD route, because Fastify's derived one would read the whole file.
  app.route<{ Params: ByLink }>({ ...options, method: 'GET', url, exposeHeadRoute: false, handler: sendFile });
  app.route<{ Params: ByLink }>({
    method: 'HEAD',
    url,
    config: options.config ?? {},
    schema: { hide: true },
    handler: sendFile,
  });

  async function sendFile(request: FastifyRequest<{ Params: ByLink }>, reply: FastifyReply): Promise<FastifyReply> {
    return sendStoredFile(request, reply, await service.files.openDownload(request.params.token), { errorAnswer });
  }
}
