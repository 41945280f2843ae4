// Chains as clients ask for them, and what the library makes of them. The planner is put in by `serve`.
import type { ToolId } from '../../../library/contract/tool-ids.ts';
import type { FormatChoices } from '../../../library/contract/chain-calls.ts';
import type { JsonObject } from '../../../library/core/json.ts';

/** A chain that was asked for. */
export interface ChainOrder {
  /** The name of one that comes with Earshot; null: `chain` is given. */
  readonly recipe: string | null;
  /** Of the recipe. */
  readonly options: JsonObject;
  /** As data (docs/chains.md); null: a recipe. */
  readonly chain: unknown;
  /** Extension of the resulting sound; null: as the recipe says, or as the first file. */
  readonly format: string | null;
}

/** A step, as the library has checked it. */
export interface PlannedStep {
  readonly name: string;
  readonly tool: ToolId;
  readonly sources: Readonly<Record<string, readonly string[]>>;
  readonly options: JsonObject;
  readonly soundFormat: string | null;
  readonly choices: FormatChoices;
  readonly formats: readonly string[] | null;
  readonly isResult: boolean;
}

export interface PlannedChain {
  readonly name: string;
  readonly steps: readonly PlannedStep[];
  /** Extension of the resulting sound; null: as the first file. */
  readonly format: string | null;
}

/** An option of a recipe. */
export interface ShownOption {
  /** What it does, in a few words. */
  readonly description: string;
  /** Its values; null: true or false; none: any text. */
  readonly choices: readonly string[] | null;
  /** A value for each file, separated by commas? One alone counts for all. */
  readonly perFile: boolean;
  /** What counts where it is not given. */
  readonly default: string | boolean;
}

/** A chain that comes with Earshot, for lists. */
export interface ShownRecipe {
  /** By which it is run. */
  readonly name: string;
  /** One or two sentences. */
  readonly description: string;
  /** Least count of its files, 1 or more. */
  readonly minFiles: number;
  /** Largest count of its files, at least `minFiles`. */
  readonly maxFiles: number;
  /** Its choices, by name in lower case. */
  readonly options: Readonly<Record<string, ShownOption>>;
}

export interface ChainPlanner {
  /** In the order of lists. */
  readonly recipes: readonly ShownRecipe[];
  /**
   * Checks a chain as far as that goes without its files.
   * @param files how many there are
   * @throws EarshotError bad_request, which names the step or the field
   */
  plan(order: ChainOrder, files: number): PlannedChain;
}
