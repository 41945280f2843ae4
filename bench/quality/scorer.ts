// Opinions without a reference by DNSMOS (Reddy, Gopal, Cutler, "DNSMOS P.835", ICASSP 2022): the signal, the
// background and both, 1 to 5. Its network comes with the Python package speechmos, installed under bench/.media.
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { openAudio } from '../../src/library/media/read/decode.ts';
import { probe } from '../../src/library/media/read/probe.ts';
import { pythonWith } from '../speech/python.ts';

const rate = 16_000;
/** The network's own length: 9.01 s. */
const heard = 144_160;
/** Windows of a file that are judged. */
const most = 2;

export interface Opinion {
  readonly overall: number;
  readonly signal: number;
  readonly background: number;
}

const polynomial = (x: number, [a, b, c]: readonly [number, number, number]): number => a * x * x + b * x + c;

/** null where its package cannot be had. */
export async function openScorer(): Promise<((path: string) => Promise<Opinion>) | null> {
  const python = pythonWith('opinion', ['speechmos==0.0.1.1']);
  if (python === null) return null;
  const lib = join(dirname(dirname(python)), 'lib');
  const packages = join(lib, readdirSync(lib)[0] ?? '', 'site-packages');
  const { InferenceSession: Session, Tensor: Input } = createRequire(import.meta.url)(
    'onnxruntime-node',
  ) as typeof import('onnxruntime-node');
  const network: InferenceSession = await Session.create(join(packages, 'speechmos/dnsmos_models/sig_bak_ovr.onnx'), {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
  });
  return async (path) => {
    const source = openAudio(probe(path), { rate, channels: 1 });
    const parts: number[] = [];
    for (let block = source.next(); block; block = source.next())
      parts.push(...(block.planes[0] as Float32Array).subarray(0, block.frames));
    source.close();
    let samples = parts;
    while (samples.length < heard) samples = [...samples, ...samples];
    const windows = Math.floor(samples.length / rate - 9.01) + 1;
    const count = Math.min(windows, most);
    const sums = { overall: 0, signal: 0, background: 0 };
    for (let n = 0; n < count; n += 1) {
      const from = count === 1 ? 0 : Math.floor(((windows - 1) * n) / (count - 1)) * rate;
      const input = new Input('float32', Float32Array.from(samples.slice(from, from + heard)), [1, heard]);
      const { data } = Object.values(await network.run({ input_1: input }))[0] as Tensor;
      const [signal = 0, background = 0, overall = 0] = data as Float32Array;
      sums.signal += polynomial(signal, [-0.083_972_78, 1.220_839_53, 0.005_243_9]) / count;
      sums.background += polynomial(background, [-0.131_668_88, 1.609_155_14, -0.396_045_46]) / count;
      sums.overall += polynomial(overall, [-0.067_662_83, 1.115_464_68, 0.046_025_35]) / count;
    }
    return sums;
  };
}
