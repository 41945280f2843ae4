import type { Described } from '../interface/described.ts';
import type { UploadPage } from '../interface/upload-page.ts';
import type { Dialect } from '../server/dialect.ts';
import { createEventStreams } from '../server/events.ts';
import { accountRoutes } from './account.ts';
import { authenticate } from '../interface/authenticate.ts';
import { chainRoutes, newChainRoutes } from './chains.ts';
import { chainComponents } from '../interface/chain-schemas.ts';
import { downloadRoutes } from './downloads.ts';
import { errorAnswer } from '../interface/errors.ts';
import { fileRoutes } from './files.ts';
import { jobRoutes } from './jobs.ts';
import { newFileRoutes } from './new-files.ts';
import { jobInputSchemas, newJobRoute } from './new-jobs.ts';
import { mediaRoutes } from './media.ts';
import { timelineRoutes, TimelineRangesSchema } from './timelines.ts';
import { describeApi, openapiPath, openapiRoute } from './openapi.ts';
import type { RouteDeps } from './deps.ts';
import { components } from '../interface/schemas.ts';
import { webhookComponents } from '../interface/webhook-schemas.ts';
import { toolRoutes } from './tools.ts';
import { byteRoutes, uploadRoutes } from './uploads.ts';
import { voiceRoutes } from './voices.ts';
import { voiceComponents } from '../interface/voice-schemas.ts';
import { webhookRoutes } from './webhooks.ts';
import type { DialectDeps } from '../interface/dialect-deps.ts';

/** Options of the composition. */
export interface V1Options {
  /** Other dialects' parts of openapi.json. Default: none. */
  readonly described?: readonly Described[];
}

/** The REST API without the page of upload links: dialects.ts adds it. */
export function v1Routes(
  { service, config, tools, rootPath = '' }: DialectDeps,
  { described = [] }: V1Options,
  uploadPage: UploadPage,
): Dialect {
  return {
    name: 'v1',
    prefixes: ['/api/v1', openapiPath, '/upload', '/f'],
    pathHelp: `Check the path; ${rootPath}${openapiPath} lists all of them.`,
    schemas: [
      ...components,
      ...chainComponents,
      ...webhookComponents,
      ...voiceComponents,
      TimelineRangesSchema,
      ...jobInputSchemas(tools),
    ],
    errorAnswer,
    authenticate: (request) => authenticate(request, service.access, config),
    async routes(scope, { closing }) {
      // Before all routes, because it collects them.
      await describeApi(scope, config.baseUrl ?? (rootPath === '' ? '/' : rootPath), described);
      const streams = createEventStreams(config.accountSockets, closing);
      const deps: RouteDeps = { service, config, tools, closing, uploadPage, streams };
      for (const register of [
        toolRoutes,
        accountRoutes,
        newFileRoutes,
        fileRoutes,
        mediaRoutes,
        timelineRoutes,
        newJobRoute,
        jobRoutes,
        newChainRoutes,
        chainRoutes,
        uploadRoutes,
        downloadRoutes,
        webhookRoutes,
        voiceRoutes,
      ])
        register(scope, deps);
      await scope.register(async (inner) => byteRoutes(inner, deps));
      uploadPage.routes(scope);
      openapiRoute(scope);
    },
  };
}
