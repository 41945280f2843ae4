import { defineTool } from '../declare/define.ts';
import { inputs, options } from './options.ts';

export const analyzeAudio = defineTool({
  id: 'analyze_audio',
  slug: 'media-info',
  aliases: ['info', 'lufs', 'stats', 'mediainfo'],
  title: 'Media info',
  summary: 'Measure loudness, peaks, noise and silence',
  description:
    'Measures a recording: format, loudness (EBU R 128), true peak, ' +
    'noise floor, silent stretches and the ACX audiobook checks.',
  shown: {
    purpose: 'measure',
    place: 1,
    usualForAssistants: true,
    next: null,
    sign: '<path d="M6 13v6M11 9v14M16 6v20M21 11v10M26 14v4"/><path class="m" d="M2 30h28"/>',
    translations: {
      de: {
        title: 'Datei vermessen',
        summary: 'Lautheit, Spitzen, Rauschen und Stille',
        description:
          'Vermisst eine Aufnahme: Format, Lautheit (EBU R 128), Spitzenpegel, Grundrauschen, stille Abschnitte und ' +
          'die Prüfung für ACX-Hörbücher.',
        examples: ['Den Bericht einer Aufnahme lesen', 'Jede stille Stelle als JSON'],
      },
    },
  },
  timeLine: 'own',
  runsInTab: true,
  work: { cpuPerSecond: 0.1, memoryMib: null, models: 'none', encodesPictures: false, transcriptOf: null },
  preview: null,
  inputs,
  options,
  writesText: true,
  examples: [
    { description: 'Read the report of one recording', command: 'media-info interview.wav' },
    { description: 'Get every silent stretch as JSON', command: 'media-info interview.wav --detail full --json' },
  ],
  plan(_, options) {
    const stretches = options.detail === 'full' ? 'all silent stretches' : 'up to 50 silent stretches';
    return {
      steps: ['Decode the sound and measure loudness, peaks and noise floor', `List ${stretches}`],
      notes: [],
    };
  },
  inWords: () => '',
  run: () => import('./run.ts'),
});
