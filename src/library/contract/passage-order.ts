// The order for a passage, and what is said of it.
import { EarshotError } from '../core/errors/errors.ts';

/** Which passage of the only recording a run makes, beside what it was. JSON. */
export interface PassageOrder {
  /** Start of the passage in the recording, seconds, 0 or more. */
  readonly fromSeconds: number;
  /** Its length, seconds; it ends with the recording. */
  readonly seconds: number;
  /** How much before and after it the tool gets, seconds. */
  readonly contextSeconds: number;
  /** Of a file in which both alternate: how long each is heard, seconds; null: there is none. */
  readonly alternateSeconds: number | null;
  /** Of all files. */
  readonly format: 'wav' | 'flac';
}

/** One of the two versions of a passage. */
export interface PassageVersion {
  readonly seconds: number;
  /** Before the levels were matched, LUFS; null for silence and below 0.4 s. */
  readonly integratedLufs: number | null;
  /** The same, dBTP; null for silence. */
  readonly truePeakDbtp: number | null;
  /** The gain that matches the levels, which the file has, dB. */
  readonly matchDb: number;
}

/** What a run on a passage says of it, as `preview` in its result. */
export interface PassageFacts {
  /** The passage in the recording. */
  readonly fromSeconds: number;
  readonly toSeconds: number;
  /** The stretch of the recording that the tool got, [start, end] in seconds. */
  readonly processed: readonly [number, number];
  readonly before: PassageVersion;
  readonly after: PassageVersion;
  /** Loudness of both files, LUFS; null where one of them has none and nothing was matched. */
  readonly matchedLufs: number | null;
  /** What may come out differently when the tool gets the whole recording; none when it got all of it. */
  readonly mayDiffer: readonly string[];
}

const numberOrNull = { type: ['number', 'null'] };
const version = {
  type: 'object',
  properties: {
    seconds: { type: 'number' },
    integratedLufs: numberOrNull,
    truePeakDbtp: numberOrNull,
    matchDb: { type: 'number' },
  },
  required: ['seconds', 'integratedLufs', 'truePeakDbtp', 'matchDb'],
  additionalProperties: false,
};

/** JSON Schema of `PassageFacts`, for answers of other machines. */
export const passageFactsSchema: object = {
  type: 'object',
  properties: {
    fromSeconds: { type: 'number' },
    toSeconds: { type: 'number' },
    processed: { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 },
    before: version,
    after: version,
    matchedLufs: numberOrNull,
    mayDiffer: { type: 'array', items: { type: 'string', maxLength: 1000 }, maxItems: 10 },
  },
  required: ['fromSeconds', 'toSeconds', 'processed', 'before', 'after', 'matchedLufs', 'mayDiffer'],
  additionalProperties: false,
};

/** Name of the option that orders a passage. */
export const passageName = 'preview_from';

/** Length of a passage that is ordered by it. */
export const previewedSeconds = 20;

/** Is it an order for a passage? */
export const isPassage = (options: object): boolean => passageName in options;

/** The passage beside the options of the tool itself. */
export function splitPassage<Options extends Readonly<Record<string, unknown>>>(
  options: Options,
): { readonly passage?: PassageOrder; readonly options: Omit<Options, typeof passageName> } {
  const { [passageName]: fromSeconds, ...own } = options;
  if (typeof fromSeconds !== 'number') return { options: own };
  const how = { contextSeconds: 60, alternateSeconds: null, format: 'flac' } as const;
  return { options: own, passage: { fromSeconds, seconds: previewedSeconds, ...how } };
}

/**
 * Containers round their lengths, so a second more may be there.
 * @param field by which the caller knows the passage's beginning
 * @throws EarshotError bad_request for a passage that begins after the end of its recording
 */
export function requireBeforeEnd(fromSeconds: number, durationSeconds: number | null, field: string): void {
  if (durationSeconds !== null && fromSeconds > durationSeconds + 1)
    throw behindEnd(fromSeconds, durationSeconds, field);
}

/** The error for a passage that begins after the end of its recording. */
export const behindEnd = (fromSeconds: number, durationSeconds: number, field: string): EarshotError =>
  new EarshotError(
    'bad_request',
    `Expected a passage that begins before the end of the recording, ${clock(durationSeconds)}, ` +
      `but it begins at ${clock(fromSeconds)}`,
    { details: { field, expected: `less than ${Math.round(durationSeconds * 1000) / 1000}`, received: fromSeconds } },
  );

/** A time as minutes and whole seconds. */
export const clock = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
