// What a chain costs at most, before its steps have run: each step at the length of what goes into the chain.
import { callsOf, givenSources } from '../../../library/contract/chain-calls.ts';
import type { FilesByField } from '../../../library/contract/tool-inputs.ts';
import type { ToolId } from '../../../library/contract/tool-ids.ts';
import { billedLength, priceOf, roundSeconds } from '../tools/prices.ts';
import { lengthsOf, rateOf, stemOf } from './next-step.ts';
import type { ChainFile, ChainPlan, StoredStep } from './stored-chain.ts';

/** A step's share of the price. */
export interface StepPrice {
  readonly name: string;
  readonly tool: ToolId;
  /** Billed length of all its runs together, whole seconds; at most, since steps before may shorten. */
  readonly seconds: number;
  readonly credits: number;
}

interface Made extends ChainFile {
  readonly name: string;
}

/**
 * @param onRun called for each run, with its billed length in seconds
 * @throws EarshotError bad_request, which names the step
 */
export function estimate(
  { steps, files }: ChainPlan,
  onRun: (step: StoredStep, inputs: FilesByField<ChainFile>, lengthSeconds: number) => void,
): readonly StepPrice[] {
  const made = givenSources<Made>(files.map((file) => ({ ...file, name: file.filename })));
  return steps.map((step) => {
    const outputs: Made[] = [];
    let seconds = 0;
    let credits = 0;
    for (const inputs of callsOf(step, (source) => made.get(source) ?? [])) {
      const length = billedLength(step.billing, lengthsOf(step, inputs));
      onRun(step, inputs, length);
      seconds += roundSeconds(length);
      credits += priceOf(roundSeconds(length), rateOf(step, inputs));
      outputs.push(...madeBy(step, inputs, length));
    }
    made.set(step.name, outputs);
    return { name: step.name, tool: step.tool, seconds, credits };
  });
}

function madeBy(step: StoredStep, inputs: FilesByField<Made>, lengthSeconds: number): Made[] {
  const [first] = Object.values(inputs).flat();
  const stem = stemOf(first?.filename ?? 'result');
  const made = (extension: string, durationSeconds: number | null): Made => {
    const name = `${stem}.${extension}`;
    return { id: '', filename: name, name, durationSeconds };
  };
  if (step.writesText) return (step.formats ?? ['json']).map((format) => made(format, null));
  const list = Object.entries(inputs).find(([field]) => step.inputs[field]?.comesBack === true);
  return list === undefined || list[1].length === 0
    ? [made('wav', lengthSeconds)]
    : list[1].map((file) => ({ ...file, id: '' }));
}
