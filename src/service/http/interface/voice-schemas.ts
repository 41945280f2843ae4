import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import { longestVoiceName } from '../../../library/contract/voice-print.ts';
import type { AccountVoice } from '../../rules/voices/voice-store.ts';
import { ref } from './schemas.ts';

/** The shapes of voices: an addition to the interface as a whole. A print is in none of them. */

const name = Type.String({
  minLength: 1,
  maxLength: longestVoiceName,
  description: 'Name of the person, as transcripts are to have it: one line, without commas',
});

export const VoiceSchema = Type.Object(
  {
    id: Type.String({ description: 'Identifier of the voice' }),
    name,
    status: Type.Enum(['processing', 'ready', 'failed'], {
      description: 'processing: the print is being made; ready: jobs can name the voice',
    }),
    error: Type.Union(
      [
        Type.Object({
          code: Type.String({ description: 'Code of the error' }),
          message: Type.String({ description: 'What is wrong with the recording' }),
        }),
        Type.Null(),
      ],
      { description: 'Why there is no print; null: there is one, or it is being made' },
    ),
    seconds: Type.Unsafe<number | null>({
      type: ['number', 'null'],
      description: 'Speech that the print was made of, seconds; null: not made',
    }),
    consent: Type.String({ description: 'What the person agreed to' }),
    createdAt: Type.String({ format: 'date-time', description: 'Time of creation, ISO 8601' }),
  },
  { $id: 'Voice' },
);

export const VoiceList = Type.Object(
  {
    data: Type.Array(ref(VoiceSchema)),
    nextCursor: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'null: the list has one page' }),
  },
  { $id: 'VoiceList' },
);

export const CreateVoiceRequest = Type.Object(
  {
    name,
    file_id: Type.String({
      maxLength: 100,
      description: 'Recording of this person alone, 10 s of speech or more; it may be deleted afterwards',
    }),
    ranges: Type.Optional(
      Type.Array(Type.Array(Type.Number({ minimum: 0, maximum: 1e9 }), { minItems: 2, maxItems: 2 }), {
        minItems: 1,
        maxItems: 100,
        description: 'Where in the recording only this person speaks: [start, end] in seconds; default everywhere',
      }),
    ),
    consent: Type.Unsafe<true>({
      type: 'boolean',
      enum: [true],
      description: 'The person has agreed that a print of the voice is stored, which is biometric data',
    }),
    consent_text: Type.Optional(
      Type.String({ minLength: 1, maxLength: 500, description: 'What the person agreed to, and when; default: that' }),
    ),
  },
  { $id: 'CreateVoiceRequest', additionalProperties: false },
);

export const UpdateVoiceRequest = Type.Object({ name }, { $id: 'UpdateVoiceRequest', additionalProperties: false });

export const voiceComponents = [VoiceSchema, VoiceList, CreateVoiceRequest, UpdateVoiceRequest];

export const voiceRecord = (voice: AccountVoice): Static<typeof VoiceSchema> => ({
  id: voice.id,
  name: voice.name,
  status: voice.status,
  error: voice.error && { code: voice.error.code, message: voice.error.message },
  seconds: voice.seconds,
  consent: voice.consent,
  createdAt: voice.createdAt.toISOString(),
});

export const voiceId = 'voice_8Kd2RqT8nVb5Kx1LmZp3Wa';
const voice = {
  id: voiceId,
  name: 'Anna',
  status: 'ready',
  error: null,
  seconds: 28.5,
  consent: 'Anna agreed on 2026-11-30',
  createdAt: '2026-11-30T10:00:00.000Z',
};

/** For openapi.json, by the ids of the schemas. */
export const voiceExamples = {
  Voice: voice,
  VoiceList: { data: [voice], nextCursor: null },
  CreateVoiceRequest: {
    name: 'Anna',
    file_id: 'file_7Hq2RqT8nVb5Kx1LmZp3Wa',
    ranges: [[10, 40]],
    consent: true,
    consent_text: 'Anna agreed on 2026-11-30',
  },
  UpdateVoiceRequest: { name: 'Anna' },
};
