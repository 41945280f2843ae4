import type { FastifyInstance } from 'fastify';
import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import { accountOf, readWaiting } from '../server/context.ts';
import { answer, noContent, operation } from '../interface/operation.ts';
import type { RouteDeps } from './deps.ts';
import { fileRecord, pageOf, pageRequest } from '../interface/records.ts';
import { DownloadLink, FileList, FileRecord, pageQuery, ref } from '../interface/schemas.ts';

export const fileParams = Type.Object({
  id: Type.String({ maxLength: 100, pattern: '^file_[0-9A-Za-z]+$', description: 'Identifier of the file' }),
});
export const waitSeconds = Type.Optional(
  Type.Number({ minimum: 0, maximum: 40, default: 0, description: 'Seconds to wait for a change' }),
);
const GetQuery = Type.Object({ wait: waitSeconds }, { additionalProperties: false });
const ListQuery = Type.Object(
  { ...pageQuery, kind: Type.Optional(Type.Enum(['original', 'output'], { description: 'Only files of this kind' })) },
  { additionalProperties: false },
);

type ById = Static<typeof fileParams>;

/** Files that exist: /api/v1/files, without peaks and transcripts. */
export function fileRoutes(app: FastifyInstance, { service, closing }: RouteDeps): void {
  const { files, tools } = service;
  app.route<{ Querystring: Static<typeof ListQuery> }>({
    method: 'GET',
    url: '/api/v1/files',
    ...operation({
      operationId: 'listFiles',
      summary: 'Files, newest first',
      tag: 'Files',
      access: 'account',
      query: ListQuery,
      answers: { 200: answer(ref(FileList), 'A page of files') },
    }),
    handler: async (request): Promise<Static<typeof FileList>> => {
      const page = await files.list(
        accountOf(request),
        { kind: request.query.kind ?? null },
        pageRequest(request.query),
      );
      return pageOf(page, (file) => fileRecord(file, tools));
    },
  });

  app.route<{ Params: ById; Querystring: Static<typeof GetQuery> }>({
    method: 'GET',
    url: '/api/v1/files/:id',
    ...operation({
      operationId: 'getFile',
      summary: 'One file',
      description: 'With wait, responds when the upload has arrived and the file is checked, or after the wait.',
      tag: 'Files',
      access: 'account',
      params: fileParams,
      query: GetQuery,
      answers: { 200: answer(ref(FileRecord), 'The file') },
      errors: ['not_found', 'file_expired'],
    }),
    handler: async (request, reply): Promise<Static<typeof FileRecord>> => {
      const account = accountOf(request);
      const file = await readWaiting(reply, closing, request.query.wait ?? 0, (wait, signal) =>
        files.get(account, request.params.id, wait, signal),
      );
      return fileRecord(file, tools);
    },
  });

  app.route<{ Params: ById }>({
    method: 'DELETE',
    url: '/api/v1/files/:id',
    ...operation({
      operationId: 'deleteFile',
      summary: 'Deletes a file',
      tag: 'Files',
      access: 'account',
      params: fileParams,
      answers: { 204: noContent('Deleted') },
      errors: ['not_found', 'file_expired'],
    }),
    handler: async (request, reply) => {
      await files.remove(accountOf(request), request.params.id);
      return reply.code(204).send();
    },
  });

  app.route<{ Params: ById }>({
    method: 'POST',
    url: '/api/v1/files/:id/abort',
    ...operation({
      operationId: 'abortUpload',
      summary: 'Stops an upload that has not completed',
      tag: 'Files',
      access: 'account',
      params: fileParams,
      answers: { 204: noContent('Stopped') },
      errors: ['not_found', 'conflict', 'file_expired'],
    }),
    handler: async (request, reply) => {
      await files.abort(accountOf(request), request.params.id);
      return reply.code(204).send();
    },
  });

  app.route<{ Params: ById }>({
    method: 'GET',
    url: '/api/v1/files/:id/download',
    ...operation({
      operationId: 'getDownloadLink',
      summary: 'A link to the bytes, for a limited time',
      tag: 'Files',
      access: 'account',
      params: fileParams,
      answers: { 200: answer(ref(DownloadLink), 'The link') },
      errors: ['not_found', 'file_not_ready', 'file_invalid', 'file_expired'],
    }),
    handler: async (request): Promise<Static<typeof DownloadLink>> => {
      const { fileId, filename, url, expiresAt } = await files.downloadLink(accountOf(request), request.params.id);
      return { fileId, filename, url, expiresAt: expiresAt.toISOString() };
    },
  });
}
