// How many turns of built conversations level_speakers' gains bring within 1.5 LU of the rest, by how long the turns are,
// how much of them is pause, what lies between them and how far their levels lie apart.
//     node bench/tools/level-turns.ts [--samples=FOLDER] [--conversations=12] [--networks]
// Voices are stretches of the samples, at random levels, over noise. "alone" knows only the sound; "labels" is told who
// speaks in every moment, "networks" (slower) by the speaker networks of the house. Loudness is that of the cut turn (ITU-R
// BS.1770 gating) after the gain; neither limiter nor encoder is in it. Then how much the gain moves while one voice speaks
// on: over the samples of one voice as they are, and over the same without their pauses.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { levelSpeech } from '../../src/library/dsp/gain/leveling.ts';
import { speakersOfHops } from '../../src/library/dsp/gain/speaker-hops.ts';
import { integratedOfHops } from '../../src/library/dsp/voicing/hop-loudness.ts';
import { findSpeech } from '../../src/library/dsp/voicing/speech-activity.ts';
import { meterSpeechLevels, type SpeechLevels } from '../../src/library/dsp/voicing/speech-levels.ts';
import { createFanOut } from '../../src/library/runtime/fan-out.ts';
import { findSpeakers } from '../../src/library/speech/speakers/find-speakers.ts';
import type { SpeakerTurn } from '../../src/library/speech/speakers/speaker-turn.ts';
import { extractSpeech } from '../../src/library/speech/speech-sound.ts';
import { writeWav } from '../../test/fixtures/media/pcm-files.ts';
import { readAll } from '../../test/fixtures/media/media.ts';
import { seeded } from '../../test/fixtures/random.ts';

const flag = (name: string): string | undefined =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
const folder = join(flag('samples') ?? fileURLToPath(new URL('../../../shared/samples/', import.meta.url)), 'speech');
const conversations = Number(flag('conversations') ?? 12);
const turnsEach = 12;
/** Of a turn. */
const longestSeconds = 5;
const scratch = mkdtempSync(join(tmpdir(), 'earshot-turns-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
const { signal } = new AbortController();
const fanOut = createFanOut(2, signal);

type Random = () => number;
interface Voice {
  readonly samples: Float32Array;
  readonly rate: number;
}

function levelsOf({ samples, rate }: Voice): SpeechLevels {
  const meter = meterSpeechLevels({ timbre: true });
  const format = { sampleRate: rate, channels: 1, layout: 'mono' as const };
  meter.open(format);
  for (let at = 0; at < samples.length; at += rate) {
    const plane = samples.subarray(at, at + rate);
    meter.process({ planes: [plane], frames: plane.length }, () => undefined);
  }
  meter.flush(() => undefined);
  return meter.result();
}
const lufsOf = (voice: Voice): number => {
  const { energy, hopSeconds } = levelsOf(voice);
  return integratedOfHops(energy, hopSeconds, null) ?? -70;
};

function joined(parts: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A voice without its pauses. */
function withoutPauses({ samples, rate }: Voice): Voice {
  const { energy, hopSeconds } = levelsOf({ samples, rate });
  const hop = Math.round(hopSeconds * rate);
  const quiet = 0.01 * (energy.toSorted()[Math.floor(0.9 * energy.length)] as number);
  const kept = [...energy.keys()].filter((at) => energy.subarray(Math.max(0, at - 6), at + 7).some((x) => x > quiet));
  return { samples: joined(kept.map((at) => samples.subarray(at * hop, (at + 1) * hop))), rate };
}

/** So many seconds of it from anywhere, faded over 10 ms. */
function taken({ samples, rate }: Voice, seconds: number, random: Random): Float32Array {
  const length = Math.round(seconds * rate);
  const from = Math.floor(random() * (samples.length - length));
  const fade = 0.01 * rate;
  return samples
    .slice(from, from + length)
    .map((x, index) => x * Math.min(1, index / fade, (length - 1 - index) / fade));
}

type Turn = (voice: Voice, random: Random) => Float32Array;
const between =
  (least: number, most: number) =>
  (random: Random): number =>
    least + (most - least) * random();
const speaking =
  (least: number, most: number): Turn =>
  (voice, random) =>
    taken(voice, between(least, most)(random), random);
/** 1.8 to 2 s, of which two stretches of words are under a second. */
const mostlyPause: Turn = (voice, random) => {
  const [words, share] = [between(0.7, 0.9)(random), between(0.35, 0.65)(random)];
  const pause = new Float32Array(Math.round((between(1.8, 2)(random) - words) * voice.rate));
  return joined([taken(voice, words * share, random), pause, taken(voice, words * (1 - share), random)]);
};
const kinds = [
  ['1.6 to 5 s, 0.3 to 0.8 s between', speaking(1.6, longestSeconds), between(0.3, 0.8)],
  ['1.6 to 2.2 s, 0.3 to 0.8 s between', speaking(1.6, 2.2), between(0.3, 0.8)],
  ['mostly pause, 0.3 to 0.8 s between', mostlyPause, between(0.3, 0.8)],
  ['mostly pause, 0.1 to 0.25 s between', mostlyPause, between(0.1, 0.25)],
  ['1.6 to 5 s, 0.05 to 0.15 s between', speaking(1.6, longestSeconds), between(0.05, 0.15)],
  ['1.6 to 5 s, nothing between', speaking(1.6, longestSeconds), () => 0],
] as const;

interface Conversation extends Voice {
  readonly turns: readonly SpeakerTurn[];
}

function built(voices: readonly Voice[], [, turn, gap]: (typeof kinds)[number], spreadLu: number, random: Random) {
  const first = Math.floor(random() * voices.length);
  const second = (first + 1 + Math.floor(random() * (voices.length - 1))) % voices.length;
  const { rate } = voices[first] as Voice;
  const parts = [new Float32Array(rate / 2)];
  const turns: SpeakerTurn[] = [];
  let at = rate / 2;
  for (let index = 0; index < turnsEach; index += 1) {
    const speaker = 1 + (index % 2);
    const said = turn(voices[speaker === 1 ? first : second] as Voice, random);
    const gain = 10 ** ((-18 - spreadLu * random() - lufsOf({ samples: said, rate })) / 20);
    const silence = new Float32Array(Math.round(gap(random) * rate));
    parts.push(
      said.map((x) => gain * x),
      silence,
    );
    turns.push({ startSeconds: at / rate, endSeconds: (at + said.length) / rate, speaker });
    at += said.length + silence.length;
  }
  parts.push(new Float32Array(rate / 2));
  const noise = Math.sqrt(3) * 10 ** ((between(-77, -62)(random) - (spreadLu > 20 ? 12 : 0)) / 20);
  const samples = joined(parts).map((x) => x + noise * (2 * random() - 1));
  return { samples, rate, turns } satisfies Conversation;
}

async function byNetworks({ samples, rate }: Voice): Promise<readonly SpeakerTurn[]> {
  const talk = mkdtempSync(join(scratch, 'talk-'));
  const path = writeWav(join(talk, 'talk.wav'), [samples], rate, 'f32');
  const sound = await extractSpeech(path, talk, { signal, onProgress: () => undefined });
  try {
    return await findSpeakers(sound, {
      modelsDir: undefined,
      fanOut,
      signal,
      onProgress: () => undefined,
    });
  } finally {
    sound.close();
  }
}

/** How far each turn lies from the whole after leveling, LU. */
function missesOf({ turns, ...voice }: Conversation, known: readonly SpeakerTurn[] | null): number[] {
  const { energy, hopSeconds, ...levels } = levelsOf(voice);
  const activity = findSpeech({ energy, hopSeconds, ...levels }, { softTurns: true });
  const speakers = known && speakersOfHops(known, energy.length, hopSeconds);
  const { gainsDb } = levelSpeech(energy, activity, { speakers, timbre: levels.timbre }).curve;
  const whole = integratedOfHops(energy, hopSeconds, gainsDb) ?? 0;
  return turns.map(({ startSeconds, endSeconds }) => {
    const [from, to] = [Math.ceil(startSeconds / hopSeconds), Math.floor(endSeconds / hopSeconds)];
    const lufs = integratedOfHops(energy.subarray(from, to), hopSeconds, gainsDb.subarray(from, to));
    return Math.abs((lufs ?? -70) - whole);
  });
}

/** How far the gain moves within speech, dB in all, and over how many seconds. */
function movedOf(voice: Voice): { movedDb: number; seconds: number } {
  const { energy, hopSeconds, ...levels } = levelsOf(voice);
  const activity = findSpeech({ energy, hopSeconds, ...levels }, { softTurns: true });
  const { gainsDb } = levelSpeech(energy, activity, { timbre: levels.timbre }).curve;
  let [movedDb, hops] = [0, 0];
  for (let hop = 1; hop < energy.length; hop += 1) {
    if (activity.speech[hop] === 0 || activity.speech[hop - 1] === 0) continue;
    movedDb += Math.abs((gainsDb[hop] as number) - (gainsDb[hop - 1] as number));
    hops += 1;
  }
  return { movedDb, seconds: hops * hopSeconds };
}

/** Samples in which one person speaks. */
const oneVoice = /(?:speech|fillers)\/.*\.(?:wav|flac|mp3)$|noise\/clean_speech/u;

function printMoved(samples: string): void {
  console.log('\n| one voice | as it is: gain moves | without its pauses |\n|---|---|---|');
  const sums = [0, 0];
  for (const name of readdirSync(samples, { recursive: true, encoding: 'utf8' }).toSorted()) {
    if (!oneVoice.test(name)) continue;
    const { planes, format } = readAll(join(samples, name), { rate: 16_000, channels: 1 });
    const voice = { samples: planes[0] as Float32Array<ArrayBuffer>, rate: format.sampleRate };
    const cells = [voice, withoutPauses(voice)].map((heard, index) => {
      const { movedDb, seconds } = movedOf(heard);
      sums[index]! += movedDb;
      return `${movedDb.toFixed(1)} dB in ${seconds.toFixed(0)} s`;
    });
    console.log(`| ${name} | ${cells.join(' | ')} |`);
  }
  console.log(`| all | ${sums.map((movedDb) => `${movedDb.toFixed(1)} dB`).join(' | ')} |`);
}

if (existsSync(folder)) {
  const voices = readdirSync(folder)
    .filter((name) => ['.wav', '.flac', '.mp3'].includes(extname(name)))
    .map((name) => readAll(join(folder, name)))
    .filter(({ format }) => format.sampleRate === 16_000)
    .map(({ planes, format }) =>
      withoutPauses({ samples: planes[0] as Float32Array<ArrayBuffer>, rate: format.sampleRate }),
    )
    .filter(({ samples, rate }) => samples.length > longestSeconds * rate);
  const ways = ['alone', 'labels', ...(process.argv.includes('--networks') ? ['networks'] : [])];
  console.log(`| levels within | turns | ${ways.map((way) => `${way}: over 1.5 LU off, worst`).join(' | ')} |`);
  console.log(`|---|---|${ways.map(() => '---|').join('')}`);
  for (const spreadLu of [12, 20, 40])
    for (const kind of kinds) {
      const off = ways.map((): number[] => []);
      for (let index = 0; index < conversations; index += 1) {
        const talk = built(voices, kind, spreadLu, seeded(1000 * spreadLu + 17 * index + 5));
        off[0]!.push(...missesOf(talk, null));
        off[1]!.push(...missesOf(talk, talk.turns));
        if (off[2]) off[2].push(...missesOf(talk, await byNetworks(talk)));
      }
      const cells = off.map(
        (misses) => `${misses.filter((lu) => lu > 1.5).length} of ${misses.length}, ${Math.max(...misses).toFixed(1)}`,
      );
      console.log(`| ${spreadLu} LU | ${kind[0]} | ${cells.join(' | ')} |`);
    }
  printMoved(join(folder, '..'));
} else console.log(`No recordings in ${folder}: name the samples' folder with --samples=FOLDER`);
process.exit();
