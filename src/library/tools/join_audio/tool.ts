import { count } from '../../core/readable.ts';
import { defineTool } from '../declare/define.ts';
import { keptNote, refuseChange, refuseEncodings } from '../declare/keep-encoding.ts';
import { inputs, options } from './options.ts';

export const joinAudio = defineTool({
  id: 'join_audio',
  slug: 'join',
  aliases: ['merge', 'concat', 'concatenate', 'append'],
  title: 'Join',
  summary: 'Join recordings into one',
  description:
    'Joins 2 to 20 recordings in order, whatever their formats, rates and channels. Videos are joined as a video ' +
    'when all files are videos and the output format is same.',
  shown: {
    purpose: 'combine',
    place: 1,
    usualForAssistants: true,
    next: null,
    sign: '<path class="m" d="M16 4v24"/><path d="M3 11v10M7 7v18M11.5 12v8"/><path d="M20.5 12v8M25 7v18M29 11v10"/>',
    translations: {
      de: {
        title: 'Aneinanderhängen',
        summary: 'Bis zu 20 Dateien nacheinander',
        description:
          'Hängt 2 bis 20 Aufnahmen der Reihe nach aneinander, gleich welche Formate, Raten und Kanäle sie haben. ' +
          'Videos werden zu einem Video, wenn alle Dateien Videos sind und das Format gleich bleibt.',
        examples: [
          'Vorspann, Folge, Abspann',
          'Mit zwei Sekunden Überblendung, Lautheit unverändert',
          'Die Teile einer Aufnahme, ohne sie neu zu kodieren',
        ],
      },
    },
  },
  timeLine: 'own',
  placed: ({ files }) => files,
  runsInTab: true,
  work: { cpuPerSecond: 0.1, memoryMib: null, models: 'none', encodesPictures: true, transcriptOf: null },
  preview: null,
  inputs,
  options,
  passes: { measuring: 1, joining: 10 },
  examples: [
    { description: 'Intro, episode, outro', command: 'join intro.mp3 episode.wav outro.mp3 -o show.mp3' },
    {
      description: 'With two seconds of crossfade, loudness unchanged',
      command: 'join a.wav b.wav --crossfade-ms 2000 --match-loudness false -o mix.wav',
    },
    {
      description: 'The parts of one recording, without encoding them again',
      command: 'join part1.mp3 part2.mp3 --no-match-loudness --keep-encoding -o whole.mp3',
    },
  ],
  refuse(_, { keep_encoding, crossfade_ms, match_loudness, output_format }) {
    if (!keep_encoding) return [];
    return [
      ...refuseChange(crossfade_ms > 0 ? `crossfade_ms ${crossfade_ms}` : null, 'crossfade_ms 0'),
      ...refuseChange(match_loudness ? 'true' : null, 'match_loudness false'),
      ...refuseChange(output_format === 'same' ? null : output_format, 'output_format same'),
    ];
  },
  plan(facts, { crossfade_ms, match_loudness, output_format, keep_encoding }) {
    const files = facts.file_ids;
    const videos = files.filter((file) => file.hasVideo).length;
    const keepsPicture = output_format === 'same' && videos === files.length && videos > 0;
    if (keep_encoding)
      return { steps: ['Join the packets end to end'], notes: [keptNote(files)], refusals: refuseEncodings(files) };
    return {
      steps: [
        ...(match_loudness ? ['Bring the files to the same loudness'] : []),
        crossfade_ms > 0 ? `Join them with ${crossfade_ms} ms of overlap` : 'Join them end to end',
      ],
      notes: keepsPicture
        ? [
            'The output has the format of the first video; the picture of files that differ from it is scaled and ' +
              `encoded again${crossfade_ms > 0 ? '. The picture changes in the middle of an overlap' : ''}`,
          ]
        : videos > 0
          ? ['The picture is dropped: pictures are kept only when every file is a video and the output format is same']
          : [],
    };
  },
  planWindow: ({ crossfade_ms }) => ({ joined: { field: 'file_ids', overlapSeconds: crossfade_ms / 1000 } }),
  inWords: ({ files, targetLufs }) =>
    `${count(files.length, 'file')}, ` +
    (targetLufs === null ? 'loudness unchanged' : `each brought to ${targetLufs} LUFS`),
  run: () => import('./run.ts'),
});
