// The two networks, loaded once per thread.
import { createFbank, type Fbank, fbankFrame, fbankHop } from '../../kernels/fbank.ts';
import { createSession, keptSession, type NetworkSession } from '../../models/sessions.ts';
import { findModel, requireInstalled } from '../../models/installed.ts';
import { requireModel } from '../../models/manifest.ts';
import type { SpeechSound } from '../speech-sound.ts';
import { classVoices, windowFrames, windowSamples } from './segmentation.ts';

export const embeddingLength = 192;
/** Fewer rows do not identify a voice: 150 ms. */
export const leastRows = 15;

/** The networks' files in shared memory, once for all threads. */
export interface SpeakerNetworks {
  /** Identifies the files. */
  readonly key: string;
  /** The same of the network of voices alone. */
  readonly embeddingKey: string;
  readonly segmentation: SharedArrayBuffer;
  readonly embedding: SharedArrayBuffer;
}

const modelIds = { segmentation: 'pyannote-segmentation-3.0', embedding: 'campplus' } as const;

/** Are both networks installed, by file size? */
export async function hasSpeakerNetworks(folders: readonly string[]): Promise<boolean> {
  const found = await Promise.all(Object.values(modelIds).map((id) => findModel(requireModel(id), folders, 'size')));
  return found.every(({ state }) => state === 'installed');
}

/** @throws EarshotError tool_unavailable when a network is missing or damaged */
export async function readSpeakerNetworks(folders: readonly string[]): Promise<SpeakerNetworks> {
  const [segmentation, embedding] = await Promise.all([
    requireInstalled(modelIds.segmentation, folders),
    requireInstalled(modelIds.embedding, folders),
  ]);
  const shared = (bytes: Uint8Array): SharedArrayBuffer => {
    const buffer = new SharedArrayBuffer(bytes.byteLength);
    new Uint8Array(buffer).set(bytes);
    return buffer;
  };
  return {
    key: [segmentation, embedding].flatMap(({ model }) => model.files.map(({ sha256 }) => sha256)).join(),
    embeddingKey: embedding.model.files[0]?.sha256 ?? '',
    segmentation: shared(segmentation.file('model.onnx')),
    embedding: shared(embedding.file('model.onnx')),
  };
}

const session = (networks: SpeakerNetworks, name: keyof typeof modelIds): Promise<NetworkSession> =>
  keptSession(`${networks.key}/${name}`, () => createSession(modelIds[name], new Uint8Array(networks[name]).slice()));

/** Which of a window's own voices speak in each of its frames, as bits. */
export async function hearVoices(
  networks: SpeakerNetworks,
  sound: SpeechSound,
  start: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const network = await session(networks, 'segmentation');
  const { y } = await network.run({ x: { data: sound.read(start, windowSamples), dims: [1, 1, windowSamples] } }, [
    'y',
  ]);
  const scores = (y as { data: Float32Array }).data;
  const voices = new Uint8Array(windowFrames);
  for (let frame = 0; frame < windowFrames; frame += 1) {
    const at = frame * classVoices.length;
    let best = 0;
    for (let index = 1; index < classVoices.length; index += 1)
      if ((scores[at + index] as number) > (scores[at + best] as number)) best = index;
    voices[frame] = classVoices[best] as number;
  }
  return voices;
}

/** Filter-bank rows of a stretch. Row r of the recording covers its samples from 160 r on, in any stretch. */
export interface Features {
  readonly firstRow: number;
  readonly rows: number;
  readonly values: Float32Array<ArrayBuffer>;
}

let bank: Fbank | undefined;

/** Row numbers in [start, end); the last row extends 15 ms beyond. */
const rowsBetween = (start: number, end: number): readonly [first: number, last: number] => [
  Math.ceil(start / fbankHop),
  Math.floor(end / fbankHop) - 1,
];

/** All rows in [start, end) and in the recording. */
export function featuresOf(sound: SpeechSound, start: number, end: number): Features {
  bank ??= createFbank();
  const [firstRow, wantedRow] = rowsBetween(start, end);
  const lastRow = Math.min(wantedRow, Math.floor((sound.frames - fbankFrame) / fbankHop));
  const rows = Math.max(0, lastRow - firstRow + 1);
  const samples = sound.read(firstRow * fbankHop, rows === 0 ? 0 : (rows - 1) * fbankHop + fbankFrame);
  return { firstRow, rows, values: bank.rows(samples, rows) };
}

/** The rows in [start, end), as `embed` takes them. */
export function rowsIn({ firstRow, rows }: Features, [start, end]: readonly [start: number, end: number]): number[] {
  const [first, last] = rowsBetween(start, end);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index - firstRow).filter(
    (row) => row >= 0 && row < rows,
  );
}

/**
 * The embedding of a voice: a direction near its other embeddings (length 1).
 * @param rows of `features`, in order; at least `leastRows`
 */
export async function embed(
  networks: SpeakerNetworks,
  features: Features,
  rows: readonly number[],
): Promise<Float32Array<ArrayBuffer>> {
  const network = await session(networks, 'embedding');
  const { bands } = bank as Fbank;
  const chosen = new Float32Array(rows.length * bands);
  for (const [index, row] of rows.entries())
    chosen.set(features.values.subarray(row * bands, (row + 1) * bands), index * bands);
  for (let band = 0; band < bands; band += 1) {
    let sum = 0;
    for (let at = band; at < chosen.length; at += bands) sum += chosen[at] as number;
    const mean = sum / rows.length;
    for (let at = band; at < chosen.length; at += bands) chosen[at] = (chosen[at] as number) - mean;
  }
  const { embedding } = await network.run({ x: { data: chosen, dims: [1, rows.length, bands] } }, ['embedding']);
  const values = new Float32Array((embedding as { data: Float32Array }).data);
  const length = Math.hypot(...values);
  return length > 0 ? values.map((value) => value / length) : values;
}
