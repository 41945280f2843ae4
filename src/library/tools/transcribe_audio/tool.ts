import { defineTool } from '../declare/define.ts';
import { refuseLanguage, refuseUnsuitable } from '../declare/refusals.ts';
import { formats } from './rules.ts';
import { inputs, options } from './options.ts';

export const transcribeAudio = defineTool({
  id: 'transcribe_audio',
  slug: 'transcribe',
  title: 'Transcribe',
  summary: 'Write down what is said, with times and speakers',
  description:
    'Writes down what is said, with the time of every word and who said it: as JSON, as SubRip and WebVTT subtitles, ' +
    'and as plain text.',
  inputs,
  options,
  formats,
  live: 'sentences as they are finished',
  free: { a: { seconds: 120, dailyUses: 3 }, b: { seconds: 120, dailyUses: 3 } },
  creditsPerMinute: 1,
  examples: [
    { description: 'Write a transcript beside the recording, in four formats', command: 'transcribe interview.wav' },
    { description: 'Only subtitles, and see each sentence at once', command: 'transcribe talk.mp4 -o talk.srt --live' },
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
      refusals: [...refuseLanguage(language), ...refuseUnsuitable(inputs, facts)],
    };
  },
  unavailable: async () => (await import('./availability.ts')).missingWeights(),
  run: () => import('./run.ts'),
});
