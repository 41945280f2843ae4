import * as Type from 'typebox/type';
import { longestVoiceName, mostVoices } from '../../contract/voice-print.ts';
import { captionKinds, captionProfiles } from '../../contract/text-files.ts';
import { mediaFile } from '../declare/inputs.ts';
import { defaulted } from '../declare/options.ts';
import type { ContextOf } from '../declare/run.ts';

export const inputs = { file_id: mediaFile() };

export const options = Type.Object(
  {
    language: Type.Optional(
      Type.String({ pattern: '^[a-z]{2,3}$', description: 'Code of the language that is spoken; default detected' }),
    ),
    verbatim: defaulted(Type.Boolean({ default: true, description: 'Keep fillers such as um and uh' })),
    speaker_labels: defaulted(
      Type.Boolean({
        default: true,
        description: 'Number the speakers in the order of their first words, up to 8 people, no names',
      }),
    ),
    translate: defaulted(
      Type.Boolean({
        default: false,
        description: 'Write in English what is said in another language',
      }),
    ),
    vocabulary: Type.Optional(
      Type.Array(Type.String({ minLength: 2, maxLength: 80 }), {
        minItems: 1,
        maxItems: 500,
        description: 'Names and terms that may be said, as written, up to 8 words each',
      }),
    ),
    speakers: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 8,
        description: 'How many people speak, where that is known',
      }),
    ),
    min_speakers: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 8, description: 'How many people speak at least' }),
    ),
    max_speakers: Type.Optional(Type.Integer({ minimum: 1, maximum: 8, description: 'How many people speak at most' })),
    speaker_channels: defaulted(
      Type.Boolean({
        default: false,
        description: 'Each speaker has a channel: two microphones, or the ends of a call',
      }),
    ),
    voices: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: longestVoiceName }), {
        minItems: 1,
        maxItems: mostVoices,
        description: 'Names of known voices, which then stand in place of numbers; or all',
      }),
    ),
    captions: Type.Optional(
      Type.Array(Type.Enum(captionKinds), {
        minItems: 1,
        maxItems: captionKinds.length,
        description: 'Further files: ass (styled captions), ttml (EBU-TT-D), docx, rttm (who speaks when)',
      }),
    ),
    caption_profile: defaulted(
      Type.Enum(captionProfiles, {
        default: 'standard',
        description: 'Whom captions are for, by length of lines and speed; shorts: a few words at a time',
      }),
    ),
    karaoke: defaulted(Type.Boolean({ default: false, description: 'The time of each word in VTT and ASS' })),
    sound_events: defaulted(
      Type.Boolean({
        default: false,
        description: 'Also tell music, applause, sirens, ringing, thunder and animals',
      }),
    ),
  },
  { additionalProperties: false },
);

/** The context of `run`. */
export type TranscribeAudioContext = ContextOf<typeof inputs, typeof options>;
