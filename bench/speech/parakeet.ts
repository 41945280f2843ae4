// Tiny Parakeets with random weights, read by the Python package onnx-asr and by ours: tokens and times must be equal,
// unless two answers of the network were closer to each other than features in float32 are to the truth.
// `--write` writes what onnx-asr reads into test/fixtures, for a test that needs no Python.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readParakeetLayout } from '../../src/library/speech/recognise/parakeet/layout.ts';
import { loadParakeet } from '../../src/library/speech/recognise/parakeet/parakeet.ts';
import { expectedSounds, expectedUrl, modelHash } from '../../test/fixtures/networks/parakeet-expected.ts';
import { recordedSound } from '../../test/fixtures/networks/parakeet-sounds.ts';
import { tinyParakeets, writeParakeet } from '../../test/fixtures/networks/parakeet.ts';
import { pythonWith } from './python.ts';

type Samples = Float32Array<ArrayBuffer>;

const peer = 'onnx-asr==0.12.0';
/** Where the best answer leads by less, two right computations may choose differently. */
const leastLead = 1e-3;

interface PeerReading {
  readonly model: string;
  readonly sound: string;
  readonly tokens: readonly number[];
  readonly steps: readonly number[];
  readonly timestamps: readonly number[];
  readonly logProbabilities: readonly number[];
  readonly lead: number | null;
}

function readByPeer(python: string, models: string, sounds: string): PeerReading[] {
  const script = fileURLToPath(new URL('parakeet_peer.py', import.meta.url));
  const ran = spawnSync(python, [script, models, sounds], { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 });
  if (ran.status !== 0) throw new Error(`${peer} failed:\n${ran.stderr}`);
  return ran.stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as PeerReading);
}

const same = (ours: readonly number[], theirs: readonly number[]): boolean =>
  ours.length === theirs.length && ours.every((value, index) => value === theirs[index]);

async function compare(
  models: string,
  sounds: ReadonlyMap<string, Samples>,
  theirs: readonly PeerReading[],
): Promise<boolean> {
  let good = true;
  console.log('model      sounds  tokens  other tokens  other times  too close   probability off by  least lead');
  for (const [name, kind] of Object.entries(tinyParakeets)) {
    const parakeet = await loadParakeet(await readParakeetLayout(writeParakeet(join(models, name), kind)));
    const readings = theirs.filter(({ model }) => model === name);
    const [wrong, late, close]: [string[], string[], string[]] = [[], [], []];
    let [tokens, off, lead] = [0, 0, Infinity];
    for (const reading of readings) {
      const ours = await parakeet.readTokens(sounds.get(reading.sound) as Samples, () => false);
      tokens += ours.length;
      lead = Math.min(lead, reading.lead ?? Infinity);
      const equal = same(
        ours.map(({ token }) => token),
        reading.tokens,
      );
      const times = ours.map(({ step }) => step * parakeet.stepSeconds);
      const inTime =
        times.length === reading.timestamps.length &&
        times.every((seconds, index) => Math.abs(seconds - (reading.timestamps[index] ?? NaN)) < 1e-9);
      if (!(equal && inTime) && (reading.lead ?? Infinity) < leastLead) close.push(reading.sound);
      else {
        if (!equal) wrong.push(reading.sound);
        if (!inTime) late.push(reading.sound);
      }
      if (!equal) continue;
      for (const [index, { probability }] of ours.entries())
        off = Math.max(off, Math.abs(probability - Math.exp(reading.logProbabilities[index] ?? NaN)));
    }
    await parakeet.close();
    good &&= readings.length === sounds.size && wrong.length === 0 && late.length === 0;
    const column = (names: readonly string[], width: number): string => (names.join(' ') || 'none').padEnd(width);
    console.log(
      `${name.padEnd(10)} ${String(readings.length).padStart(6)}  ${String(tokens).padStart(6)}  ` +
        `${column(wrong, 12)}  ${column(late, 11)}  ${column(close, 10)} ${off.toExponential(1).padStart(18)}  ` +
        lead.toExponential(1),
    );
  }
  return good;
}

function writeExpected(readings: readonly PeerReading[]): void {
  const close = readings.filter(({ lead }) => lead !== null && lead < leastLead);
  const left = close.map(({ model, sound }) => `${model}/${sound}`).join(', ') || 'none';
  const value = {
    madeBy: peer.replace('==', ' '),
    models: Object.fromEntries(Object.keys(tinyParakeets).map((name) => [name, modelHash(name)])),
    readings: readings
      .filter((reading) => !close.includes(reading))
      .map(({ model, sound, tokens, steps, logProbabilities }) => ({
        model,
        sound,
        tokens: tokens.join(' '),
        steps: steps.join(' '),
        permille: logProbabilities.map((value) => Math.round(1000 * Math.exp(value))).join(' '),
      })),
  };
  writeFileSync(expectedUrl, `${JSON.stringify(value, null, 2)}\n`);
  console.log(`${value.readings.length} readings are written; left out for a lead under ${leastLead}: ${left}`);
}

const python = pythonWith('onnx-asr', [peer, 'onnxruntime']);
if (python === null) process.exit(1);
const work = mkdtempSync(join(tmpdir(), 'earshot-bench-'));
try {
  const write = process.argv.includes('--write');
  const sounds = new Map(await expectedSounds());
  if (!write)
    for (const name of [
      'jfk.wav',
      'austen-0870.wav',
      'acoustic_corpus.wav',
      'sonnet001.mp3',
      'um.flac',
      'ami-trn05.wav',
    ] as const)
      sounds.set(name, await recordedSound(name, 30));
  const [models, files] = [join(work, 'models'), join(work, 'sounds')];
  mkdirSync(files);
  for (const [name, kind] of Object.entries(tinyParakeets)) writeParakeet(join(models, name), kind);
  for (const [name, samples] of sounds) writeFileSync(join(files, name), samples);
  const readings = readByPeer(python, models, files);
  if (write) writeExpected(readings);
  else if (!(await compare(models, sounds, readings))) process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
