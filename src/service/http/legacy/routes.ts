import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { badValue } from '../../../library/core/checks/schema.ts';
import { accountOf, clientSignal } from '../server/context.ts';
import { formParts } from '../server/form-parts.ts';
import { sendStoredFile } from '../server/send-file.ts';
import { errorAnswer } from './errors.ts';
import type { LegacyDeps } from './deps.ts';
import { statusMessage, withoutEnding } from './records.ts';
import { noiseTool, readJob, withExtension } from './request.ts';

const withKey = { config: { access: 'account' } } as const;
const fileField = 'file';
/** Clients of this API send no key with a download: the token in the path is the credential. */
const byLink = { config: { access: 'link', secret: ['name'] } } as const;
/** Only the file is read; other parts are ignored. */
const mostParts = 100;

/** The routes of /v1 except the websocket. */
export function legacyRoutes(app: FastifyInstance, { service: { legacyJobs }, tools }: LegacyDeps): void {
  const tool = noiseTool(tools);

  app.post<{ Querystring: { inputExt?: unknown } }>(
    '/v1/upload',
    { config: { ...withKey.config, multipart: true } },
    async (request, reply) => {
      if (!request.isMultipart())
        throw badValue('body', `a form (multipart/form-data) with ${fileField}`, undefined, 'the body');
      const gone = clientSignal(reply);
      const { inputExt } = request.query;
      let fileId: string | null = null;
      for await (const part of formParts(request, { parts: mostParts }, gone)) {
        if (part.kind !== 'file') continue;
        if (part.name !== fileField || fileId !== null) {
          part.body.resume();
          continue;
        }
        const filename = withExtension(part.filename === '' ? 'upload' : part.filename, inputExt);
        // inputExt overrides the form's content type.
        const contentType = inputExt === undefined ? part.contentType : null;
        ({ id: fileId } = await legacyJobs.upload(accountOf(request), {
          filename,
          contentType,
          body: part.body,
          signal: gone,
        }));
      }
      if (fileId === null) throw badValue(fileField, 'a file in the form', undefined);
      return { fileId };
    },
  );

  app.route({
    ...withKey,
    method: 'POST',
    url: '/v1/remove-noise',
    handler: async (request) => ({
      jobId: await legacyJobs.create(accountOf(request), readJob(request.body, tool)),
    }),
  });

  app.get<{ Params: { id: string } }>('/v1/remove-noise/:id/status', withKey, async (request, reply) => {
    void reply.header('cache-control', 'no-store');
    const status = await legacyJobs.status(accountOf(request), request.params.id.slice(0, 100));
    return statusMessage(status, legacyJobs.nameOf);
  });

  // "v1" + downloadPath and "v1/" + downloadPath.
  for (const url of ['/v1/download/:name', '/v1//download/:name']) {
    // A separate HEAD route, because Fastify's derived one would read the whole file.
    app.route<ByName>({ ...byLink, method: 'GET', url, exposeHeadRoute: false, handler: download });
    app.route<ByName>({ ...byLink, method: 'HEAD', url, handler: download });
  }

  async function download(request: FastifyRequest<ByName>, reply: FastifyReply): Promise<FastifyReply> {
    const opened = await legacyJobs.open(request.account, withoutEnding(request.params.name.slice(0, 1000)));
    return sendStoredFile(request, reply, opened, { errorAnswer });
  }
}

interface ByName {
  Params: { name: string };
}
