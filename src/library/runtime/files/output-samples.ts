// Outputs as samples in memory: no file stays on the disk.
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { discard, drive } from '../../media/read/drive.ts';
import { openAudio } from '../../media/read/decode.ts';
import { probe } from '../../media/read/probe.ts';
import type { Sound } from '../../pcm/sound.ts';
import type { Analyser } from '../../pcm/stage.ts';
import { openOutputs, type OutputStream } from './output-streams.ts';
import type { OutputFile } from './work-folder.ts';

/** How a recording is read. */
export interface ReadSoundOptions {
  /** Aborts the reading; its promise rejects with an AbortError. Default: none. */
  readonly signal?: AbortSignal;
}

/** One output of a run as samples. */
export interface SoundOutput extends Omit<OutputFile, 'path'>, Sound {}

/** Keeps the sound that passes. */
function keepSamples(): Analyser<readonly Float32Array[]> {
  const blocks: Float32Array[][] = [];
  return {
    latencyFrames: 0,
    open(format) {
      blocks.push(...Array.from({ length: format.channels }, () => []));
      return format;
    },
    process({ planes, frames }, emit) {
      for (const [channel, plane] of planes.entries()) blocks[channel]?.push(plane.slice(0, frames));
      emit({ planes, frames });
    },
    flush: () => undefined,
    close: () => undefined,
    result: () => blocks.map(joined),
  };
}

/** One array of several, which are given up meanwhile. */
function joined(parts: Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((frames, { length }) => frames + length, 0));
  let at = 0;
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/**
 * Decodes a file's sound into memory.
 * @throws EarshotError as `probe`, and no_audio; AbortError
 */
export async function decodeSound(path: string, signal?: AbortSignal): Promise<Sound> {
  const source = openAudio(probe(path));
  try {
    const kept = keepSamples();
    await drive(source, [kept], discard, { signal, onProgress: () => undefined });
    return { samples: kept.result(), sampleRate: source.format.sampleRate };
  } finally {
    source.close();
  }
}

/**
 * Reads the outputs in a run's fresh folder and removes it: those with sound as samples, the others as streams.
 * @throws EarshotError as `decodeSound`
 */
export async function sampleOutputs(
  outputs: readonly OutputFile[],
  signal?: AbortSignal,
): Promise<{ readonly outputs: readonly SoundOutput[]; readonly others: readonly OutputStream[] }> {
  const [first] = outputs;
  if (first === undefined) return { outputs: [], others: [] };
  try {
    const sounds: SoundOutput[] = [];
    for (const output of outputs.filter(({ hasAudio }) => hasAudio)) {
      const { path, ...facts } = output;
      sounds.push({ ...facts, ...(await decodeSound(path, signal)) });
    }
    return { outputs: sounds, others: await openOutputs(outputs.filter(({ hasAudio }) => !hasAudio)) };
  } finally {
    await rm(dirname(first.path), { recursive: true, force: true }).catch(() => undefined);
  }
}
