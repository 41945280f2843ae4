// What enhance_voice does to voices spoilt by script, measured against the recordings before they were spoilt.
//   node bench/quality/voice.ts [--engine rnnoise] [--keep folder] [--only decisions | studio | spoilt]
// Prints one line per case; --keep writes what went in and what came out for listening.
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { noFinishedParts } from '../../src/library/core/progress/finished-parts.ts';
import { openAudio } from '../../src/library/media/read/decode.ts';
import { openEncoder } from '../../src/library/media/write/encode.ts';
import { binHz, createSpectrumReader } from '../../src/library/dsp/voice/spectral-stage.ts';
import { enhanceVoice } from '../../src/library/tools/enhance_voice/tool.ts';
import { inputFile } from '../../test/fixtures/media/input-files.ts';
import { logSpectralDistance, siSdr } from './measures.ts';
import { mix, noises, sample } from './mixtures.ts';
import { benchDecisions, benchStudio, type Enhanced } from './voice-decisions.ts';
import { convolve, filtered, inRange, resampled, room, telephone } from './voice-cases.ts';
import { probe } from '../../src/library/media/read/probe.ts';

const rate = 48_000;
const samples = fileURLToPath(new URL('../../../shared/samples/', import.meta.url));
const argument = (name: string): string | undefined =>
  process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : undefined;

const power = (plane: Float32Array): number => plane.reduce((sum, x) => sum + x * x, 0) / plane.length;
const db = (ratio: number): number => 10 * Math.log10(ratio);
/** `plane` as loud as `like`. */
const matched = (plane: Float32Array, like: Float32Array): Float32Array => {
  const gain = Math.sqrt(power(like) / power(plane));
  return plane.map((x) => x * gain);
};
function writeWav(path: string, plane: Float32Array, sampleRate: number): string {
  const sink = openEncoder(path, { sampleRate, channels: 1, layout: 'mono' }, { format: 'wav', bitDepth: '32f' });
  sink.write({ planes: [plane], frames: plane.length });
  sink.finish();
  sink.close();
  return path;
}

function read(path: string): Float32Array {
  const source = openAudio(probe(path), { rate, channels: 1 });
  const parts: number[] = [];
  for (let block = source.next(); block; block = source.next()) parts.push(...(block.planes[0] as Float32Array));
  source.close();
  return Float32Array.from(parts);
}

/** Mean power between two frequencies. */
function bandPower(plane: Float32Array, fromHz: number, toHz: number): number {
  let sum = 0;
  createSpectrumReader(1, ([spectrum]) => {
    for (let bin = Math.round(fromHz / binHz); bin < Math.round(toHz / binHz); bin += 1)
      sum += (spectrum?.re[bin] ?? 0) ** 2 + (spectrum?.im[bin] ?? 0) ** 2;
  })([plane], plane.length);
  return sum / plane.length;
}

/**
 * Speech to reverberation modulation energy, dB, after Falk, Zheng, Chan (IEEE TASLP 18, 2010), simplified: third
 * octaves of a short-time spectrum instead of a gammatone bank; power of the envelopes from 3 to 16 Hz over that from
 * 20 to 80 Hz. Higher is drier.
 */
function modulationRatio(plane: Float32Array): number {
  const centres = Array.from({ length: 14 }, (_, band) => 250 * 2 ** (band / 3));
  const envelopes = centres.map((): number[] => []);
  createSpectrumReader(1, ([spectrum]) => {
    for (const [band, centre] of centres.entries()) {
      let sum = 1e-12;
      for (let bin = Math.round((centre * 0.89) / binHz); bin <= Math.round((centre * 1.12) / binHz); bin += 1)
        sum += (spectrum?.re[bin] ?? 0) ** 2 + (spectrum?.im[bin] ?? 0) ** 2;
      envelopes[band]?.push(Math.sqrt(sum));
    }
  })([plane], plane.length);
  const size = 192;
  let [slow, fast] = [0, 0];
  for (const envelope of envelopes) {
    for (let at = 0; at + size <= envelope.length; at += size / 2) {
      for (let k = 3; k <= 82; k += 1) {
        if (k > 16 && k < 20) continue;
        let [re, im] = [0, 0];
        for (let i = 0; i < size; i += 1) {
          const x = (envelope[at + i] as number) * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / size));
          re += x * Math.cos((2 * Math.PI * k * i) / size);
          im += x * Math.sin((2 * Math.PI * k * i) / size);
        }
        if (k <= 16) slow += re * re + im * im;
        else fast += re * re + im * im;
      }
    }
  }
  return db(slow / fast);
}

/**
 * Level where the dry voice pauses (30 dB and more under its loud speech) against that where it speaks, dB: what the
 * room adds.
 */
function tail(plane: Float32Array, dry: Float32Array): number {
  const hop = 480;
  const levels = Array.from({ length: Math.floor(dry.length / hop) }, (_, t) =>
    power(dry.subarray(t * hop, (t + 1) * hop)),
  );
  const loud = levels.toSorted((a, b) => b - a)[Math.floor(levels.length / 10)] ?? 0;
  let [pauses, speech, count, spoken] = [0, 0, 0, 0];
  for (const [t, level] of levels.entries()) {
    const here = power(plane.subarray(t * hop, (t + 1) * hop));
    if (level < loud / 1000) {
      pauses += here;
      count += 1;
    } else {
      speech += here;
      spoken += 1;
    }
  }
  return db(pauses / count / (speech / spoken));
}

const folder = mkdtempSync(join(tmpdir(), 'earshot-voice-'));
const keep = argument('--keep');
if (keep) mkdirSync(keep, { recursive: true });
const engine = argument('--engine');
if (engine) process.env['EARSHOT_NOISE_ENGINE'] = engine;

let runs = 0;
async function enhanced(name: string, plane: Float32Array, sampleRate = rate, auto_volume = false): Promise<Enhanced> {
  runs += 1;
  const path = writeWav(join(folder, `${runs}.wav`), plane, sampleRate);
  const workDir = join(folder, `work-${runs}`);
  mkdirSync(workDir);
  const { run } = await enhanceVoice.run();
  const codes: string[] = [];
  const done = await run({
    inputs: { file_id: inputFile(path) },
    options: enhanceVoice.parseOptions({ auto_volume }),
    workDir,
    signal: new AbortController().signal,
    parallelism: 1,
    modelsDir: undefined,
    progress: () => undefined,

    pass: () => () => undefined,
    partial: () => undefined,
    finished: noFinishedParts,
    warn({ code, message }) {
      codes.push(code);
      if (!auto_volume) console.log(`  ${code}: ${message}`);
    },
    fanOut: {
      lanes: () => 1,
      clearThreads: () => Promise.resolve(),
      map: () => Promise.reject(new Error('not needed on one core')),
    },
  });
  const written = done.outputs[0]?.path ?? '';
  if (keep) {
    cpSync(path, join(keep, `${name}-in.wav`));
    cpSync(written, join(keep, `${name}-out.wav`));
  }
  return { out: read(written), result: { ...done.result }, codes };
}

/** Level of a band against 300 to 3100 Hz. */
const highs = (plane: Float32Array, from: number, to: number): string =>
  f(db(bandPower(plane, from, to) / bandPower(plane, 300, 3100) + 1e-12));
const f = (value: number): string => value.toFixed(1).padStart(6);

async function main(): Promise<void> {
  const only = argument('--only');
  if (only === undefined || only === 'decisions')
    await benchDecisions((name, plane) => enhanced(name, plane, rate, true));
  if (only === undefined || only === 'studio') await benchStudio((name, plane) => enhanced(name, plane));
  if (only === undefined || only === 'spoilt') await benchSpoilt();
}

async function benchSpoilt(): Promise<void> {
  const voices: Record<string, Float32Array> = {
    clean: sample('noise/clean_speech_48k.wav'),
    sonnet: sample('speech/sonnet001.mp3').slice(0, 20 * rate),
    austen: sample('speech/austen-0870.wav'),
  };
  console.log('as it is: what is changed on speech that lacks nothing (gain matched)');
  for (const [name, voice] of Object.entries(voices)) {
    const { out, result } = await enhanced(`${name}-asis`, voice);
    console.log(
      `  ${name.padEnd(8)} SI-SDR ${f(siSdr(out, voice))} dB   LSD ` +
        `${f(logSpectralDistance(matched(out, voice), voice))} dB   ${JSON.stringify(result['found'])}`,
    );
  }
  console.log('reverberant: against the voice with its first 40 ms of reflections; before -> after');
  for (const [name, voice] of Object.entries(voices)) {
    for (const [t60, drr] of [
      [0.3, 6],
      [0.5, 0],
      [0.8, 0],
      [0.8, -5],
    ] as const) {
      const response = room(t60, drr, 7);
      const early = convolve(voice, response.slice(0, 0.04 * rate));
      const wet = convolve(voice, response);
      const scale = 0.5 / wet.reduce((peak, x) => Math.max(peak, Math.abs(x)), 0);
      const { out, result } = await enhanced(
        `${name}-room-${t60}-${drr}`,
        wet.map((x) => x * scale),
      );
      const found = result['found'] as Record<string, unknown>;
      console.log(
        `  ${name.padEnd(8)} T60 ${t60} s DRR ${String(drr).padStart(2)} dB (heard ` +
          `${String(found['reverberationSeconds'])})  SI-SDR ${f(siSdr(wet, early))} -> ${f(siSdr(out, early))}  ` +
          `LSD ${f(logSpectralDistance(matched(wet, early), early))} -> ` +
          `${f(logSpectralDistance(matched(out, early), early))}  pauses ${f(tail(wet, voice))} -> ` +
          `${f(tail(out, voice))} (dry ${f(tail(voice, voice))})  ` +
          `SRMR ${f(modulationRatio(wet))} -> ${f(modulationRatio(out))} (dry ${f(modulationRatio(voice))})`,
      );
    }
  }
  console.log('telephone, 8 kHz: highs against 300-3100 Hz of the same file, dB; LSD to the full-band original');
  for (const [name, voice] of Object.entries(voices)) {
    const narrow = telephone(voice);
    const { out, result } = await enhanced(`${name}-telephone`, narrow, 8000);
    const before = resampled(narrow, 8000, rate).slice(0, voice.length);
    const bands =
      name === 'austen'
        ? ([[4000, 7000]] as const)
        : ([
            [4000, 8000],
            [8000, 10_000],
          ] as const);
    for (const [from, to] of bands)
      console.log(
        `  ${name.padEnd(8)} ${from}-${to} Hz  ${highs(before, from, to)} -> ` +
          `${highs(out, from, to)} (original ${highs(voice, from, to)})`,
      );
    console.log(
      `  ${name.padEnd(8)} LSD ${f(logSpectralDistance(matched(before, voice), voice))} -> ` +
        `${f(logSpectralDistance(matched(out, voice), voice))}   ` +
        `${JSON.stringify(result['found'])} ${String(result['sampleRate'])} Hz`,
    );
  }
  console.log('dull (12 dB an octave from 2 kHz)');
  for (const [name, voice] of Object.entries(voices)) {
    const dull = filtered(voice, (hz) => 1 / (1 + (hz / 2000) ** 2));
    const { out, result } = await enhanced(`${name}-dull`, dull);
    console.log(
      `  ${name.padEnd(8)} 3000-6500 Hz  ${highs(dull, 3000, 6500)} -> ${highs(out, 3000, 6500)} (original ` +
        `${highs(voice, 3000, 6500)})   LSD ${f(logSpectralDistance(matched(dull, voice), voice))} -> ` +
        `${f(logSpectralDistance(matched(out, voice), voice))}   ${JSON.stringify(result['found'])}`,
    );
  }
  console.log('sharp (+12 dB from 6 kHz on): level above 5 kHz in hisses and elsewhere, change against 300-3100 Hz');
  for (const [name, voice] of Object.entries(voices)) {
    const sharp = filtered(voice, (hz) => 1 + 3 / (1 + (5000 / Math.max(1, hz)) ** 8));
    const { out } = await enhanced(`${name}-sharp`, sharp);
    const change = (from: number, to: number): number => db(bandPower(out, from, to) / bandPower(sharp, from, to));
    console.log(
      `  ${name.padEnd(8)} ${f(change(5000, 11_000) - change(300, 3100))} dB   LSD ` +
        `${f(logSpectralDistance(matched(sharp, voice), voice))} -> ` +
        f(logSpectralDistance(matched(out, voice), voice)),
    );
  }
  console.log('noisy room: T60 0.5 s, DRR 0 dB, pink noise at 15 dB; against the dry voice');
  for (const [name, voice] of Object.entries(voices)) {
    const wet = convolve(voice, room(0.5, 0, 7));
    const noisy = inRange(mix(wet, (noises['pink'] as (frames: number) => Float32Array)(wet.length), 15));
    const { out } = await enhanced(`${name}-noisy-room`, noisy);
    console.log(
      `  ${name.padEnd(8)} LSD ${f(logSpectralDistance(matched(noisy, voice), voice))} -> ` +
        `${f(logSpectralDistance(matched(out, voice), voice))}   SI-SDR ${f(siSdr(noisy, voice))} -> ` +
        f(siSdr(out, voice)),
    );
  }
}

if (existsSync(samples)) await main().finally(() => rmSync(folder, { recursive: true, force: true }));
else console.log(`No samples at ${samples}: nothing to measure`);
