import { badValue } from '../../core/checks/schema.ts';
import { count } from '../../core/readable.ts';
import { defineTool } from '../declare/define.ts';
import { inputs, options } from './options.ts';
import { checkRule } from './rules.ts';

export const checkAudio = defineTool({
  id: 'check_audio',
  slug: 'check',
  aliases: ['qc'],
  title: 'Check for delivery',
  summary: 'Hold a recording against the rules of a podcast, ACX, EBU R 128 or your own',
  description:
    'Holds a recording, and its captions, against the rules of a policy: each measure with its limit, ' +
    'whether it passes, and which tool mends it.',
  shown: {
    purpose: 'measure',
    place: 2,
    next: null,
    sign: '<path d="M5 17l7 7L27 8"/><path class="m" d="M4 29h24"/>',
    translations: {
      de: {
        title: 'Vor der Abgabe prüfen',
        summary: 'Nach den Regeln von Podcast, ACX, EBU R 128 oder nach eigenen',
        description:
          'Prüft eine Aufnahme und ihre Untertitel nach den Regeln einer Vorgabe: jeder Messwert mit seiner Grenze, ob er ' +
          'sie einhält, und womit sich ein Fehler beheben lässt.',
        examples: [
          'Ist eine Folge bereit für die Podcast-Verzeichnisse?',
          'Jedes Kapitel eines Hörbuchs',
          'Ein Film nach der Lautheit seiner Dialoge, und seine Untertitel',
          'Nach eigenen Regeln',
        ],
      },
    },
  },
  timeLine: 'own',
  runsInTab: true,
  work: { cpuPerSecond: 0.1, memoryMib: null, models: 'sound', encodesPictures: false, transcriptOf: null },
  preview: null,
  inputs,
  options,
  writesText: true,
  passes: { analysing: 4, reading: 1, 'finding speech': 4, measuring: 4 },
  examples: [
    { description: 'Is an episode ready for the podcast directories?', command: 'check episode.mp3' },
    { description: 'Every chapter of an audiobook', command: 'check chapters/ --policy acx' },
    {
      description: 'A film by the loudness of its dialogue, and its subtitles',
      command: 'check film.mov --policy netflix-dialogue --captions film.srt',
    },
    { description: 'By rules of your own', command: 'check talk.wav --policy house-rules.json' },
  ],
  optionRules: { rules: { field: 'policy', values: ['custom'], required: true } },
  check({ policy, rules }) {
    if (policy === 'custom' && rules === undefined) throw badValue('rules', 'rules with policy custom', undefined);
    if (policy !== 'custom' && rules !== undefined) throw badValue('policy', 'custom with rules', policy);
    for (const rule of rules ?? []) checkRule(rule);
  },
  plan(_, { policy, rules }) {
    const dialogue = policy === 'netflix-dialogue' || rules?.some(({ measure }) => measure.startsWith('dialogue'));
    return {
      steps: [
        'Decode the sound and measure loudness, peaks, noise floor and silence',
        ...(dialogue === true ? ['Find the speech and measure its loudness'] : []),
        policy === 'custom'
          ? `Hold the values against ${count(rules?.length ?? 0, 'rule')}`
          : `Hold the values against the rules of ${policy}`,
      ],
      notes: [],
    };
  },
  passed: ({ passes }) => passes,
  inWords({ policy, passes, failed, checks }) {
    if (passes) return `meets ${policy}`;
    const named = checks.filter((each) => !each.passes).map(({ title }) => title.toLowerCase());
    return `does not meet ${policy}: ${count(failed, 'rule')} (${named.join(', ')})`;
  },
  run: () => import('./run.ts'),
});
