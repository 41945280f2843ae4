// The parts of a tool's declaration that the service's rules read.
import type { ErrorCode } from '../core/errors/errors.ts';
import type { FilesByField, InputFacts, InputRoles } from './tool-inputs.ts';
import type { ToolId } from './tool-ids.ts';
import type { Unavailability } from './unavailable.ts';

/** A code of the catalogue and a sentence: why something is refused, or why it failed. */
export interface Refusal {
  readonly code: ErrorCode;
  /** What was expected and received, in one sentence. */
  readonly message: string;
  /** Tells it from others of its code, for texts in other languages. Default: the code alone does. */
  readonly reason?: string;
}

/** Plain JSON: what a run would do with these files and options, or why it would refuse. */
export interface Plan {
  /** One short sentence per step, in order. */
  readonly steps: readonly string[];
  /** What will be left out or changed without being asked for: "the picture is dropped: mp3 holds sound only". */
  readonly notes: readonly string[];
  /** Not empty: the run would fail with the first of these. */
  readonly refusals: readonly Refusal[];
}

/** Where an option's ids come from: a list in a dry run's result, each entry with its `id`. */
export interface ListedIds {
  /** The input that the dry run had as well, or that it made. */
  readonly input: string;
  /** The list's name in the result. */
  readonly result: string;
}

/** What a run costs, needs and writes. The service's rules read it in `tool-work.ts`. */
export interface ToolWork {
  /** CPU seconds per second of stereo at 48 kHz, with a margin (docs/operating.md). */
  readonly cpuPerSecond: number;
  /** Memory of a default run on one thread and one core, for a file of any length, MiB; null: every job has enough. */
  readonly memoryMib: number | null;
  /** Installed models that change its results: networks for sound, recognisers and what they need, or none. */
  readonly models: 'none' | 'sound' | 'speech';
  /** May it have to encode a video's picture again? false: it copies the picture, or takes none; 'all': all of it. */
  readonly encodesPictures: boolean | 'all';
  /** Which recording the transcript is of that it writes as JSON; null: it writes none. */
  readonly transcriptOf: 'input' | 'output' | null;
}

/** What the rules about files need to know of a tool; every declaration in src/library/tools has it. */
export interface ToolFacts {
  readonly id: ToolId;
  readonly inputs: InputRoles;
  /** Its outputs are text, never audio or video. Default: false. */
  readonly writesText?: boolean;
  /** By option: ids that only an earlier dry run can have listed. */
  readonly listedIds?: Readonly<Record<string, ListedIds>>;
  /** Pure. `options` are those that the same declaration has parsed. */
  plan(facts: FilesByField<InputFacts>, options: never): Pick<Plan, 'refusals'>;
  /**
   * Why the tool cannot run here and what to install; null if it can.
   * @param glance looks whether files are there, with their sizes, and not at their bytes
   */
  unavailable(glance?: boolean): Promise<Unavailability | null>;
}
