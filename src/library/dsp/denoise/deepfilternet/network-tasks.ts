// The three networks of DeepFilterNet3 as tasks for any thread. State is passed in and out; only the loaded networks
// are kept. The decoders' task also applies the results, so that two threads have equal work.
import type { NetworkSession, Tensor } from '../../../models/sessions.ts';
import { createSession } from '../../../models/sessions.ts';
import { stateIn, stateOut, type StreamingChange } from '../../../models/streaming-graph.ts';
import { createStft, type Stft } from '../../../kernels/stft.ts';
import type { FanOutTask } from '../../../core/machine/fan-out.ts';
import { release } from '../suppressor/pieces.ts';
import { vorbisWindow } from '../suppressor/vorbis-window.ts';
import { applyFilter, type Spectra } from './apply.ts';
import { bandCount, filteredBins, frameSamples, hopSamples } from './features.ts';

export const stateLength = 256;
/** Frames before a piece that the encoder and the filter decoder need. */
export const encoderLookBack = 2;
export const filterLookBack = 4;
const channels = 64;

/** The networks, verified and changed for streaming. */
export interface NetworkFiles {
  /** Identifies the model. */
  readonly key: string;
  readonly enc: SharedArrayBuffer;
  readonly erb_dec: SharedArrayBuffer;
  readonly df_dec: SharedArrayBuffer;
}

type NetworkName = Exclude<keyof NetworkFiles, 'key'>;

/** Changes that make the published networks run piece by piece. */
export const streamingChanges: Readonly<Record<NetworkName, StreamingChange>> = {
  enc: {
    padded: { feat_erb: [1, 1, 'frames_in', bandCount], feat_spec: [1, 2, 'frames_in', filteredBins] },
    grus: 1,
    stateLength,
  },
  erb_dec: { padded: {}, grus: 2, stateLength },
  df_dec: { padded: { c0: [1, channels, 'frames_in', filteredBins] }, grus: 2, stateLength },
};

const sessions = new Map<string, Promise<NetworkSession>>();

function session(files: NetworkFiles, name: NetworkName): Promise<NetworkSession> {
  const key = `${files.key}/${name}`;
  const known = sessions.get(key);
  if (known) return known;
  const made = createSession(`deepfilternet3/${name}`, new Uint8Array(files[name]).slice());
  sessions.set(key, made);
  return made;
}

/** Loads networks before they are needed. */
export async function prepare({
  item: { files, names },
}: FanOutTask<{ readonly files: NetworkFiles; readonly names: readonly NetworkName[] }>): Promise<void> {
  await Promise.all(names.map((name) => session(files, name)));
}

type Values = Float32Array<ArrayBuffer>;

/** States of one network's GRUs, concatenated. */
export type States = readonly Values[];

export const freshStates = (count: number): States =>
  Array.from({ length: count }, () => new Float32Array(stateLength));

const stateFeeds = (states: States): Record<string, Tensor> =>
  Object.fromEntries(states.map((data, index) => [stateIn(index), { data, dims: [1, 1, stateLength] }]));
const values = (outputs: Readonly<Record<string, Tensor>>, name: string): Values =>
  (outputs[name] as Tensor).data as Values;
const statesOf = (outputs: Readonly<Record<string, Tensor>>, count: number): States =>
  Array.from({ length: count }, (_, index) => values(outputs, stateOut(index)));

export interface EncoderItem {
  readonly files: NetworkFiles;
  /** Including the look-back at the front. */
  readonly erb: Values;
  readonly spec: Values;
  readonly frames: number;
  readonly states: States;
}

export interface EncoderResult {
  readonly e0: Values;
  readonly e1: Values;
  readonly e2: Values;
  readonly e3: Values;
  readonly emb: Values;
  readonly c0: Values;
  readonly states: States;
}

export async function encode({ item, transfer }: FanOutTask<EncoderItem>): Promise<EncoderResult> {
  const { files, erb, spec, frames, states } = item;
  const wide = frames + encoderLookBack;
  const network = await session(files, 'enc');
  const outputs = await network.run(
    {
      feat_erb: { data: erb, dims: [1, 1, wide, bandCount] },
      feat_spec: { data: spec, dims: [1, 2, wide, filteredBins] },
      ...stateFeeds(states),
    },
    ['e0', 'e1', 'e2', 'e3', 'emb', 'c0', stateOut(0)],
  );
  release(erb, spec);
  const [e0, e1, e2, e3, emb, c0] = ['e0', 'e1', 'e2', 'e3', 'emb', 'c0'].map((name) => values(outputs, name)) as [
    Values,
    Values,
    Values,
    Values,
    Values,
    Values,
  ];
  transfer(e0.buffer, e1.buffer, e2.buffer, e3.buffer, emb.buffer, c0.buffer);
  return { e0, e1, e2, e3, emb, c0, states: statesOf(outputs, 1) };
}

export interface DecoderItem extends Omit<EncoderResult, 'states'> {
  readonly files: NetworkFiles;
  readonly frames: number;
  /** For each channel, with `filterReach` more frames on both sides. */
  readonly noisy: readonly Spectra[];
  /** c0 is the encoder's, with the look-back at the front, per channel. States: two per decoder. */
  readonly states: States;
}

export interface DecoderResult {
  /**
   * The denoised sound of each channel under the window, `hopSamples` longer than its frames; to be overlap-added with
   * the neighbouring pieces.
   */
  readonly sounds: readonly Values[];
  readonly states: States;
}

let transform: Stft | undefined;

export async function decode({ item, transfer }: FanOutTask<DecoderItem>): Promise<DecoderResult> {
  const { files, frames, states, noisy } = item;
  const emb: Tensor = { data: item.emb, dims: [1, frames, 512] };
  const masks = await session(files, 'erb_dec');
  const masked = await masks.run(
    {
      emb,
      e3: { data: item.e3, dims: [1, channels, frames, 8] },
      e2: { data: item.e2, dims: [1, channels, frames, 8] },
      e1: { data: item.e1, dims: [1, channels, frames, 16] },
      e0: { data: item.e0, dims: [1, channels, frames, 32] },
      ...stateFeeds(states.slice(0, 2)),
    },
    ['m', stateOut(0), stateOut(1)],
  );
  const filters = await session(files, 'df_dec');
  const filtered = await filters.run(
    {
      emb,
      c0: { data: item.c0, dims: [1, channels, frames + filterLookBack, filteredBins] },
      ...stateFeeds(states.slice(2)),
    },
    ['coefs', stateOut(0), stateOut(1)],
  );
  release(item.e0, item.e1, item.e2, item.e3, item.emb, item.c0);
  const [mask, taps] = [values(masked, 'm'), values(filtered, 'coefs')];
  const stft = (transform ??= createStft({ window: vorbisWindow(frameSamples), hop: hopSamples }));
  const sounds = noisy.map((spectra) => {
    const clean = applyFilter(spectra, frames, mask, taps);
    const sound = new Float32Array((frames + 1) * hopSamples);
    stft.inverse(clean.re, clean.im, frames, 1, sound);
    release(clean.re, clean.im, spectra.re, spectra.im);
    return sound;
  });
  release(mask, taps);
  transfer(...sounds.map(({ buffer }) => buffer));
  return { sounds, states: [...statesOf(masked, 2), ...statesOf(filtered, 2)] };
}

/** The encoder's c0 with the last frames of the previous piece before each channel's. Frees the encoder's own. */
export function withLookBack(c0: Values, frames: number, before: Values | null): Values {
  const out = new Float32Array(channels * (frames + filterLookBack) * filteredBins);
  const row = frames * filteredBins;
  const back = filterLookBack * filteredBins;
  for (let channel = 0; channel < channels; channel += 1) {
    const at = channel * (row + back);
    if (before) out.set(before.subarray(channel * back, (channel + 1) * back), at);
    out.set(c0.subarray(channel * row, (channel + 1) * row), at + back);
  }
  release(c0);
  return out;
}

/** The last frames of a result of `withLookBack`, for the next piece. */
export function lastFrames(c0: Values, frames: number): Values {
  const out = new Float32Array(channels * filterLookBack * filteredBins);
  const row = (frames + filterLookBack) * filteredBins;
  const back = filterLookBack * filteredBins;
  for (let channel = 0; channel < channels; channel += 1)
    out.set(c0.subarray((channel + 1) * row - back, (channel + 1) * row), channel * back);
  return out;
}
