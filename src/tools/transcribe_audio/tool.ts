import { notInThisVersion } from '../../contract/unavailable.ts';
import { defineTool } from '../declare/define.ts';
import { refuseUnsuitable } from '../declare/refusals.ts';
import { inputs, options } from './options.ts';

export const transcribeAudio = defineTool({
  id: 'transcribe_audio',
  title: 'Transcribe',
  description: 'Writes down what is said, with the time of every word and who said it. Not part of this version.',
  inputs,
  options,
  formats: ['json', 'srt', 'vtt', 'txt'],
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
      refusals: refuseUnsuitable(inputs, facts),
    };
  },
  unavailable: () => Promise.resolve(notInThisVersion('transcribe_audio')),
  run: () => import('./run.ts'),
});
