import { formatSeconds } from '../../core/readable.ts';
import { defineTool } from '../declare/define.ts';
import { writeStep } from '../declare/options.ts';
import { inputs, options } from './options.ts';

export const changeSpeed = defineTool({
  id: 'change_speed',
  slug: 'speed',
  aliases: ['tempo', 'atempo'],
  typed: {
    number: '--speed $',
    // Elsewhere its number is of the length, not of the pace.
    instead: {
      stretch: 'For twice the length: earshot speed {files} --speed 0.5; for half: earshot speed {files} --speed 2',
    },
  },
  title: 'Change speed',
  summary: 'Play faster or slower at the same pitch',
  description: 'Makes a recording faster or slower and keeps the pitch of voices and music.',
  shown: {
    purpose: 'cut',
    place: 5,
    next: null,
    sign: '<path d="M5 8l9 8-9 8z"/><path d="M17 8l9 8-9 8z"/><path class="m" d="M4 29h24"/>',
    translations: {
      de: {
        title: 'Tempo ändern',
        summary: 'Schneller oder langsamer bei gleicher Tonhöhe',
        description: 'Macht eine Aufnahme schneller oder langsamer; die Höhe von Stimmen und Musik bleibt.',
        examples: ['Um ein Viertel schneller', 'Langsam, um mitzuschreiben'],
      },
    },
  },
  timeLine: 'own',
  work: { cpuPerSecond: 0.1, memoryMib: null, models: 'none', encodesPictures: false, transcriptOf: null },
  preview: null,
  inputs,
  options,
  examples: [
    { description: 'A quarter faster', command: 'speed talk.wav 1.25' },
    { description: 'Slowly, to write it down', command: 'speed talk.mp3 --speed 0.7 -o slow.mp3' },
  ],
  plan({ file_id: { hasVideo } }, { speed, output_format: format }) {
    return {
      steps: [`Play ${speed} times as fast at the same pitch`, writeStep(format)],
      notes: hasVideo ? ['The picture is left out: its pace is not changed'] : [],
    };
  },
  inWords: ({ speed, inputSeconds, durationSeconds }) =>
    `${speed} times as fast, ${formatSeconds(inputSeconds)} to ${formatSeconds(durationSeconds)}`,
  run: () => import('./run.ts'),
});
