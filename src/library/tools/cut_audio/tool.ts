import { EarshotError } from '../../core/errors/errors.ts';
import type { Refusal } from '../../contract/tool-facts.ts';
import type { InputFacts } from '../../contract/tool-inputs.ts';
import { asRange } from '../../core/time-range.ts';
import { count, formatSeconds } from '../../core/readable.ts';
import { defineTool } from '../declare/define.ts';
import { manyTimes, mostTimesOver } from '../../contract/many-times.ts';
import { crossfadeMs } from '../../contract/edit-defaults.ts';
import { keptNote, refuseChange, refuseEncodings } from '../declare/keep-encoding.ts';
import { pictureNotes } from '../declare/picture-notes.ts';
import { inputs, options, type CutAudioContext } from './options.ts';

/** The stated length may differ a little from the decoded one: ranges this close to the end are left to the run. */
const lengthToleranceSeconds = 0.5;

/**
 * Refuses ranges outside the whole recording before the run: a free run, which sees only its beginning, could not tell.
 */
function refuseOutside({ ranges = [] }: CutAudioContext['options'], file: InputFacts): Refusal[] {
  const length = file.durationSeconds;
  if (length === null) return [];
  const outside = ranges.find(([, end]) => end > length + lengthToleranceSeconds);
  if (outside === undefined) return [];
  return [
    {
      code: 'ranges_outside',
      message:
        `Expected ranges within the recording's ${length.toFixed(3)} s ` +
        `but received [${outside[0]}, ${outside[1]}]`,
    },
  ];
}

/** By the length that the file declares: the run goes by its own, which may differ a little. */
function refuseManyTimes(
  { ranges = [], order }: CutAudioContext['options'],
  { durationSeconds: length }: InputFacts,
): Refusal[] {
  if (order !== 'given' || length === null) return [];
  const listed = ranges.reduce((sum, [start, end]) => sum + end - start, 0);
  if (listed <= mostTimesOver * (length + lengthToleranceSeconds)) return [];
  return [{ code: 'limit_exceeded', message: manyTimes(mostTimesOver * length, listed) }];
}

/** Also refuses before the run to remove the whole recording; the run decides about a remainder this short. */
function refuseNothingLeft(
  { ranges, mode }: CutAudioContext['options'],
  { durationSeconds: length }: InputFacts,
): Refusal[] {
  if (mode !== 'remove' || length === null || ranges === undefined) return [];
  let covered = 0;
  for (const [start, end] of ranges.toSorted(([a], [b]) => a - b)) {
    if (start > covered) return [];
    covered = Math.max(covered, end);
  }
  if (covered < length) return [];
  return [
    {
      code: 'ranges_outside',
      message: `Expected ranges that keep a part of the recording's ${length.toFixed(3)} s but these remove all of it`,
    },
  ];
}

/** The picture of a video is copied forwards: its passages stay in their order. */
const refuseMoved = (ranges: readonly (readonly [number, number])[], { hasVideo }: InputFacts): Refusal[] =>
  hasVideo && ranges.some(([start], at) => start < (ranges[at - 1]?.[1] ?? 0))
    ? [
        {
          code: 'wrong_file_type',
          message:
            'Expected sound, or ranges in the order of the recording, but received a video with ranges in another ' +
            'order: keep them with output separate, and join the files',
        },
      ]
    : [];

const doing = { remove: 'Remove', keep: 'Keep', mute: 'Mute' } as const;

export const cutAudio = defineTool({
  id: 'cut_audio',
  slug: 'cut',
  typed: {
    commands: { trim: '--mode keep', crop: '--mode keep', clip: '--mode keep', split: '--mode keep --pieces separate' },
  },
  title: 'Cut',
  summary: 'Remove passages, or keep only them',
  description:
    'Removes stretches of a recording, or keeps only them, exact to the sample. A video is cut with its picture.',
  shown: {
    purpose: 'cut',
    place: 3,
    further: ['order'],
    usualForAssistants: true,
    next: null,
    sign: '<path d="M4 10v12M9 6v20"/><path d="M23 6v20M28 10v12"/><path class="m" d="M16 3v6m0 4v6m0 4v6"/>',
    translations: {
      de: {
        title: 'Schneiden',
        summary: 'Nach Zeit, auf das Sample genau',
        description:
          'Entfernt Abschnitte einer Aufnahme oder behält nur sie, auf das Sample genau. Ein Video wird mit seinem ' +
          'Bild geschnitten.',
        examples: [
          'Die ersten 12,5 Sekunden und einen Huster entfernen',
          'Zwei Abschnitte als eigene Dateien behalten',
          'Den Schluss an den Anfang setzen',
          'Eine Werbung aus einer MP3 nehmen, ohne neu zu kodieren',
          'Einen Namen stumm schalten; alles andere bleibt an seinem Platz',
          'Schneiden, was in irgendeinem Programm aus dem Transkript gelöscht wurde; was dort verschoben wurde, wird verschoben',
        ],
      },
    },
  },
  timeLine: { kept: ({ keptRanges }) => keptRanges.map(asRange) },
  silent: ({ mutedRanges = [] }) => mutedRanges.map(asRange),
  runsInTab: true,
  work: { cpuPerSecond: 0.1, memoryMib: null, models: 'none', encodesPictures: true, transcriptOf: 'output' },
  preview: null,
  inputs,
  options,
  fieldRules: {
    exactlyOne: [['ranges', 'by_text_file_id']],
    needs: { transcript_file_id: 'by_text_file_id' },
  },
  examples: [
    {
      description: 'Remove the first 12.5 seconds and a cough',
      command: "cut interview.wav --ranges '[[0,12.5],[61.2,62]]'",
    },
    {
      description: 'Keep two passages as files of their own',
      command: "cut interview.wav --ranges '[[10,40],[95,130]]' --mode keep --pieces separate -o clips/",
    },
    {
      description: 'Bring the end to the front',
      command: "cut interview.wav --ranges '[[50,60],[0,50]]' --mode keep --order given",
    },
    {
      description: 'Take an advertisement out of an MP3 without encoding it again',
      command: "cut episode.mp3 --ranges '[[300,330]]' --keep-encoding",
    },
    {
      description: 'Silence a name; everything else stays in its place',
      command: "cut interview.wav --ranges '[[61.2,61.8]]' --mode mute",
    },
    {
      description: 'Cut what was deleted from the transcript, in any editor; moved passages move',
      command: 'cut interview.wav --by-text edited.txt --transcript interview.json',
    },
  ],
  check({ ranges = [] }) {
    for (const [start, end] of ranges) {
      if (end > start) continue;
      throw new EarshotError(
        'bad_request',
        `Expected ranges of [start, end] with end after start but received [${start}, ${end}]`,
        {
          details: { field: 'ranges', expected: 'end after start', received: `[${start}, ${end}]` },
        },
      );
    }
  },
  /** What only concerns ranges is refused beside a text, and pieces of what is not cut. */
  refuse({ by_text_file_id: text }, { ranges, mode, output, order, keep_encoding, crossfade_ms }) {
    if (order === 'given' && (mode !== 'keep' || keep_encoding))
      return [
        {
          code: 'bad_request',
          message:
            'Expected order given with mode keep, without keep_encoding, but received ' +
            (keep_encoding ? 'keep_encoding' : `mode ${mode}`),
        },
      ];
    if (keep_encoding) {
      const wrong = text !== undefined ? 'by_text_file_id' : null;
      const faded = crossfade_ms === 0 || crossfade_ms === crossfadeMs ? null : `crossfade_ms ${crossfade_ms}`;
      const muted = mode === 'mute' ? 'mode mute' : null;
      return [
        ...refuseChange(wrong, 'ranges'),
        ...refuseChange(muted, 'mode remove or keep'),
        ...refuseChange(faded, 'crossfade_ms 0'),
      ];
    }
    if (mode === 'mute' && output === 'separate')
      return [
        {
          code: 'bad_request',
          message: 'Expected output joined with mode mute, which cuts nothing, but received separate',
        },
      ];
    if (text === undefined || ranges !== undefined) return [];
    const wrong = mode !== 'remove' ? `mode ${mode}` : output !== 'joined' ? `output ${output}` : null;
    if (wrong === null) return [];
    return [
      { code: 'bad_request', message: `Expected ${wrong} only with ranges but received it with by_text_file_id` },
    ];
  },
  plan(facts, parsed) {
    const { ranges = [], mode, output, order } = parsed;
    if (facts.by_text_file_id !== undefined)
      return {
        steps: [
          ...(facts.transcript_file_id === undefined ? ['Write down what is said, word for word'] : []),
          'Compare the edited text with the transcript',
          'Cut what is deleted, and move what is moved',
        ],
        notes: [],
      };
    const unkept = parsed.keep_encoding ? refuseEncodings([facts.file_id]) : [];
    const moved = order === 'given' && output === 'joined' ? refuseMoved(ranges, facts.file_id) : [];
    const outside = [...unkept, ...moved, ...refuseOutside(parsed, facts.file_id)];
    const count = `${ranges.length} ${ranges.length === 1 ? 'range' : 'ranges'}`;
    return {
      steps: [
        `${doing[mode]} ${count}`,
        mode === 'mute'
          ? 'Leave everything else in its place'
          : output === 'joined'
            ? order === 'given'
              ? 'Join them as they are listed'
              : 'Join the rest'
            : 'Write each kept range to its own file',
      ],
      notes: parsed.keep_encoding ? [keptNote([facts.file_id])] : mode === 'mute' ? [] : pictureNotes(facts.file_id),
      refusals:
        outside.length > 0
          ? outside
          : [...refuseManyTimes(parsed, facts.file_id), ...refuseNothingLeft(parsed, facts.file_id)],
    };
  },
  /** Ranges beyond the window are left out and those across its end shortened: the rest is not processed. */
  planWindow: (parsed, seconds) => {
    if (parsed.ranges === undefined) return { optionsWhenCut: parsed };
    let listed = 0;
    const ranges = parsed.ranges
      .filter(([start]) => start < seconds)
      .map(([start, end]): [number, number] => [start, Math.min(end, seconds)])
      // As many as the run takes of a recording so long, which lists no more of the whole.
      .filter(([start, end]) => parsed.order !== 'given' || (listed += end - start) <= mostTimesOver * seconds);
    return { optionsWhenCut: { ...parsed, ranges } };
  },
  inWords: ({ keptRanges, keptSeconds, removedSeconds, mutedRanges, text }) =>
    (mutedRanges === undefined
      ? `${count(keptRanges.length, 'stretch', 'stretches')} kept, ${formatSeconds(keptSeconds)}; ` +
        `${formatSeconds(removedSeconds)} removed`
      : `${count(mutedRanges.length, 'stretch', 'stretches')} muted, ` +
        `${formatSeconds(mutedRanges.reduce((sum, [start, end]) => sum + end - start, 0))}; nothing moved`) +
    (text === undefined
      ? ''
      : `; ${count(text.removedWords, 'word')} cut out${text.movedWords > 0 ? `, ${text.movedWords} moved` : ''}`),
  run: () => import('./run.ts'),
});
