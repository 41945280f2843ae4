// What a tool says of its work to reports, previews, machines and time limits.
import type { TimeRange } from '../../core/time-range.ts';

/**
 * How the times of an output follow those of its input. 'same': they are equal. 'own': the output is another recording,
 * or none. 'mixed': the inputs begin together and sound together in the output. Else the result says what was cut out
 * of the only input, or which stretches of it were kept.
 */
export type TimeLine<Result extends object = object> = 'same' | 'own' | 'mixed' | CutOut<Result> | Kept<Result>;

interface CutOut<Result extends object> {
  /** Pure. In order, in seconds of the input. */
  cutOut(result: Result): readonly TimeRange[];
}

interface Kept<Result extends object> {
  /** Pure. In the order of the output, in seconds of the input. */
  kept(result: Result): readonly TimeRange[];
}

/** How a passage of one recording is previewed. */
export interface PassagePreview {
  /** What is decided over all that the tool gets, and may come out differently for a part; null: nothing. */
  readonly mayDiffer: string | null;
  /** true: the passage alone would say nothing, so the tool always gets the whole recording. Default: false. */
  readonly needsWhole?: boolean;
}
