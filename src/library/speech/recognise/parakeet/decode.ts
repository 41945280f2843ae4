// Greedy decoding of a token-and-duration transducer (Xu et al. 2023, "Efficient sequence transduction by jointly
// predicting tokens and durations"), step by step as onnx-asr does it.
import { AbortError } from '../../../core/abort.ts';
import type { ParakeetLayout } from './layout.ts';
import type { DecoderState, Encoded, ParakeetNetwork } from './network.ts';

export interface TimedToken {
  readonly token: number;
  /** The encoder step where it starts. */
  readonly step: number;
  /** Its duration in steps, by the network; 0: the next one starts in the same step. */
  readonly duration: number;
  /** 0 to 1, among all tokens. */
  readonly probability: number;
}

function greatest(values: Float32Array): number {
  let best = 0;
  for (let index = 1; index < values.length; index += 1)
    if ((values[index] as number) > (values[best] as number)) best = index;
  return best;
}

/** Softmax of one of the values. */
function probabilityOf(values: Float32Array, chosen: number): number {
  const top = values[chosen] as number;
  let sum = 0;
  for (const value of values) sum += Math.exp(value - top);
  return 1 / sum;
}

/** @throws AbortError */
export async function decodeTokens(
  network: Pick<ParakeetNetwork, 'join' | 'initialState'>,
  { blank, mostTokensPerStep }: Pick<ParakeetLayout, 'blank' | 'mostTokensPerStep'>,
  { steps, width, values }: Encoded,
  cancelled: () => boolean,
): Promise<TimedToken[]> {
  const found: TimedToken[] = [];
  let state: DecoderState = network.initialState();
  let last = blank;
  let begunHere = 0;
  for (let step = 0; step < steps;) {
    if (cancelled()) throw new AbortError();
    const joint = await network.join(values.subarray(step * width, (step + 1) * width), last, state);
    const token = greatest(joint.tokens);
    const duration = greatest(joint.durations);
    if (token !== blank) {
      ({ state } = joint);
      last = token;
      found.push({ token, step, duration, probability: probabilityOf(joint.tokens, token) });
      begunHere += 1;
    }
    if (duration === 0 && token !== blank && begunHere < mostTokensPerStep) continue;
    // A blank lasts at least one step.
    step += Math.max(1, duration);
    begunHere = 0;
  }
  return found;
}
