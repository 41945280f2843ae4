// What the service's rules read off a tool's declaration.
import type { ErrorCode } from '../core/errors.ts';
import type { FilesByField, InputFacts, InputRoles } from './tool-inputs.ts';
import type { ToolId } from './tool-ids.ts';
import type { Unavailability } from './unavailable.ts';

/** A code of the catalogue and a sentence: why something is not done, or why it failed. */
export interface Refusal {
  readonly code: ErrorCode;
  /** What was expected and what came, in one sentence. */
  readonly message: string;
}

/** Pure JSON: what a run would do with these files and options, or why it would not. */
export interface Plan {
  /** One short sentence per step, in order. */
  readonly steps: readonly string[];
  /** What will be left out or changed although nobody asked for it: "the picture is dropped: mp3 holds sound only". */
  readonly notes: readonly string[];
  /** Not empty: the run would fail with the first of these. */
  readonly refusals: readonly Refusal[];
}

/** What a tool gives away. */
export interface FreeAllowance {
  /** Seconds of a file that a free run processes; null means the whole file. */
  readonly seconds: number | null;
  /** Uses per person and UTC day. */
  readonly dailyUses: number;
}

/** What of the inputs' lengths is billed: the first input's, the sum, or the longest. */
export type Billing = 'main' | 'sum' | 'longest';

/** Where the ids that an option takes were told: in a list of a dry run's result, each entry with its `id`. */
export interface ListedIds {
  /** The input that the dry run had, too, or that it made. */
  readonly input: string;
  /** The list's name in the result. */
  readonly result: string;
}

/** What the rules about files and money need of a tool; every declaration in src/library/tools has it. */
export interface ToolFacts {
  readonly id: ToolId;
  readonly inputs: InputRoles;
  /** Default price; the operator's configuration wins. */
  readonly creditsPerMinute: number;
  /** Credits per minute when this optional input is given. */
  readonly creditsPerMinuteWith?: Readonly<Record<string, number>>;
  readonly billing: Billing;
  /** Never paid: every run is a free one and counts against the daily uses. */
  readonly alwaysFree: boolean;
  /** The two published variants of the free tier. */
  readonly free: { readonly a: FreeAllowance; readonly b: FreeAllowance };
  /** By option: ids that only an earlier dry run can have told. */
  readonly listedIds?: Readonly<Record<string, ListedIds>>;
  /** Pure. `options` are those that the same declaration has parsed. */
  plan(facts: FilesByField<InputFacts>, options: never): Pick<Plan, 'refusals'>;
  /** Why the tool cannot run here and what to install; null: it can. */
  unavailable(): Promise<Unavailability | null>;
}
