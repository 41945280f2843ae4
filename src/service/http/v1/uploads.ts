import type { FastifyInstance } from 'fastify';
import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import type { ErrorCode } from '../../../library/core/errors/errors.ts';
import { badValue } from '../../../library/core/checks/schema.ts';
import { contentLengthOf, streamBody } from '../server/bodies.ts';
import { clientSignal } from '../server/context.ts';
import { answer, operation } from '../interface/operation.ts';
import type { RouteDeps } from './deps.ts';
import { fileRecord, uploadInstructions } from '../interface/records.ts';
import { FileRecord, NamedUpload, PartLinks, PartReceipt, ref } from '../interface/schemas.ts';
import { NameBody } from './new-files.ts';

const tokenParams = Type.Object({ token: Type.String({ description: 'Token of the upload link' }) });
const partParams = Type.Object({
  ...tokenParams.properties,
  n: Type.String({ pattern: '^[0-9]{1,5}$', description: 'Part number counting from 1' }),
});

const tokenErrors: readonly ErrorCode[] = ['unauthorized', 'not_found', 'conflict', 'file_expired'];
const bytesErrors: readonly ErrorCode[] = [...tokenErrors, 'file_too_large', 'upload_limit_reached'];
const common = { tag: 'Upload page', access: 'token', openPoint: true } as const;

const LinksBody = Type.Object(
  {
    parts: Type.Array(Type.Integer({ minimum: 1, maximum: 10_000 }), {
      minItems: 1,
      maxItems: 1000,
      description: 'Part numbers, counting from 1',
    }),
  },
  { additionalProperties: false, $id: 'PartLinksRequest' },
);

type ByToken = { Params: Static<typeof tokenParams> };

/**
 * Receives the bytes of upload links, in one PUT or in parts. The token in the path is the credential. Must be
 * registered in its own scope.
 */
export function byteRoutes(app: FastifyInstance, { service }: RouteDeps): void {
  const { files, tools } = service;
  // Files are never parsed, not even JSON files, and only the service's own limits apply.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));

  app.route<ByToken>({
    method: 'PUT',
    url: '/upload/:token/file',
    ...operation({
      ...common,
      operationId: 'uploadFile',
      summary: 'Receives the bytes of the file',
      params: tokenParams,
      rawBody: true,
      answers: { 200: answer(ref(FileRecord), 'The file') },
      errors: bytesErrors,
    }),
    handler: async (request, reply): Promise<Static<typeof FileRecord>> =>
      fileRecord(
        await files.acceptUpload(
          request.params.token,
          streamBody(request, reply),
          contentLengthOf(request.raw),
          clientSignal(reply),
        ),
        tools,
      ),
  });

  app.route<{ Params: Static<typeof partParams> }>({
    method: 'PUT',
    url: '/upload/:token/parts/:n',
    ...operation({
      ...common,
      operationId: 'uploadPart',
      summary: 'Receives the bytes of one part',
      params: partParams,
      rawBody: true,
      answers: { 200: answer(ref(PartReceipt), 'The part has arrived') },
      errors: bytesErrors,
    }),
    handler: async (request, reply): Promise<Static<typeof PartReceipt>> => {
      const { token, n } = request.params;
      if (!/^[0-9]{1,5}$/.test(n)) throw badValue('n', 'part number counting from 1', n, 'the part in the path');
      const part = Number(n);
      await files.acceptPart(
        token,
        part,
        streamBody(request, reply),
        contentLengthOf(request.raw),
        clientSignal(reply),
      );
      return { part };
    },
  });
}

/** The other routes of upload links: joining the parts, and the upload page. */
export function uploadRoutes(app: FastifyInstance, { service, uploadPage }: RouteDeps): void {
  const { files, tools } = service;
  app.addSchema(LinksBody);

  app.route<ByToken>({
    method: 'POST',
    url: '/upload/:token/complete',
    ...operation({
      ...common,
      operationId: 'completeUpload',
      summary: 'Joins the parts',
      description: 'If parts are missing, the error lists them in details.missingParts.',
      params: tokenParams,
      answers: { 200: answer(ref(FileRecord), 'The file') },
      errors: tokenErrors,
    }),
    handler: async (request): Promise<Static<typeof FileRecord>> => {
      // Joining many gigabytes on a slow disk may take longer than the idle timeout.
      request.raw.socket.setTimeout(0);
      return fileRecord(await files.completeUpload(request.params.token), tools);
    },
  });

  app.route<ByToken & { Body: Static<typeof LinksBody> }>({
    method: 'POST',
    url: '/upload/:token/links',
    ...operation({
      ...common,
      operationId: 'linkParts',
      summary: 'Links for parts',
      description:
        'Links that lead straight to the object store, where the operator allows it; otherwise none, and parts go to ' +
        "partUrl. Each takes PUTs of exactly its part's bytes; completing the upload stays the same.",
      params: tokenParams,
      body: LinksBody,
      answers: { 200: answer(ref(PartLinks), 'A link for each part, or none') },
      errors: tokenErrors,
    }),
    handler: async (request): Promise<Static<typeof PartLinks>> => ({
      links: (await files.partLinks(request.params.token, request.body.parts)).map(({ expiresAt, ...link }) => ({
        ...link,
        method: 'PUT',
        expiresAt: expiresAt.toISOString(),
      })),
    }),
  });

  app.route<ByToken & { Body: Static<typeof NameBody> }>({
    method: 'POST',
    url: '/upload/:token/name',
    ...operation({
      ...common,
      operationId: 'nameUpload',
      summary: 'Names the file, for the page',
      params: tokenParams,
      body: NameBody,
      answers: { 200: answer(ref(NamedUpload), 'The file and how to upload it') },
      errors: [...tokenErrors, 'unsupported_format'],
    }),
    handler: async (request): Promise<Static<typeof NamedUpload>> => {
      const ticket = await files.nameByToken(request.params.token, request.body);
      return { file: fileRecord(ticket.file, tools), ...uploadInstructions(ticket) };
    },
  });

  app.route<ByToken>({
    method: 'GET',
    url: '/upload/:token',
    ...operation({
      ...common,
      operationId: 'getUploadPage',
      summary: 'The page where a person uploads the file',
      params: tokenParams,
      answers: { 200: htmlAnswer },
      errors: tokenErrors,
    }),
    handler: (request, reply) => uploadPage.send(request, reply, () => files.ticket(request.params.token)),
  });
}

const htmlAnswer = Type.Unsafe({ description: 'The page', content: { 'text/html': { schema: { type: 'string' } } } });
