import multipart from '@fastify/multipart';
import { bearerAccount } from '../interface/bearer.ts';
import type { Dialect } from '../server/dialect.ts';
import type { OpenaiDeps } from './deps.ts';
import { errorAnswer } from './errors.ts';
import { modelRoutes } from './models.ts';
import { realtimePath, realtimeRoutes, realtimeToken } from './realtime-routes.ts';
import { transcriptionRoutes } from './transcriptions.ts';

/**
 * /v1/audio, /v1/models and /v1/realtime, compatible with OpenAI's API: transcribe_audio in one request, or as people
 * speak. The same accounts, prices and limits as the REST API.
 */
export function openaiDialect(deps: OpenaiDeps): Dialect {
  return {
    name: 'openai',
    prefixes: ['/v1/audio', '/v1/models', realtimePath],
    pathHelp:
      'Check the path; the paths are /v1/audio/transcriptions, /v1/audio/translations, /v1/models and /v1/realtime.',
    errorAnswer,
    authenticate: (request) => bearerAccount(realtimeToken(request), deps.service.access),
    async routes(scope, given) {
      await scope.register(multipart, { throwFileSizeLimit: false });
      modelRoutes(scope);
      transcriptionRoutes(scope, deps, given);
      // In their own scope: the plugin would accept handshakes on every route of the scope.
      const { liveVoices } = deps;
      if (liveVoices !== undefined)
        await scope.register(async (inner) => realtimeRoutes(inner, { ...deps, liveVoices }, given.closing));
    },
  };
}
