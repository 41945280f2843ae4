// What a tool says of itself to reports, previews and people.
import type { TimeRange } from '../../core/time-range.ts';

/**
 * How the times of an output follow those of its input. 'same': they are equal. 'own': the output is another recording,
 * or none. 'mixed': the inputs begin together and sound together in the output. Else the result says what was cut out
 * of the only input, or which stretches of it were kept.
 */
export type TimeLine<Result extends object = object> = 'same' | 'own' | 'mixed' | CutOut<Result> | Kept<Result>;

/** Of a tool that takes stretches out of its only input. */
interface CutOut<Result extends object> {
  /** Pure. In order, in seconds of the input. */
  cutOut(result: Result): readonly TimeRange[];
}

/** Of a tool that keeps stretches of its only input. */
interface Kept<Result extends object> {
  /** Pure. In the order of the output, in seconds of the input. */
  kept(result: Result): readonly TimeRange[];
}

/** A recording in a timeline of several. */
export interface PlacedInput {
  readonly startSeconds: number;
  /** Default: all of it. */
  readonly durationSeconds?: number;
  /** null: not finite. */
  readonly gainDb: number | null;
  /** Does its gain also move with the sound? Default: no. */
  readonly rides?: boolean;
  /** Of recordings of one event: stretches of it, on a track of its own; `startSeconds` is not read then. */
  readonly pieces?: readonly PlacedPiece[];
}

/** A stretch of a recording where it lies among the others, by their clock. */
interface PlacedPiece {
  /** In the recording. */
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Where its start is. */
  readonly atSeconds: number;
  /** By so much its start and its end are off, since its clock runs otherwise. */
  readonly offSeconds: number;
}

/** Can a run leave a timeline for editing programs? */
export const leavesTimeline = (tool: {
  readonly timeLine: TimeLine;
  readonly placed?: unknown;
  readonly formats?: readonly string[];
}): boolean =>
  tool.placed !== undefined || typeof tool.timeLine === 'object' || (tool.formats?.includes('json') ?? false);

/** How a passage of one recording is previewed. */
export interface PassagePreview {
  /** What is decided over all that the tool gets, and may come out differently for a part; null: nothing. */
  readonly mayDiffer: string | null;
  /** true: the passage alone would say nothing, so the tool always gets the whole recording. Default: false. */
  readonly needsWhole?: boolean;
}

/** What a tool is for: tools are listed by it. */
export type Purpose = 'clean' | 'words' | 'measure' | 'cut' | 'combine' | 'convert';

/** Its name and what it does, in a language. */
export interface ToolTexts {
  readonly title: string;
  readonly summary: string;
  readonly description: string;
}

/** The texts of a tool in another language. */
export interface TranslatedTexts extends ToolTexts {
  /** What each of its examples does, in their order. */
  readonly examples: readonly string[];
}

/** How people find a tool among the others. */
export interface Shown {
  readonly purpose: Purpose;
  /** Its place among the tools of its purpose, from 1. */
  readonly place: number;
  /**
   * Is it among the tools that assistants get unless a setting chooses others? Default: no; a setting names it, or the
   * group of its purpose.
   */
  readonly usualForAssistants?: true;
  /** Its place among what is usually done next with a recording, from 1; null: it is not proposed. */
  readonly next: number | null;
  /** Its icon, 32 x 32, as elements of SVG: five bars of sound, and with class m what the tool does to them. */
  readonly sign: string;
  /** Options that a form shows when it is asked for more. Default: none. */
  readonly further?: readonly string[];
  /**
   * What its page shows of chosen files before a run: the pauses that it would shorten, each of which may be kept, or
   * two sounds, of which an option moves one. Default: nothing.
   */
  readonly look?: 'pauses' | 'offset';
  /** By language besides English, which the declaration itself has. */
  readonly translations: Readonly<Record<'de', TranslatedTexts>>;
}

/**
 * What users of other programs type for a tool on the command line. Words are a command line's: `$` is the first number
 * or time among the files, `{own}` the input's own format, `{stem}` its name without the ending; `?--a,--b`: one of
 * these has to be typed, too.
 */
export interface Typed {
  /** What a number among the files is: `--target $`. Default: wrong usage. */
  readonly number?: string;
  /**
   * Further commands, and the flags that each has for the tool: { translate: '--translate' }; `$` is a number among the
   * files, `$dB` one with a sign or unit, where a bare one is a factor in other programs.
   */
  readonly commands?: Readonly<Record<string, string>>;
  /** Commands that there are not, and what to type instead; `{files}` are the files that were typed. */
  readonly instead?: Readonly<Record<string, string>>;
}
