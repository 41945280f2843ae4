// Does this processor compute a network correctly? ONNX Runtime has code for each kind of processor, and some of it was
// silently wrong (microsoft/onnxruntime#28571: arm64 with SME).
import { EarshotError } from '../core/errors/errors.ts';
import { type NetworkAnswer, networkAnswers } from './network-answers.ts';

interface Values {
  readonly data: Float32Array | BigInt64Array;
  readonly dims: readonly number[];
}

/** Runs a network: a session. */
export interface RunnableNetwork {
  run(
    feeds: Readonly<Record<string, Values>>,
    wanted: readonly string[],
  ): Promise<Readonly<Record<string, { readonly data: Float32Array }>>>;
}

const sumCount = 8;
/**
 * Tolerance as a share of the answer's root mean square. Correct answers deviate by 6e-5 on x64, cortex-a72 and
 * neoverse-n1; wrong convolutions of the kind above by 2.3.
 */
export const mostDeviation = 0.01;

/** Deterministic pseudo-random numbers from -1 to 1 (linear congruential generator, Numerical Recipes). */
function* noise(seed: number): Generator<number, never> {
  for (let state = seed >>> 0; ;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 31 - 1;
  }
}

function feedsOf({ inputs, integers = {} }: NetworkAnswer): Record<string, Values> {
  const feeds: Record<string, Values> = {};
  for (const [name, dims] of Object.entries(inputs)) {
    const source = noise(name.length);
    const length = dims.reduce((product, each) => product * each, 1);
    const integer = integers[name];
    const data =
      integer === undefined
        ? Float32Array.from({ length }, () => source.next().value)
        : BigInt64Array.from({ length }, () => BigInt(integer));
    feeds[name] = { data, dims };
  }
  return feeds;
}

/** The network's answer to its test input, in the stored form. */
export async function answerOf(
  session: RunnableNetwork,
  check: Pick<NetworkAnswer, 'inputs' | 'integers'>,
  outputs: readonly string[],
): Promise<NetworkAnswer['outputs']> {
  const answers = await session.run(feedsOf({ ...check, outputs: {} }), outputs);
  return Object.fromEntries(
    outputs.map((name) => {
      const { data } = answers[name] as { readonly data: Float32Array };
      const sums = Array.from({ length: sumCount }, (_, index) => {
        const signs = noise(index + 1);
        let sum = 0;
        for (const value of data) sum += signs.next().value < 0 ? -value : value;
        return sum / Math.sqrt(data.length);
      });
      const rms = Math.sqrt(data.reduce((sum, value) => sum + value * value, 0) / data.length);
      return [name, { rms, sums }];
    }),
  );
}

/**
 * How far the network's answer is from the stored one, as a share of its root mean square; null without a stored one.
 */
export async function deviationOf(name: string, session: RunnableNetwork): Promise<number | null> {
  const check = networkAnswers[name];
  if (!check) return null;
  const answers = await answerOf(session, check, Object.keys(check.outputs));
  return Math.max(
    ...Object.entries(check.outputs).flatMap(([output, { rms, sums }]) =>
      sums.map((sum, index) => {
        const off = Math.abs((answers[output]?.sums[index] ?? NaN) - sum) / rms;
        return Number.isFinite(off) ? off : Infinity;
      }),
    ),
  );
}

/** @throws EarshotError tool_unavailable when this processor computes the network wrong */
export async function requireRight(name: string, session: RunnableNetwork): Promise<void> {
  const deviation = await deviationOf(name, session);
  if (deviation === null || deviation <= mostDeviation) return;
  throw new EarshotError(
    'tool_unavailable',
    `This processor computes ${name} wrong: expected the stored answer to a small input but it is ` +
      `${Math.round(100 * deviation)} % off`,
    {
      nextAction: 'Run Earshot on another kind of processor, and report `earshot doctor --json` to its developers.',
      details: { model: name },
    },
  );
}
