import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import { notInThisVersion } from '../../contract/unavailable.ts';
import { defaulted, defineTool, mediaFile, refuseUnsuitable } from '../define.ts';

const options = Type.Object(
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
  },
  { additionalProperties: false },
);

/** Parsed: defaults filled in. */
export type TranscribeAudioOptions = Readonly<Static<typeof options>>;

export const transcribeAudio = defineTool({
  id: 'transcribe_audio',
  slug: 'transcribe',
  title: 'Transcribe',
  description: 'Writes down what is said, with the time of every word and who said it. Not part of this version.',
  inputs: { file_id: mediaFile() },
  options,
  free: { a: { seconds: 120, dailyUses: 3 }, b: { seconds: 120, dailyUses: 3 } },
  creditsPerMinute: 1,
  examples: [
    {
      description: 'Write down a German interview without the fillers',
      command: 'transcribe interview.wav --language de --verbatim false',
    },
  ],
  plan(facts, { language, verbatim, speaker_labels }) {
    return {
      steps: [
        language === undefined ? 'Detect the language' : `Take ${language} as the language`,
        `Write down what is said${verbatim ? '' : ', without fillers'}`,
        ...(speaker_labels ? ['Tell up to 8 speakers apart'] : []),
      ],
      notes: [],
      refusals: refuseUnsuitable(this.inputs, facts),
    };
  },
  unavailable: () => Promise.resolve(notInThisVersion('transcribe_audio')),
  run: () => import('./run.ts'),
});
