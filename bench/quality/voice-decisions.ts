// What enhance_voice takes for a voice and what it does about it: unusual and quiet voices, music, and both together;
// and what a clean studio voice loses of its highs.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pieces } from '../../test/fixtures/sounds/music.ts';
import { creak, hoarse, laugh, sing, whisper } from '../../test/fixtures/sounds/revoice.ts';
import { openAudio } from '../../src/library/media/read/decode.ts';
import { lostVoice } from './lost-voice.ts';
import { mix, noises, rate, sample } from './mixtures.ts';
import { filtered } from './voice-cases.ts';
import { probe } from '../../src/library/media/read/probe.ts';

export interface Enhanced {
  readonly out: Float32Array;
  readonly result: Record<string, unknown>;
  readonly codes: readonly string[];
}
export type Enhance = (name: string, plane: Float32Array) => Promise<Enhanced>;

const decibels = (x: Float32Array): number => 10 * Math.log10(x.reduce((sum, y) => sum + y * y, 0) / x.length + 1e-20);
const scaled = (x: Float32Array, db: number): Float32Array => x.map((y) => y * 10 ** (db / 20));
const at = (x: Float32Array, dbfs: number): Float32Array => scaled(x, dbfs - decibels(x));
const added = (a: Float32Array, b: Float32Array, from = 0): Float32Array =>
  a.map((x, i) => x + (b[i - Math.round(from * rate)] ?? 0));
const f = (value: number): string => (Number.isFinite(value) ? value.toFixed(1) : '-').padStart(6);
const wanted = (name: string): boolean => {
  const place = process.argv.indexOf('--case');
  return place < 0 || name.includes(process.argv[place + 1] ?? '');
};

/** Level of the frames of 20 ms in which `voice` pauses, or speaks, in `plane`, dB. */
function levelWhere(plane: Float32Array, voice: Float32Array, speaks: boolean): number {
  const frame = 960;
  const powers = Array.from({ length: Math.floor(voice.length / frame) }, (_, t) =>
    decibels(voice.subarray(t * frame, (t + 1) * frame)),
  );
  const loud = powers.toSorted((a, b) => b - a)[Math.floor(powers.length / 10)] ?? 0;
  const here = powers.flatMap((level, t) =>
    (speaks ? level > loud - 20 : level < loud - 35)
      ? [10 ** (decibels(plane.subarray(t * frame, (t + 1) * frame)) / 10)]
      : [],
  );
  return 10 * Math.log10(here.reduce((sum, x) => sum + x, 0) / here.length);
}

const gainOf = ({ result }: Enhanced): number => Number(result['gainDb'] ?? 0);
const head = ({ result, codes }: Enhanced): string => {
  const found = result['found'] as { voice: boolean; signalToNoiseDb: number };
  return `${found.voice ? 'voice   ' : 'no voice'} gain ${f(gainOf({ result, codes, out: new Float32Array() }))} dB`;
};

/** Speech by espeak-ng, mono at 48 kHz; null where it is not installed. */
function spoken(voice: string, words: string): Float32Array | null {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-espeak-'));
  try {
    const path = join(folder, 'said.wav');
    if (spawnSync('espeak-ng', ['-v', voice, '-w', path, words]).status !== 0) return null;
    const source = openAudio(probe(path), { rate, channels: 1 });
    const parts: number[] = [];
    for (let block = source.next(); block; block = source.next())
      parts.push(...(block.planes[0] as Float32Array).subarray(0, block.frames));
    source.close();
    return Float32Array.from(parts);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const seconds = 12;
const words =
  'The north wind and the sun were disputing which was the stronger, when a traveller came along wrapped in a warm ' +
  'cloak. They agreed that the one who first made him take it off should be considered stronger than the other.';

function unusualVoices(): Record<string, Float32Array> {
  const speech = sample('noise/clean_speech_48k.wav');
  const austen = sample('speech/austen-0870.wav').slice(0, seconds * rate);
  const said = Object.fromEntries(
    ['whisper', 'whisperf', 'croak'].flatMap((variant) => {
      const voice = spoken(`en-us+${variant}`, words);
      if (!voice) console.log(`  espeak-ng with ${variant}: not installed, left out`);
      return voice ? [[`espeak ${variant}`, voice.slice(0, seconds * rate)]] : [];
    }),
  );
  return {
    speech,
    whisper: whisper(speech),
    'whisper 2': whisper(austen),
    hoarse: hoarse(speech),
    'hoarse 2': hoarse(austen, 3, 190),
    creak: creak(speech),
    'creak 2': creak(austen),
    singing: sing(speech.slice(0, (seconds / 2) * rate)),
    laughter: laugh(seconds),
    ...said,
  };
}

/** What is taken for a voice, and what becomes of it, of music and of both; as users run it: with auto_volume. */
export async function benchDecisions(enhance: Enhance): Promise<void> {
  console.log('voices, RMS level, noise 25 dB below: what is lost of the voice; level of speech over pauses');
  for (const [name, voice] of Object.entries(unusualVoices())) {
    for (const dbfs of [-23, -57]) {
      if (!wanted(`${name} ${dbfs}`)) continue;
      const dry = at(voice, dbfs);
      const noisy = mix(dry, (noises['pink'] as (frames: number) => Float32Array)(dry.length), 25);
      const done = await enhance(`${name.replaceAll(' ', '-')}${dbfs}`, noisy);
      const out = scaled(done.out, -gainOf(done));
      const lost = lostVoice(out, dry);
      const snr = (plane: Float32Array): number => levelWhere(plane, dry, true) - levelWhere(plane, dry, false);
      console.log(
        `  ${`${name} ${dbfs}`.padEnd(22)} ${head(done)}  lost ${f(lost.levelDb)} dB, gone ` +
          `${lost.goneShare.toFixed(2)}  over pauses ${f(snr(noisy))} -> ${f(snr(out))}  ${done.codes.join(' ')}`,
      );
    }
  }
  console.log('music: change of its level, whole and second by second (least, most)');
  for (const [name, piece] of Object.entries(pieces)) {
    if (!wanted(name)) continue;
    const music = at(piece(seconds), -30);
    const done = await enhance(name.replaceAll(' ', '-'), music);
    const each = Array.from({ length: seconds }, (_, second) => {
      const [from, to] = [second * rate, (second + 1) * rate];
      return decibels(done.out.subarray(from, to)) - decibels(music.subarray(from, to));
    });
    console.log(
      `  ${name.padEnd(22)} ${head(done)}  ${f(decibels(done.out) - decibels(music))} (${f(Math.min(...each))}, ` +
        `${f(Math.max(...each))}) dB  ${done.codes.join(' ')}`,
    );
  }
  console.log('neither: change of level');
  for (const [name, noise] of Object.entries(noises)) {
    if (!wanted(name) || name.includes('voices') || name.includes('babble')) continue;
    const plane = at(noise(seconds * rate), -40);
    const done = await enhance(name, plane);
    console.log(
      `  ${name.padEnd(22)} ${head(done)}  ${f(decibels(done.out) - decibels(plane))} dB  ${done.codes.join(' ')}`,
    );
  }
  console.log('voice and music: level of what is left of the music where it plays alone, and under the voice');
  const speech = sample('noise/clean_speech_48k.wav');
  const count = spoken('en-us', 'one, two. One, two, three, four.') ?? speech.slice(0, 3 * rate);
  for (const name of ['strummed guitar', 'arpeggio', 'rock', 'pads', 'pop']) {
    const music = at((pieces[name] as (s: number) => Float32Array)(seconds), -26);
    const cases: Record<string, readonly [voice: Float32Array, from: number]> = {
      'count-in before': [at(count, -23), -1],
      'count-in over': [at(count, -20), 0.3],
      'speech over': [at(speech.slice(0, 8 * rate), -18), 2],
    };
    for (const [which, [voice, from]] of Object.entries(cases)) {
      if (!wanted(`${which} ${name}`)) continue;
      const lead = from < 0 ? voice.length : 0;
      const bed = new Float32Array(lead + music.length);
      bed.set(music, lead);
      const whole = added(bed, voice, Math.max(0, from));
      const done = await enhance(`${which}-${name}`.replaceAll(' ', '-'), whole);
      const out = scaled(done.out, -gainOf(done));
      const start = Math.round(Math.max(0, from) * rate);
      const rest = [start + voice.length + 0.5 * rate, whole.length] as const;
      const alone = decibels(out.subarray(...rest)) - decibels(whole.subarray(...rest));
      const under = [start, Math.min(whole.length, start + voice.length)] as const;
      const kept = lead > 0 ? Number.NaN : lostVoice(out.slice(...under), bed.slice(...under)).levelDb;
      const said = lostVoice(out.slice(...under), voice.slice(0, under[1] - under[0])).levelDb;
      console.log(
        `  ${`${which} ${name}`.padEnd(30)} ${head(done)}  alone ${f(alone)} dB  under ${f(kept)} dB  voice ` +
          `${f(said)} dB  ` +
          done.codes.join(' '),
      );
    }
  }
}

/** Recordings that lack nothing: what is left of their highs against their lower band. */
export async function benchStudio(enhance: Enhance): Promise<void> {
  console.log('clean studio voices: change of 4-8 kHz against 300-3100 Hz, dB');
  const clean = sample('noise/clean_speech_48k.wav');
  const sonnet = sample('speech/sonnet001.mp3').slice(0, 15 * rate);
  const shelf = (plane: Float32Array, fromHz: number, db: number): Float32Array =>
    at(
      filtered(plane, (hz) => 1 + (10 ** (db / 20) - 1) / (1 + (fromHz / Math.max(1, hz)) ** 4)),
      -23,
    );
  const voices: Record<string, Float32Array> = {
    clean,
    sonnet,
    'clean, +3 dB from 4 kHz': shelf(clean, 4000, 3),
    'clean, +6 dB from 4 kHz': shelf(clean, 4000, 6),
    'sonnet, +3 dB from 4 kHz': shelf(sonnet, 4000, 3),
    'sonnet, +6 dB from 4 kHz': shelf(sonnet, 4000, 6),
  };
  for (const variant of ['f2', 'f4', 'm3', 'klatt4', 'Annie', 'belinda']) {
    const voice = spoken(`en-us+${variant}`, words);
    if (voice) voices[`espeak ${variant}`] = at(voice, -23);
  }
  const band = (plane: Float32Array, low: number, high: number): number =>
    decibels(filtered(plane, (hz) => (hz >= low && hz <= high ? 1 : 0)));
  for (const [name, voice] of Object.entries(voices)) {
    if (!wanted(name)) continue;
    const { out, result } = await enhance(name.replaceAll(/\W+/gu, '-'), voice);
    const change = (low: number, high: number): number => band(out, low, high) - band(voice, low, high);
    const found = result['found'] as Record<string, unknown>;
    console.log(
      `  ${name.padEnd(26)} ${f(change(4000, 8000) - change(300, 3100))} dB  (2-4 kHz ` +
        `${f(change(2000, 4000) - change(300, 3100))})  SNR ${String(found['signalToNoiseDb'])} suppression ` +
        `${String(found['noiseSuppression'])} balance ${String(found['balanceDb'])}`,
    );
  }
}
