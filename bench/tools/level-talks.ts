// Built conversations whose turns are known, and how well level_speakers' gains fit them.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { GainCurve } from '../../src/library/dsp/gain/gain-curve.ts';
import { levelSpeech } from '../../src/library/dsp/gain/leveling.ts';
import { speakersOfHops } from '../../src/library/dsp/gain/speaker-hops.ts';
import { integratedOfHops } from '../../src/library/dsp/voicing/hop-loudness.ts';
import { visitRuns } from '../../src/library/dsp/series/sliding.ts';
import { findSpeech } from '../../src/library/dsp/voicing/speech-activity.ts';
import { meterSpeechLevels, type SpeechLevels } from '../../src/library/dsp/voicing/speech-levels.ts';
import type { SpeakerTurn } from '../../src/library/speech/speakers/speaker-turn.ts';
import { readAll } from '../../test/fixtures/media/media.ts';

const turnsEach = 12;
/** Of a turn. */
const longestSeconds = 5;
export type Random = () => number;
export interface Voice {
  readonly samples: Float32Array;
  readonly rate: number;
}

export function levelsOf({ samples, rate }: Voice): SpeechLevels {
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
export function withoutPauses({ samples, rate }: Voice): Voice {
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
export const kinds = [
  ['1.6 to 5 s, 0.3 to 0.8 s between', speaking(1.6, longestSeconds), between(0.3, 0.8)],
  ['1.6 to 2.2 s, 0.3 to 0.8 s between', speaking(1.6, 2.2), between(0.3, 0.8)],
  ['mostly pause, 0.3 to 0.8 s between', mostlyPause, between(0.3, 0.8)],
  ['mostly pause, 0.1 to 0.25 s between', mostlyPause, between(0.1, 0.25)],
  ['1.6 to 5 s, 0.05 to 0.15 s between', speaking(1.6, longestSeconds), between(0.05, 0.15)],
  ['1.6 to 5 s, nothing between', speaking(1.6, longestSeconds), () => 0],
] as const;

/** A talk with pauses in which music comes back. */
export const farApart = ['1.6 to 5 s, 0.2 to 6 s between', speaking(1.6, longestSeconds), between(0.2, 6)] as const;

export interface Conversation extends Voice {
  readonly turns: readonly SpeakerTurn[];
}

export function built(
  voices: readonly Voice[],
  [, turn, gap]: (typeof kinds)[number] | typeof farApart,
  spreadLu: number,
  random: Random,
) {
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

/** What level_speakers does to sound of those levels. @param known who speaks when; null: found out by the sound */
export function levelled(levels: SpeechLevels, known: readonly SpeakerTurn[] | null) {
  const { energy, hopSeconds, timbre } = levels;
  const activity = findSpeech(levels, { softTurns: true });
  const speakers = known && speakersOfHops(known, energy.length, hopSeconds);
  return { activity, gainsDb: levelSpeech(energy, activity, { speakers, timbre }).curve.gainsDb };
}

/** From which hop to which a turn speaks. */
export const hopsOf = ({ startSeconds, endSeconds }: SpeakerTurn, hopSeconds: number): readonly [number, number] => [
  Math.ceil(startSeconds / hopSeconds),
  Math.floor(endSeconds / hopSeconds),
];

/** How far each turn lies from the whole after leveling, LU. */
export function turnsOff(
  { energy, hopSeconds }: SpeechLevels,
  turns: readonly SpeakerTurn[],
  gainsDb: Float32Array,
): number[] {
  const whole = integratedOfHops(energy, hopSeconds, gainsDb) ?? 0;
  return turns.map((turn) => {
    const [from, to] = hopsOf(turn, hopSeconds);
    const lufs = integratedOfHops(energy.subarray(from, to), hopSeconds, gainsDb.subarray(from, to));
    return Math.abs((lufs ?? -70) - whole);
  });
}

export function missesOf({ turns, ...voice }: Conversation, known: readonly SpeakerTurn[] | null): number[] {
  const levels = levelsOf(voice);
  return turnsOff(levels, turns, levelled(levels, known).gainsDb);
}

/** How far the gain moves within speech, dB in all, and over how many seconds. */
export function movedOf(voice: Voice): { movedDb: number; seconds: number } {
  return moved(levelsOf(voice));
}

export function moved(levels: SpeechLevels): { movedDb: number; seconds: number } {
  const { activity, gainsDb } = levelled(levels, null);
  let [movedDb, hops] = [0, 0];
  for (let hop = 1; hop < gainsDb.length; hop += 1) {
    if (activity.speech[hop] === 0 || activity.speech[hop - 1] === 0) continue;
    movedDb += Math.abs((gainsDb[hop] as number) - (gainsDb[hop - 1] as number));
    hops += 1;
  }
  return { movedDb, seconds: hops * levels.hopSeconds };
}

/** A step of the noise in a pause that is heard: more than this within so many seconds. */
export const heardStep = { db: 3, seconds: 0.2 };

/** How far the gain moves within 0.2 s in each pause of at least a tenth of a second, dB. */
export function pauseSteps(
  levels: SpeechLevels,
  known: readonly SpeakerTurn[] | null,
): { seconds: number; db: number }[] {
  const { activity, gainsDb } = levelled(levels, known);
  const within = Math.round(heardStep.seconds / levels.hopSeconds);
  const steps: { seconds: number; db: number }[] = [];
  visitRuns(
    activity.speech.map((speech) => 1 - speech),
    (start, end) => {
      const seconds = (end - start) * levels.hopSeconds;
      if (seconds < 0.1) return;
      let db = 0;
      for (let hop = start; hop < end; hop += 1)
        db = Math.max(db, Math.abs((gainsDb[Math.min(end - 1, hop + within)] as number) - (gainsDb[hop] as number)));
      steps.push({ seconds, db });
    },
  );
  return steps;
}

/** Samples in which one person speaks. */
const oneVoice = /(?:speech|fillers)\/.*\.(?:wav|flac|mp3)$|noise\/clean_speech/u;

/** Recordings of one voice each, by their names below the samples' folder; 16 kHz. */
export function oneVoiceRecordings(samples: string): (readonly [name: string, voice: Voice])[] {
  const names = readdirSync(samples, { recursive: true, encoding: 'utf8' }).toSorted();
  return names
    .filter((name) => oneVoice.test(name))
    .map((name) => {
      const { planes, format } = readAll(join(samples, name), { rate: 16_000, channels: 1 });
      return [name, { samples: planes[0] as Float32Array<ArrayBuffer>, rate: format.sampleRate }];
    });
}

/** Named, so that a recording that is added does not change what was measured before. */
const talkers = ['austen-0870.wav', 'austen-0880.wav', 'austen-0890.wav', 'jfk.wav', 'sonnet001.mp3'];

/** Voices of a folder that talks are built of, without their pauses. */
export const talkingVoices = (folder: string): Voice[] =>
  talkers
    .map((name) => readAll(join(folder, name)))
    .filter(({ format }) => format.sampleRate === 16_000)
    .map(({ planes, format }) =>
      withoutPauses({ samples: planes[0] as Float32Array<ArrayBuffer>, rate: format.sampleRate }),
    )
    .filter(({ samples, rate }) => samples.length > longestSeconds * rate);

export const spreadsLu = [12, 20, 40];
export const seedOf = (spreadLu: number, index: number): number => 1000 * spreadLu + 17 * index + 5;

/** Greatest slope of a curve, dB per second. */
export function steepestDbPerSecond({ gainsDb, hopSeconds }: GainCurve): number {
  let most = 0;
  for (let hop = 1; hop < gainsDb.length; hop += 1)
    most = Math.max(most, Math.abs((gainsDb[hop] as number) - (gainsDb[hop - 1] as number)));
  return most / hopSeconds;
}
