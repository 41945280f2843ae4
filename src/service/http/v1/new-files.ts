import type { FastifyInstance } from 'fastify';
import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import { accountOf } from '../server/context.ts';
import { answer, operation } from '../interface/operation.ts';
import type { RouteDeps } from './deps.ts';
import { fileParams } from './files.ts';
import { fileRecord, uploadInstructions } from '../interface/records.ts';
import { CreatedFile, FileRecord, NamedUpload, ref } from '../interface/schemas.ts';

const filename = Type.String({ minLength: 1, maxLength: 255, description: 'Name with extension' });
const sizeBytes = Type.Integer({ exclusiveMinimum: 0, description: 'Bytes' });
const contentType = Type.String({ maxLength: 100, description: 'Media type' });

const CreateBody = Type.Object(
  {
    filename: Type.Optional(filename),
    sizeBytes: Type.Optional(sizeBytes),
    contentType: Type.Optional(contentType),
    idempotencyKey: Type.Optional(
      Type.String({
        minLength: 8,
        maxLength: 200,
        description: 'The same key with the same request returns the same file',
      }),
    ),
  },
  { additionalProperties: false, $id: 'CreateFileRequest' },
);
export const NameBody = Type.Object(
  { filename, sizeBytes, contentType: Type.Optional(contentType) },
  { additionalProperties: false, $id: 'NameFileRequest' },
);
const ImportBody = Type.Object(
  {
    url: Type.String({ minLength: 1, maxLength: 4000, description: 'A public HTTPS link' }),
    filename: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Default: taken from the link' })),
  },
  { additionalProperties: false, $id: 'ImportFileRequest' },
);

/** New files: created to upload, named, or fetched from a link. */
export function newFileRoutes(app: FastifyInstance, { service }: RouteDeps): void {
  const { files, tools } = service;
  for (const schema of [CreateBody, NameBody, ImportBody]) app.addSchema(schema);

  app.route<{ Body: Static<typeof CreateBody> }>({
    method: 'POST',
    url: '/api/v1/files',
    ...operation({
      operationId: 'createFile',
      summary: 'Creates a file to upload',
      description:
        'With filename and sizeBytes, returns the upload link; without them, name the file later, or give ' +
        'uploadPageUrl to a person.',
      tag: 'Files',
      access: 'account',
      body: CreateBody,
      answers: { 201: answer(ref(CreatedFile), 'The file and how to upload it') },
      errors: ['idempotency_key_reused', 'unsupported_format', 'limit_exceeded'],
    }),
    handler: async (request, reply): Promise<Static<typeof CreatedFile>> => {
      const ticket = await files.create(accountOf(request), request.body);
      void reply.code(201);
      return {
        file: fileRecord(ticket.file, tools),
        ...uploadInstructions(ticket),
        uploadPageUrl: ticket.uploadPageUrl,
      };
    },
  });

  app.route<{ Params: Static<typeof fileParams>; Body: Static<typeof NameBody> }>({
    method: 'POST',
    url: '/api/v1/files/:id/upload',
    ...operation({
      operationId: 'nameFile',
      summary: 'Names a file that was created without name and size',
      tag: 'Files',
      access: 'account',
      params: fileParams,
      body: NameBody,
      answers: { 200: answer(ref(NamedUpload), 'The file and how to upload it') },
      errors: ['not_found', 'conflict', 'file_expired', 'unsupported_format'],
    }),
    handler: async (request): Promise<Static<typeof NamedUpload>> => {
      const ticket = await files.name(accountOf(request), request.params.id, request.body);
      return { file: fileRecord(ticket.file, tools), ...uploadInstructions(ticket) };
    },
  });

  app.route<{ Body: Static<typeof ImportBody> }>({
    method: 'POST',
    url: '/api/v1/files/import',
    ...operation({
      operationId: 'importFile',
      summary: 'Fetches a file from a public HTTPS link',
      description:
        'Answers within about 20 seconds, status processing while it arrives. ' +
        'The same link within an hour gives the same file.',
      tag: 'Files',
      access: 'account',
      body: ImportBody,
      answers: { 201: answer(ref(FileRecord), 'The file') },
      errors: ['fetch_failed', 'unsupported_format', 'limit_exceeded', 'upload_limit_reached'],
    }),
    handler: async (request, reply): Promise<Static<typeof FileRecord>> => {
      const file = await files.importLink(accountOf(request), request.body);
      void reply.code(201);
      return fileRecord(file, tools);
    },
  });
}
