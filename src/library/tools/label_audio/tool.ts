import { count } from '../../core/readable.ts';
import { defineTool } from '../declare/define.ts';
import { inputs, options } from './options.ts';

export const labelAudio = defineTool({
  id: 'label_audio',
  slug: 'label',
  title: 'Label',
  summary: 'Set title, artist, show, cover and chapters',
  description: 'Writes tags, a cover and chapters into a recording. Sound and moving picture are copied as they are.',
  shown: {
    purpose: 'convert',
    place: 2,
    next: null,
    sign: '<path d="M4 10v12M9 6v20"/><path class="m" d="M15 8h9l5 8-5 8h-9z"/><path class="m" d="M20 16h.1"/>',
    translations: {
      de: {
        title: 'Beschriften',
        summary: 'Titel, Urheber, Sendung, Cover und Kapitel setzen',
        description:
          'Schreibt Tags, ein Cover und Kapitel in eine Aufnahme. Ton und bewegtes Bild werden unverändert kopiert.',
        examples: ['Einen Titel und den Namen der Sendung', 'Ein Cover', 'Zwei Kapitel'],
      },
    },
  },
  timeLine: 'same',
  work: { cpuPerSecond: 0.1, memoryMib: null, models: 'none', encodesPictures: false, transcriptOf: null },
  preview: null,
  inputs,
  options,
  examples: [
    { description: 'A title and the name of the show', command: 'label episode.mp3 --title "Pilot" --album "My show"' },
    { description: 'A cover', command: 'label episode.mp3 --cover cover.jpg' },
    {
      description: 'Two chapters',
      command: `label episode.mp3 --chapters '[{"start-seconds":0,"title":"Intro"},{"start-seconds":90,"title":"Talk"}]'`,
    },
  ],
  refuse: ({ cover_file_id: cover }, options) =>
    [cover, ...Object.values(options)].some((value) => value !== undefined)
      ? []
      : [
          {
            code: 'bad_request',
            reason: 'nothing_written',
            message: 'Expected a tag, a cover or chapters but received none: nothing says what to write',
          },
        ],
  plan: ({ cover_file_id: cover }, { chapters, ...tags }) => ({
    steps: [
      ...(Object.keys(tags).length === 0 ? [] : [`Set ${Object.keys(tags).join(', ')}`]),
      ...(cover === undefined ? [] : ['Set the cover']),
      ...(chapters === undefined
        ? []
        : [chapters.length === 0 ? 'Take the chapters away' : `Set ${count(chapters.length, 'chapter')}`]),
      'Copy sound and moving picture as they are',
    ],
    notes: [],
  }),
  inWords: ({ tags, chapterCount, hasCover }) =>
    `${count(Object.keys(tags).length, 'tag')}, ${count(chapterCount, 'chapter')}, ${hasCover ? 'a cover' : 'no cover'}`,
  run: () => import('./run.ts'),
});
