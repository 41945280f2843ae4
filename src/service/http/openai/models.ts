import type { FastifyInstance } from 'fastify';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { shownName } from '../../../library/core/checks/names.ts';

/** Our own name for this installation's recogniser. */
const ownModel = 'earshot-transcribe';

/**
 * Accepted names, including OpenAI's, which many programs cannot change. All of them mean this installation's
 * recogniser.
 */
const modelNames = [
  ownModel,
  'whisper-1',
  'gpt-4o-transcribe',
  'gpt-4o-mini-transcribe',
  'gpt-4o-transcribe-diarize',
  'gpt-transcribe',
  'gpt-live-transcribe',
  'gpt-realtime-whisper',
] as const;

/** 2026-11-24, when these names were first served: the interface requires a time. */
const createdSeconds = 1_795_478_400;

const modelRecord = (id: string): object => ({ id, object: 'model', created: createdSeconds, owned_by: 'earshot' });

/**
 * @param name as the client sent it
 * @throws EarshotError bad_request without a name; not_found for an unknown one
 */
export function requireModel(name: unknown): void {
  if (typeof name !== 'string' || name === '')
    throw new EarshotError('bad_request', 'Expected the field model but received none', {
      details: { field: 'model' },
      nextAction: `Send model=${ownModel}.`,
    });
  if (!(modelNames as readonly string[]).includes(name)) throw unknownModel(name);
}

const unknownModel = (name: string): EarshotError =>
  new EarshotError('not_found', `The model ${shownName(name)} does not exist`, {
    details: { field: 'model' },
    nextAction: `Use ${ownModel}; GET /v1/models lists all names.`,
  });

/** GET /v1/models and GET /v1/models/<name>. */
export function modelRoutes(app: FastifyInstance): void {
  app.get('/v1/models', { config: { access: 'account' } }, () => ({
    object: 'list',
    data: modelNames.map(modelRecord),
  }));

  app.get<{ Params: { model: string } }>('/v1/models/:model', { config: { access: 'account' } }, (request) => {
    const { model } = request.params;
    requireModel(model);
    return modelRecord(model);
  });
}
