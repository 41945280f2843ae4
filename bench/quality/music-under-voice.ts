// Is music behind a voice told from noise by what a suppressor takes away? Thresholds were set with an eye on
// families A to C, which have instruments, noises and voices of their own.
//   node bench/quality/run.ts --music [--part=deepfilternet3-B-noise]   fifteen minutes of CPU, on all cores
import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { NoiseEngine } from '../../src/library/dsp/denoise/engines.ts';
import { otherPieces } from '../../test/fixtures/sounds/second-band.ts';
import { pieces } from '../../test/fixtures/sounds/music.ts';
import { musicTaken, watched } from '../../test/fixtures/sounds/watched.ts';
import { mix, noises, rate, sample } from './mixtures.ts';
import { machines } from './machines.ts';
import { otherNoises } from './other-noises.ts';
import { engines, likeMusic } from './passages.ts';
import { spoken } from './voice-decisions.ts';

const seconds = 12;
const frames = seconds * rate;
/** Voice over what is behind it, dB. */
const ratios = [2, 8, 14, 20] as const;

interface Family {
  readonly voices: Readonly<Record<string, Float32Array>>;
  readonly music: Readonly<Record<string, (seconds: number) => Float32Array>>;
  readonly noises: Readonly<Record<string, Float32Array>>;
}

const repeated = (plane: Float32Array): Float32Array =>
  Float32Array.from({ length: frames }, (_, i) => plane[i % plane.length] as number);

const text =
  'The harbour was quiet in the early morning, and only two boats had come back from the night. A man in a yellow coat ' +
  'carried boxes to the road, where a lorry was waiting with its doors open. Nobody spoke, for everybody knew what had ' +
  'to be done.';

function families(): Record<string, Family> {
  const made = (list: Readonly<Record<string, (count: number) => Float32Array>>): Record<string, Float32Array> =>
    Object.fromEntries(Object.entries(list).map(([name, noise]) => [name, noise(frames)]));
  const sonnet = sample('speech/sonnet001.mp3').slice(5 * rate, 5 * rate + frames);
  const [woman, man] = [spoken('en-gb+f3', text), spoken('en-us+m4', text)];
  return {
    A: {
      voices: {
        clean: repeated(sample('noise/clean_speech_48k.wav')),
        austen: repeated(sample('speech/austen-0870.wav')),
      },
      music: pieces,
      noises: { ...made(noises), ...likeMusic() },
    },
    B: {
      voices: {
        sonnet,
        ...(woman && man ? { woman: repeated(woman), man: repeated(man) } : {}),
      },
      music: otherPieces,
      noises: made(otherNoises),
    },
    C: { voices: { sonnet }, music: {}, noises: made(machines) },
  };
}

/** One table: what an engine takes away of the music, or of the noises, of a family. */
interface Part {
  readonly engine: string;
  readonly family: string;
  readonly kind: 'music' | 'noise';
}

/** @param title of the sound, mixed with each of the voices at each of the ratios */
async function shareRow(engine: NoiseEngine, { voices }: Family, title: string, sound: Float32Array): Promise<string> {
  const shares: string[] = [];
  for (const ratio of ratios) {
    let taken = 0;
    for (const voice of Object.values(voices)) {
      const plane = mix(voice, sound, ratio);
      const { planes } = await watched(engine, [plane]);
      taken += musicTaken(plane, planes[0] as Float32Array).reduce((sum, x) => sum + x, 0);
    }
    shares.push((taken / seconds / Object.keys(voices).length).toFixed(2));
  }
  return `| ${title} | ${shares.join(' | ')} |`;
}

async function printPart({ engine: id, family: name, kind }: Part): Promise<void> {
  const [engine, family] = [(await engines()).find((one) => one.id === id), families()[name]];
  if (!engine || !family) throw new Error(`Expected an engine and a family but received ${id} and ${name}`);
  const sounds =
    kind === 'noise'
      ? family.noises
      : Object.fromEntries(Object.entries(family.music).map(([piece, play]) => [piece, play(seconds)]));
  if (Object.keys(sounds).length === 0) return;
  if (name === 'B' && Object.keys(family.voices).length === 1)
    console.log('espeak-ng is not installed: family B has the voice of sonnet001 alone');
  console.log(
    `\n${id}, family ${name}: ${kind}, share of seconds taken for music, by the voice's level over it\n` +
      `| sound | ${ratios.map((db) => `${db} dB`).join(' | ')} |\n|---|${ratios.map(() => '---').join('|')}|`,
  );
  for (const [title, sound] of Object.entries(sounds)) console.log(await shareRow(engine, family, title, sound));
}

const parts = async (): Promise<Part[]> =>
  (await engines()).flatMap(({ id: engine }) =>
    ['A', 'B', 'C'].flatMap((family) => (['music', 'noise'] as const).map((kind) => ({ engine, family, kind }))),
  );

const nameOf = ({ engine, family, kind }: Part): string => `${engine}-${family}-${kind}`;

/** What a process of its own prints of a part. */
async function printed(part: Part): Promise<string> {
  const script = fileURLToPath(new URL('run.ts', import.meta.url));
  const ran = await promisify(execFile)(process.execPath, [script, '--music', `--part=${nameOf(part)}`]);
  return ran.stdout;
}

/**
 * Shares of the seconds that are taken for music behind a voice: high for music, 0 for noise. 928 mixtures of 12 s, a
 * second of CPU each: the tables are made side by side, one on each core, and printed as they are done.
 * @param only of the parts, such as deepfilternet3-B-noise
 */
export async function benchMusicUnderVoice(only?: string): Promise<void> {
  const all = await parts();
  if (only !== undefined) {
    const part = all.find((one) => nameOf(one) === only);
    if (!part) throw new Error(`Expected one of ${all.map(nameOf).join(', ')} as --part but received ${only}`);
    await printPart(part);
    return;
  }
  const waiting = all.values();
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      for (const part of waiting) process.stdout.write(await printed(part));
    }),
  );
}
