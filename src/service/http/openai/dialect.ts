import multipart from '@fastify/multipart';
import { bearerAccount } from '../interface/bearer.ts';
import type { Dialect } from '../server/dialect.ts';
import type { OpenaiDeps } from './deps.ts';
import { errorAnswer } from './errors.ts';
import { modelRoutes } from './models.ts';
import { transcriptionRoutes } from './transcriptions.ts';

/**
 * /v1/audio and /v1/models, compatible with OpenAI's API: transcribe_audio in one request. The same accounts, prices
 * and limits as the REST API.
 */
export function openaiDialect(deps: OpenaiDeps): Dialect {
  return {
    name: 'openai',
    prefixes: ['/v1/audio', '/v1/models'],
    pathHelp: 'Check the path; the paths are /v1/audio/transcriptions, /v1/audio/translations and /v1/models.',
    errorAnswer,
    authenticate: (request) => bearerAccount(request, deps.service.access),
    async routes(scope, given) {
      await scope.register(multipart, { throwFileSizeLimit: false });
      modelRoutes(scope);
      transcriptionRoutes(scope, deps, given);
    },
  };
}
