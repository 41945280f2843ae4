import { count } from '../../core/readable.ts';
import { defineTool } from '../declare/define.ts';
import { pictureNotes } from '../declare/picture-notes.ts';
import { refuseLanguage } from '../declare/refusals.ts';
import { inputs, options } from './options.ts';
import { kindsInWords, verdictOf } from './rules.ts';

const instead = { mute: 'Silence', bleep: 'Put a tone over', noise: "Put noise of the room's colour over" } as const;

export const redactAudio = defineTool({
  id: 'redact_audio',
  slug: 'redact',
  typed: { commands: { bleep: '--mode bleep' } },
  title: 'Redact',
  summary: 'Take names and numbers out, and check that none is left',
  description:
    'Takes words, numbers, speakers or ranges out of the sound, the transcript, captions, tags and chapters. Then the ' +
    'result is transcribed again, and a report says whether any is left.',
  shown: {
    purpose: 'cut',
    place: 4,
    next: null,
    further: ['speaker_numbers', 'ranges', 'guard_ms', 'language'],
    sign: '<path d="M4 12v8M9 9v14M23 9v14M28 12v8"/><path class="m" d="M12.500 13h7v6h-7z"/>',
    translations: {
      de: {
        title: 'Schwärzen',
        summary: 'Namen und Nummern entfernen, mit Gegenprobe',
        description:
          'Nimmt Wörter, Nummern, Sprecher oder Bereiche aus Ton, Transkript, Untertiteln, Tags und Kapiteln. Danach ' +
          'wird das Ergebnis noch einmal transkribiert, und ein Bericht sagt, ob etwas geblieben ist.',
        examples: [
          'Zwei Namen herausnehmen',
          'Einen Ton über Nummern von Karten und Telefonen legen',
          'Als Plan sehen, was herausgenommen würde',
          'Herausnehmen, was der bearbeitete Plan sagt',
        ],
      },
    },
  },
  timeLine: 'same',
  silent: ({ places }) => places.filter(({ keep }) => keep !== true),
  work: { cpuPerSecond: 2, memoryMib: 800, models: 'speech', encodesPictures: false, transcriptOf: 'output' },
  preview: null,
  inputs,
  options,
  passes: { reading: 0.2, transcribing: 100, 'placing words': 30, measuring: 0.5, writing: 5 },
  examples: [
    { description: 'Take two names out', command: 'redact call.wav --words "Ann Taylor,Miller"' },
    {
      description: 'Put a tone over numbers of cards and phones',
      command: 'redact call.wav --patterns card,phone --mode bleep',
    },
    {
      description: 'See what would be taken out, as a plan',
      command: 'redact call.wav --words Miller --find-only -o plan.json',
    },
    { description: 'Take out what the edited plan says', command: 'redact call.wav --plan plan.json' },
  ],
  refuse({ plan_file_id: plan }, { words, patterns, speaker_numbers: speakers, ranges }) {
    const isSaid = plan !== undefined || [words, patterns, speakers, ranges].some((one) => one !== undefined);
    if (isSaid) return [];
    return [
      {
        code: 'bad_request',
        reason: 'nothing_sought',
        message: 'Expected words, patterns, speaker_numbers, ranges or a plan: nothing says what to take out',
      },
    ];
  },
  plan(facts, { words, patterns, speaker_numbers: speakers, ranges, mode, find_only: findOnly, language }) {
    const sought = [
      ...(words === undefined ? [] : [count(words.length, 'word or phrase', 'words and phrases')]),
      ...(patterns === undefined ? [] : [`numbers and addresses (${patterns.join(', ')})`]),
      ...(speakers === undefined ? [] : [`what ${count(speakers.length, 'speaker says', 'speakers say')}`]),
      ...(ranges === undefined ? [] : [count(ranges.length, 'range')]),
    ];
    return {
      steps: [
        ...(facts.transcript_file_id === undefined ? ['Write down what is said, word for word'] : []),
        sought.length === 0 ? 'Take the places from the plan' : `Find ${sought.join(', ')}`,
        ...(findOnly
          ? ['List the places']
          : [
              `${instead[mode]} them, and take them out of the transcript, captions, tags and chapters`,
              'Write down what the result says, and report what is left',
            ]),
      ],
      notes: findOnly ? [] : pictureNotes(facts.file_id),
      refusals: refuseLanguage(language),
    };
  },
  passed: ({ left = [] }) => left.length === 0,
  inWords: (result) =>
    result.left === undefined
      ? `would take out ${kindsInWords(result)}`
      : `${kindsInWords(result)} taken out, ${verdictOf(result)}`,
  run: () => import('./run.ts'),
});
