import { count } from '../../core/readable.ts';
import { fontAdvice, hasFonts, noFont } from '../../core/machine/fonts.ts';
import { defineTool } from '../declare/define.ts';
import { inputs, options } from './options.ts';

export const burnCaptions = defineTool({
  id: 'burn_captions',
  slug: 'burn-captions',
  aliases: ['hardsub', 'burn-in'],
  title: 'Burn in captions',
  summary: 'Draw captions into the picture of a video',
  description: 'Draws captions into the picture of a video, for places that show no subtitles.',
  shown: {
    purpose: 'words',
    place: 3,
    usualForAssistants: true,
    next: null,
    further: ['karaoke'],
    sign: '<path d="M3 5h26v22H3z"/><path class="m" d="M8 18h10M21 18h3M8 22.500h4M15 22.500h9"/>',
    translations: {
      de: {
        title: 'Untertitel einbrennen',
        summary: 'Untertitel fest im Bild eines Videos',
        description: 'Zeichnet Untertitel in das Bild eines Videos, für Orte, die keine Untertitel zeigen.',
        examples: ['Für ein Telefon, wenige große Wörter auf einmal', 'Untertitel, die schon da sind'],
      },
    },
  },
  timeLine: 'own',
  work: { cpuPerSecond: 0.1, memoryMib: null, models: 'none', encodesPictures: 'all', transcriptOf: null },
  preview: null,
  inputs,
  options,
  examples: [
    {
      description: 'For a phone, a few large words at a time',
      command: 'burn-captions film.mp4 film.json --caption-profile shorts -o short.mp4',
    },
    { description: 'Subtitles that are there', command: 'burn-captions film.mp4 film.srt' },
  ],
  plan() {
    return {
      steps: ['Draw the captions into the pictures', 'Encode the picture and the sound again'],
      notes: [],
    };
  },
  unavailable: () => Promise.resolve(hasFonts() ? null : { message: noFont, nextAction: fontAdvice }),
  inWords: ({ captions }) => count(captions, 'caption'),
  run: () => import('./run.ts'),
});
