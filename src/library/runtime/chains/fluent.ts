// A chain written as calls: engine.chain('talk.wav').removeNoise().adjustLoudness({ target: 'podcast' }).run().
import { toolIds, type ToolId } from '../../contract/tool-ids.ts';
import type { OptionsWithAll, OptionUnlessInput, ToolOptionsById } from '../../tools/option-types.ts';
import { createEngine as createPlainEngine } from '../engine/engine.ts';
import type { Engine, EngineOptions } from '../engine/engine-types.ts';
import type { Chain, ChainStep } from './chain.ts';
import type { ChainOptions, ChainRun } from './chain-run.ts';

/** "remove_noise" as "removeNoise". */
type MethodOf<Id extends string> = Id extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<MethodOf<Rest>>}`
  : Id;

/** What a step has besides its tool and its options. */
export type StepSettings = Pick<ChainStep, 'name' | 'input' | 'formats' | 'keep'>;

/** What follows a step's name: options may be left out where none is required, and where another input has them. */
type StepArguments<Id extends ToolId> = Id extends keyof OptionUnlessInput
  ?
      | [options: OptionsWithAll<Id>, settings?: StepSettings]
      | [options: ToolOptionsById[Id], settings: StepSettings & Required<Pick<StepSettings, 'input'>>]
  : {} extends ToolOptionsById[Id]
    ? [options?: ToolOptionsById[Id], settings?: StepSettings]
    : [options: ToolOptionsById[Id], settings?: StepSettings];

/** A method for each tool, which adds it as the next step. */
type StepMethods = {
  readonly [Id in ToolId as MethodOf<Id>]: (...step: StepArguments<Id>) => FluentChain;
};

/** A chain over files, step by step. Each call returns a new chain; nothing is done before `run`. */
export interface FluentChain extends StepMethods {
  /**
   * Runs the steps, as `runChain` does.
   * @throws EarshotError as `runChain`; AbortError
   */
  run(options?: ChainOptions): Promise<ChainRun>;
  /** The chain as data, for `JSON.stringify`, `runChain` and `earshot run`. */
  toJSON(): Chain;
}

/** An engine that also runs chains. */
export interface ChainingEngine extends Engine {
  /**
   * Begins a chain over files: `engine.chain('talk.wav').removeNoise().adjustLoudness({ target: 'podcast' }).run()`.
   * Every tool is a method, by its id in camel case; see docs/chains.md.
   * @param files paths, in order
   */
  chain(...files: readonly [first: string, ...others: string[]]): FluentChain;
}

const methodOf = (id: string): string => id.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

function chainOf(engine: Engine, files: readonly string[], steps: readonly ChainStep[]): FluentChain {
  const methods = toolIds.map((tool) => [
    methodOf(tool),
    (options?: Readonly<Record<string, unknown>>, settings: StepSettings = {}) =>
      chainOf(engine, files, [...steps, { tool, ...settings, ...(options === undefined ? {} : { options }) }]),
  ]);
  return {
    ...(Object.fromEntries(methods) as StepMethods),
    toJSON: () => ({ steps }),
    async run(options) {
      const { runChain } = await import('./run-chain.ts');
      return runChain(engine, { steps }, files, options);
    },
  };
}

/**
 * An engine, which starts nothing before its first run.
 * @throws EarshotError bad_request for an option out of range; tool_unavailable where there is no Node for runs, and in
 *   a process that was started for one
 */
export function createEngine(options: EngineOptions = {}): ChainingEngine {
  const engine = createPlainEngine(options);
  return Object.assign(engine, { chain: (...files: readonly string[]) => chainOf(engine, files, []) });
}
