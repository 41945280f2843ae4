// In place of models/raw-sessions.ts: the networks that a tab computes by code of ours. Whisper has kernels of its own.
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import type { RawPort, RawSession } from '../../../../library/models/raw-sessions.ts';
import { openSilero } from '../../../networks/silero.ts';
import { setImmediate } from '../../node/timers-promises.ts';

export type { RawPort, RawSession, RawTensor } from '../../../../library/models/raw-sessions.ts';

const port = (name: string, ...shape: readonly (number | string)[]): RawPort => ({ name, type: 'float32', shape });

/** How often the worker hears whether its run was aborted: after so many milliseconds of networks. */
const breathMilliseconds = 20;

/** @throws EarshotError tool_unavailable for another network */
export async function openOwn(source: Uint8Array | string): Promise<RawSession> {
  const run = typeof source === 'string' ? null : openSilero(source);
  if (run === null)
    throw new EarshotError('tool_unavailable', "A browser's tab does not compute this network", {
      nextAction: 'Use whisper-base with weights of 8 bits, or the library in Node, or a service.',
    });
  let restedAt = performance.now();
  return {
    inputs: [port('input', 'rows', 576), port('state', 2, 'rows', 128), { name: 'sr', type: 'int64', shape: [] }],
    outputs: [port('output', 'rows', 1), port('stateN', 2, 'rows', 128)],
    async run({ input, state }) {
      if (performance.now() - restedAt > breathMilliseconds) {
        await setImmediate();
        restedAt = performance.now();
      }
      const answer = run({ input: input?.data as Float32Array, state: state?.data as Float32Array });
      const rows = answer.output.length;
      return {
        output: { data: answer.output, dims: [rows, 1] },
        stateN: { data: answer.stateN, dims: [2, rows, 128] },
      };
    },
    release: () => Promise.resolve(),
  };
}

/** Each tab computes for itself. */
export const openShared = (): Promise<null> => Promise.resolve(null);
export const sharesNetworks = (): Promise<boolean> => Promise.resolve(false);
