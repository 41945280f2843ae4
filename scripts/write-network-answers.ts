// Writes src/library/models/network-answers.ts: what each network answers to a small input, on this machine. Run it on
// x64 when a model or ONNX Runtime changes, and say in the commit what changed.
//     node scripts/write-network-answers.ts [--print]
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { InferenceSession } from 'onnxruntime-node';
import { networkBytes } from '../src/cli/doctor/networks.ts';
import type { NetworkAnswer } from '../src/library/models/network-answers.ts';
import { answerOf } from '../src/library/models/network-check.ts';
import { createSession } from '../src/library/models/sessions.ts';
import { stateIn } from '../src/library/models/streaming-graph.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const state = [1, 1, 256];

const networks: Readonly<Record<string, Omit<NetworkAnswer, 'outputs'>>> = {
  'deepfilternet3/enc': {
    inputs: { feat_erb: [1, 1, 22, 32], feat_spec: [1, 2, 22, 96], [stateIn(0)]: state },
  },
  'deepfilternet3/erb_dec': {
    inputs: {
      emb: [1, 8, 512],
      e3: [1, 64, 8, 8],
      e2: [1, 64, 8, 8],
      e1: [1, 64, 8, 16],
      e0: [1, 64, 8, 32],
      [stateIn(0)]: state,
      [stateIn(1)]: state,
    },
  },
  'deepfilternet3/df_dec': {
    inputs: { emb: [1, 8, 512], c0: [1, 64, 12, 96], [stateIn(0)]: state, [stateIn(1)]: state },
  },
  'silero-vad': {
    inputs: { input: [1, 576], state: [2, 1, 128], sr: [] },
    integers: { sr: 16_000 },
  },
  'pyannote-segmentation-3.0': { inputs: { x: [1, 1, 16_000] } },
  campplus: { inputs: { x: [1, 40, 80] } },
  'sound-classifier': { inputs: { log_mel: [1, 96, 64] } },
};

const answers: Record<string, NetworkAnswer> = {};
for (const [name, check] of Object.entries(networks)) {
  const bytes = await networkBytes(name);
  const { outputNames } = await InferenceSession.create(bytes);
  const session = await createSession(name, bytes.slice(), { checked: false });
  const outputs = await answerOf(session, check, outputNames);
  const rounded = Object.entries(outputs).map(([output, { rms, sums }]) => {
    const short = (value: number): number => Number(value.toPrecision(5));
    return [output, { rms: short(rms), sums: sums.map(short) }] as const;
  });
  answers[name] = { ...check, outputs: Object.fromEntries(rounded) };
  await session.close();
}
const text = `// Written by scripts/write-network-answers.ts.

/** A network's small input by shapes, and what it must answer. */
export interface NetworkAnswer {
  readonly inputs: Readonly<Record<string, readonly number[]>>;
  /** Of inputs that are no sound or state. */
  readonly integers?: Readonly<Record<string, number>>;
  /** By output: its root mean square, and its sums with random signs, per root of its length. */
  readonly outputs: Readonly<Record<string, { readonly rms: number; readonly sums: readonly number[] }>>;
}

/** By the name that a session has in messages. */
export const networkAnswers: Readonly<Record<string, NetworkAnswer>> = ${JSON.stringify(answers, null, 2)};
`;
if (process.argv.includes('--print')) console.log(text);
else writeFileSync(`${root}src/library/models/network-answers.ts`, text);
