import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import { EarshotError } from '../../core/errors.ts';
import { defaulted, defineTool, type InputFacts, mediaFile, type Refusal, refuseUnsuitable } from '../define.ts';

const second = Type.Number({ minimum: 0, maximum: 36_000 });

const options = Type.Object(
  {
    ranges: Type.Array(Type.Tuple([second, second]), {
      minItems: 1,
      maxItems: 100,
      description: 'Stretches as [start, end] in seconds, in any order, each value 0 to 36000',
    }),
    mode: defaulted(
      Type.Enum(['remove', 'keep'], { default: 'remove', description: 'remove the ranges, or keep only them' }),
    ),
    output: defaulted(
      Type.Enum(['joined', 'separate'], {
        default: 'joined',
        description: 'joined into one file, or separate: one file per range that stays',
      }),
    ),
    crossfade_ms: defaulted(
      Type.Integer({
        minimum: 0,
        maximum: 200,
        default: 20,
        description: 'Crossfade at each seam of a joined output, in ms',
      }),
    ),
  },
  { additionalProperties: false },
);

/**
 * Parsed: defaults filled in. Apart from the declaration, because run.ts needs the type and the declaration needs
 * run.ts.
 */
export type CutAudioOptions = Readonly<Static<typeof options>>;

/** A declared length may differ a little from what decodes: closer than this to the end, the run itself decides. */
const lengthToleranceSeconds = 0.5;

/**
 * What lies outside of the whole recording is refused before anything runs; a free run, which sees only its beginning,
 * could not tell.
 */
function refuseOutside(ranges: CutAudioOptions['ranges'], file: InputFacts | undefined): Refusal[] {
  const length = file?.durationSeconds ?? null;
  if (length === null) return [];
  const outside = ranges.find(([, end]) => end > length + lengthToleranceSeconds);
  if (outside === undefined) return [];
  return [
    {
      code: 'ranges_outside',
      message:
        `Expected ranges within the recording's ${length.toFixed(3)} s but received [${outside[0]}, ` +
        `${outside[1]}]`,
    },
  ];
}

export const cutAudio = defineTool({
  id: 'cut_audio',
  slug: 'cut',
  title: 'Cut',
  description:
    'Removes stretches of a recording, or keeps only them, exact to the sample. A video is cut with its picture.',
  inputs: { file_id: mediaFile() },
  options,
  free: { a: { seconds: 180, dailyUses: 3 }, b: { seconds: 3600, dailyUses: 10 } },
  creditsPerMinute: 1,
  examples: [
    {
      description: 'Remove the first 12.5 seconds and a cough',
      command: "cut interview.wav --ranges '[[0,12.5],[61.2,62]]'",
    },
    {
      description: 'Keep two passages as files of their own',
      command: "cut interview.wav --ranges '[[10,40],[95,130]]' --mode keep --output separate -o clips/",
    },
  ],
  check({ ranges }) {
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
  plan(facts, { ranges, mode, output }) {
    const count = `${ranges.length} ${ranges.length === 1 ? 'range' : 'ranges'}`;
    return {
      steps: [
        mode === 'remove' ? `Remove ${count}` : `Keep ${count}`,
        output === 'joined' ? 'Join what stays' : 'Write each stretch that stays to a file of its own',
      ],
      notes: [],
      refusals: [...refuseUnsuitable(this.inputs, facts), ...refuseOutside(ranges, facts['file_id']?.[0])],
    };
  },
  /**
   * Ranges behind the window are left out and those across its end shortened: what is not processed cannot be outside
   * of it.
   */
  planWindow: (parsed, seconds) => ({
    optionsWhenCut: {
      ...parsed,
      ranges: parsed.ranges.filter(([start]) => start < seconds).map(([start, end]) => [start, Math.min(end, seconds)]),
    },
  }),
  run: () => import('./run.ts'),
});
