// The sound of each word of a sentence: eSpeak NG's sound cut at its events.
import type { EspeakEvent } from '@echogarden/espeak-ng-emscripten';
import { bandCount, createMelBands, type MelBands } from './mel-bands.ts';
import type { Espeak } from './espeak.ts';

export interface ReferenceSentence {
  /** As spoken, in order; without white space. Each has a letter or a digit. */
  readonly words: readonly string[];
  /** With the punctuation for its melody; contains each word in order. */
  readonly text: string;
}

export interface SpokenReference {
  /** Logarithms of `bandCount` energies per frame; frames of words only, without pauses. */
  readonly bands: Float32Array<ArrayBuffer>;
  /** First frame of each word and, last, the number of frames. Each word has at least one. */
  readonly wordStarts: Int32Array<ArrayBuffer>;
}

interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

let melBands: { readonly sampleRate: number; readonly bands: MelBands } | undefined;

/**
 * @param voice eSpeak NG's name for it
 * @returns null when it has no sound for them
 */
export function speakWords(espeak: Espeak, voice: string, sentence: ReferenceSentence): SpokenReference | null {
  const { samples, sampleRate, events } = espeak.speak(voice, sentence.text);
  if (melBands?.sampleRate !== sampleRate) melBands = { sampleRate, bands: createMelBands(sampleRate) };
  const { bands: mel } = melBands;
  if (samples.length === 0) return null;
  const spans = spansOfWords(sentence, events, (samples.length / sampleRate) * 1000);
  const frameMs = (mel.hop / sampleRate) * 1000;
  const count = Math.ceil(samples.length / mel.hop);
  const all = mel.of(samples, 0, count);
  const frames: number[][] = spans.map((word) =>
    word.flatMap(({ startMs, endMs }) => {
      const from = Math.min(count - 1, Math.round(startMs / frameMs));
      const to = Math.min(count, Math.max(from + 1, Math.round(endMs / frameMs)));
      return Array.from({ length: to - from }, (_, index) => from + index);
    }),
  );
  const wordStarts = new Int32Array(frames.length + 1);
  frames.forEach((word, index) => (wordStarts[index + 1] = (wordStarts[index] as number) + word.length));
  const bands = new Float32Array((wordStarts.at(-1) as number) * bandCount);
  frames.flat().forEach((frame, index) => {
    bands.set(all.subarray(frame * bandCount, (frame + 1) * bandCount), index * bandCount);
  });
  return { bands, wordStarts };
}

/** Duration of each word, in seconds. */
export function secondsOfWords(espeak: Espeak, voice: string, sentence: ReferenceSentence): number[] {
  const { samples, sampleRate, events } = espeak.speak(voice, sentence.text);
  return spansOfWords(sentence, events, (samples.length / sampleRate) * 1000).map((spans) =>
    spans.reduce((sum, { startMs, endMs }) => sum + (endMs - startMs) / 1000, 0),
  );
}

/** The time of each word's phonemes; words do not overlap. */
function spansOfWords({ words, text }: ReferenceSentence, events: readonly EspeakEvent[], totalMs: number): Span[][] {
  const wordAt = wordsByCharacter(words, text);
  const heard: Span[][] = words.map(() => []);
  // Words without an event are spoken with the previous one ("of the").
  const owner: number[] = words.map(() => -1);
  let now = -1;
  const marks = events.filter(({ type }) => type === 'word' || type === 'phoneme');
  for (const [index, event] of marks.entries()) {
    if (event.type === 'word') {
      const word = wordAt[Math.min(wordAt.length - 1, Math.max(0, event.text_position - 1))] ?? -1;
      if (word >= now) now = word;
      if (now >= 0) owner[now] = now;
      continue;
    }
    if (now < 0 || !isSound(event.id)) continue;
    const endMs = marks.slice(index + 1).find(({ type }) => type === 'phoneme')?.audio_position ?? totalMs;
    if (endMs > event.audio_position) heard[now]?.push({ startMs: event.audio_position, endMs });
  }
  return sharedOut(words, heard, totalMs);
}

/** A pause has no name; "(en)" only marks a change of language. */
const isSound = (id: string | undefined): boolean => id !== undefined && id !== '' && !id.startsWith('(');

/** The word that each character of the text belongs to; between words the next one. */
function wordsByCharacter(words: readonly string[], text: string): number[] {
  const characters = Array.from(text);
  const owner: number[] = [];
  let from = 0;
  for (const [index, word] of words.entries()) {
    const at = text.indexOf(word, from);
    if (at < 0) throw new Error(`Expected the words of a sentence in its text, but ${word} is missing`);
    from = at + word.length;
    const end = Array.from(text.slice(0, from)).length;
    while (owner.length < end) owner.push(index);
  }
  while (owner.length < characters.length) owner.push(words.length - 1);
  return owner;
}

function sharedOut(words: readonly string[], heard: readonly Span[][], totalMs: number): Span[][] {
  const spans: Span[][] = [];
  const first = heard.findIndex((word) => word.length > 0);
  if (first < 0) return share(words, [{ startMs: 0, endMs: totalMs }]);
  for (let at = 0; at < words.length;) {
    // Before the first event there may be silent words, too.
    const speaks = at === 0 ? first : at;
    let next = speaks + 1;
    while (next < words.length && heard[next]?.length === 0) next += 1;
    spans.push(...share(words.slice(at, next), heard[speaks] as Span[]));
    at = next;
  }
  return spans;
}

/** Divides the sound by the words' letters. */
function share(words: readonly string[], spans: readonly Span[]): Span[][] {
  if (words.length === 1) return [[...spans]];
  const letters = words.map((word) => Array.from(word).length);
  const total = letters.reduce((sum, count) => sum + count, 0);
  const length = spans.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
  let before = 0;
  return letters.map((count) => {
    const [from, to] = [(before / total) * length, ((before + count) / total) * length];
    before += count;
    return cut(spans, from, to);
  });
}

/** The part of the spans between two positions in their concatenation. */
function cut(spans: readonly Span[], from: number, to: number): Span[] {
  const parts: Span[] = [];
  let at = 0;
  for (const { startMs, endMs } of spans) {
    const begin = Math.max(startMs, startMs + from - at);
    const end = Math.min(endMs, startMs + to - at);
    if (end > begin) parts.push({ startMs: begin, endMs: end });
    at += endMs - startMs;
  }
  return parts.length > 0 ? parts : [{ startMs: spans[0]?.startMs ?? 0, endMs: spans[0]?.endMs ?? 0 }];
}
