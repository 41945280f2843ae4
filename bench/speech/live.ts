// How late the sentences of a live stream come, and what that costs: audiobooks whose pauses are cut down to 0.1 s, as
// fast as they are said. On a busy machine `--pace=8` gives the sound eight times slower: delays are in seconds of the
// stream.
//     node bench/speech/live.ts [--seconds=60] [--pace=1] [--early]
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { transcribeStream } from '../../src/library/runtime/recipes/stream-transcription.ts';
import { recordedSound } from '../../test/fixtures/networks/parakeet-sounds.ts';
import { plainWords, wordErrors } from './word-error.ts';

const rate = 16_000;
const flag = (name: string, usual: number): number =>
  Number(process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3) ?? usual);
const [most, pace] = [flag('seconds', 60), flag('pace', 1)];

/** Runs of soft hops of 10 ms are cut to 0.1 s. */
function withoutPauses(samples: Float32Array): Float32Array {
  const hop = rate / 100;
  const kept: Float32Array[] = [];
  let soft = 0;
  for (let at = 0; at + hop <= samples.length; at += hop) {
    const part = samples.subarray(at, at + hop);
    const level = Math.sqrt(part.reduce((sum, one) => sum + one * one, 0) / hop);
    soft = level < 0.01 ? soft + 1 : 0;
    if (soft <= 10) kept.push(part);
  }
  return Float32Array.from(kept.flatMap((part) => Array.from(part)));
}

/** A WAV whose length is not known, at the pace of speech. */
async function* said(samples: Float32Array, onStart: () => void): AsyncGenerator<Uint8Array> {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(0xffffffff, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(0xffffffff, 40);
  yield header;
  // The networks are loaded meanwhile.
  const silence = 4 * rate;
  const pcm = new Int16Array(silence + samples.length);
  for (const [at, value] of samples.entries())
    pcm[silence + at] = Math.round(32_767 * Math.max(-1, Math.min(1, value)));
  const startedAt = performance.now();
  onStart();
  const block = rate / 10;
  for (let at = 0; at < pcm.length; at += block) {
    yield new Uint8Array(pcm.buffer, at * 2, Math.min(block, pcm.length - at) * 2);
    await sleep(Math.max(0, startedAt + ((at + block) / rate) * 1000 * pace - performance.now()));
  }
}

/** Processor time of processes that have ended. */
function childSeconds(): number {
  const fields = readFileSync('/proc/self/stat', 'latin1').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

const parts = await Promise.all(
  (['austen-0870.wav', 'acoustic_corpus.wav', 'jfk.wav'] as const).map((name) => recordedSound(name, 60)),
);
const samples = withoutPauses(Float32Array.from(parts.flatMap((part) => Array.from(part)))).subarray(0, most * rate);
console.log(
  `${(samples.length / rate).toFixed(1)} s of speech, pauses cut to 0.1 s; seconds from the end of a sentence until ` +
    'it comes',
);
const texts: string[][] = [];
for (const early of process.argv.includes('--early') ? [true] : [false, true]) {
  let startedAt = 0;
  const delays: number[] = [];
  const words: string[] = [];
  const before = childSeconds();
  const stream = said(samples, () => (startedAt = performance.now()));
  for await (const { endSeconds, text } of transcribeStream(stream, { language: 'en', verbatim: false }, { early })) {
    delays.push((performance.now() - startedAt) / 1000 / pace - endSeconds);
    console.log(`  ${endSeconds.toFixed(1)} +${(delays.at(-1) ?? 0).toFixed(1)}: ${text}`);
    words.push(...plainWords(text));
  }
  texts.push(words);
  const sorted = delays.toSorted((a, b) => a - b);
  const at = (share: number): string =>
    (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN).toFixed(1);
  console.log(
    `early ${String(early).padEnd(5)}: ${delays.length} sentences, median ${at(0.5)}, 90th percentile ${at(0.9)}, ` +
      `most ${at(1)}; ${words.length} words, ${(childSeconds() - before).toFixed(0)} s of processor time`,
  );
}
if (texts.length < 2) process.exit();
const { errors } = wordErrors(texts[0] ?? [], texts[1] ?? []);
console.log(`${errors} words differ`);
