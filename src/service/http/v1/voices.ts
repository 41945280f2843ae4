import type { FastifyInstance } from 'fastify';
import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import { asRange } from '../../../library/core/time-range.ts';
import { accountOf } from '../server/context.ts';
import { answer, noContent, type Operation, operation } from '../interface/operation.ts';
import { ref } from '../interface/schemas.ts';
import {
  CreateVoiceRequest,
  UpdateVoiceRequest,
  VoiceList,
  voiceRecord,
  VoiceSchema,
} from '../interface/voice-schemas.ts';
import type { RouteDeps } from './deps.ts';

const params = Type.Object({
  id: Type.String({ maxLength: 100, pattern: '^voice_[0-9A-Za-z]+$', description: 'Voice id' }),
});
type Params = { Params: Static<typeof params> };

/** An operation of voices, which the contract does not have. */
const ofVoices = (declared: Omit<Operation, 'tag' | 'access' | 'openPoint'>) =>
  operation({ ...declared, tag: 'Voices', access: 'account', openPoint: true });

/** Voices that an account has known again: /api/v1/voices. */
export function voiceRoutes(app: FastifyInstance, { service: { voices } }: RouteDeps): void {
  app.route({
    method: 'GET',
    url: '/api/v1/voices',
    ...ofVoices({
      operationId: 'listVoices',
      summary: 'Voices of the account, by name',
      answers: { 200: answer(ref(VoiceList), 'All voices of the account') },
    }),
    handler: async (request): Promise<Static<typeof VoiceList>> => ({
      data: (await voices.list(accountOf(request))).map(voiceRecord),
      nextCursor: null,
    }),
  });

  app.route<{ Body: Static<typeof CreateVoiceRequest> }>({
    method: 'POST',
    url: '/api/v1/voices',
    ...ofVoices({
      operationId: 'createVoice',
      summary: 'Has a voice known again in transcripts',
      description:
        'Makes a print of the voice in a recording, in a few seconds. Only of people who have agreed: it is biometric ' +
        'data. It proves nothing about who speaks, and belongs to this account alone.',
      body: CreateVoiceRequest,
      answers: { 201: answer(ref(VoiceSchema), 'The voice; its print is being made') },
      errors: ['not_found', 'conflict', 'limit_exceeded', 'file_not_ready', 'file_invalid', 'file_expired', 'no_audio'],
    }),
    handler: async (request, reply): Promise<Static<typeof VoiceSchema>> => {
      const { name, file_id: fileId, ranges, consent_text: consent } = request.body;
      const wish = {
        name,
        fileId,
        ranges: ranges?.map((range) => asRange(range as [number, number])) ?? null,
        consent: consent ?? null,
      };
      const voice = await voices.create(accountOf(request), wish);
      void reply.code(201);
      return voiceRecord(voice);
    },
  });

  app.route<Params>({
    method: 'GET',
    url: '/api/v1/voices/:id',
    ...ofVoices({
      operationId: 'getVoice',
      summary: 'One voice',
      params,
      answers: { 200: answer(ref(VoiceSchema), 'The voice') },
      errors: ['not_found'],
    }),
    handler: async (request): Promise<Static<typeof VoiceSchema>> =>
      voiceRecord(await voices.get(accountOf(request), request.params.id)),
  });

  app.route<Params & { Body: Static<typeof UpdateVoiceRequest> }>({
    method: 'PATCH',
    url: '/api/v1/voices/:id',
    ...ofVoices({
      operationId: 'updateVoice',
      summary: 'Gives a voice another name',
      params,
      body: UpdateVoiceRequest,
      answers: { 200: answer(ref(VoiceSchema), 'The voice') },
      errors: ['not_found', 'conflict'],
    }),
    handler: async (request): Promise<Static<typeof VoiceSchema>> =>
      voiceRecord(await voices.rename(accountOf(request), request.params.id, request.body.name)),
  });

  app.route<Params>({
    method: 'DELETE',
    url: '/api/v1/voices/:id',
    ...ofVoices({
      operationId: 'deleteVoice',
      summary: 'Deletes a voice with its print, at once',
      params,
      answers: { 204: noContent('Deleted') },
      errors: ['not_found'],
    }),
    handler: async (request, reply) => {
      await voices.remove(accountOf(request), request.params.id);
      return reply.code(204).send();
    },
  });
}
