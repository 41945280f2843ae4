// Scripts and recordings whose word times are known: the samples' own, the samples with damage, and eSpeak NG's speech.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SpeechSound } from '../../src/library/speech/speech-sound.ts';
import type { KnownWord } from './alignment-measures.ts';

const sentences = [
  'The committee will meet again on Thursday afternoon to discuss the budget.',
  'Nobody had expected the river to rise so quickly after the storm.',
  'Please remember to water the plants while we are away on holiday.',
  'Seven engineers repaired the old bridge before the winter came.',
  'My grandmother kept her silver spoons in a wooden box.',
];
const singles =
  'banana however purple telephone seldom mountain quickly never oxygen table wonderful seven engine paper yellow';

const silentWords = (text: string): KnownWord[] => text.split(' ').map((word) => ({ text: word, said: false }));

/** Tiers of a Praat TextGrid in either form: intervals with a text. */
function intervals(
  path: string,
): { readonly startSeconds: number; readonly endSeconds: number; readonly text: string }[] {
  const content = readFileSync(path, 'utf8');
  const long = [...content.matchAll(/xmin = ([\d.]+)\s+xmax = ([\d.]+)\s+text = "(.*)"/gu)];
  if (long.length > 0)
    return long.map(([, start, end, text]) => ({
      startSeconds: Number(start),
      endSeconds: Number(end),
      text: text ?? '',
    }));
  const lines = content.split(/\r?\n/u);
  const tier = lines.indexOf('"words"');
  return Array.from({ length: Number(lines[tier + 3]) }, (_, index) => {
    const [start, end, text] = lines.slice(tier + 4 + 3 * index, tier + 7 + 3 * index) as [string, string, string];
    return { startSeconds: Number(start), endSeconds: Number(end), text: text.slice(1, -1) };
  });
}

export interface Sample {
  readonly samples: Float32Array;
  readonly words: readonly KnownWord[];
}

/** Words of a sample; times where people gave them. The end of a text without one gets a full stop. */
export async function readSamples(
  folder: string,
  read: (path: string) => Promise<SpeechSound>,
): Promise<Readonly<Record<'acoustic' | 'sonnet', Sample>> & { readonly all: readonly Sample[] }> {
  const samplesOf = async (path: string): Promise<Float32Array> => {
    const sound = await read(join(folder, path));
    try {
      return sound.read(0, sound.frames);
    } finally {
      sound.close();
    }
  };
  const plain = ['jfk', 'austen-0870', 'austen-0880', 'austen-0890'].filter((name) =>
    existsSync(join(folder, `speech/${name}.txt`)),
  );
  const texts = await Promise.all(
    plain.map(async (name): Promise<Sample> => {
      const text = readFileSync(join(folder, `speech/${name}.txt`), 'utf8').trim();
      const ended = /[.!?]$/u.test(text) ? text : `${text}.`;
      return {
        samples: await samplesOf(`speech/${name}.wav`),
        words: ended.split(/\s+/u).map((word) => ({ text: word, said: true })),
      };
    }),
  );
  const sonnet: Sample = {
    samples: await samplesOf('speech/sonnet001.mp3'),
    words: intervals(join(folder, 'speech/sonnet001.TextGrid')).flatMap(({ startSeconds, text }, line) =>
      text.split(' ').map((word, index) => ({
        text: word,
        said: true,
        // The first line is the title, which begins where the recording does.
        ...(index === 0 && line > 0 ? { lineStartSeconds: startSeconds } : {}),
      })),
    ),
  };
  const acoustic: Sample = {
    samples: await samplesOf('fillers/acoustic_corpus.wav'),
    words: intervals(join(folder, 'fillers/acoustic_corpus.TextGrid'))
      .filter(({ text }) => text !== '')
      .map((word) => ({ ...word, said: true })),
  };
  return { acoustic, sonnet, all: [...texts, sonnet, acoustic] };
}

/** One recording after the other; `between` goes in front of the samples that are named by index. */
export function joined(
  all: readonly Sample[],
  between: Float32Array | null = null,
  at: readonly number[] = [],
): Sample {
  const parts: Float32Array[] = [];
  const words: KnownWord[] = [];
  let frames = 0;
  for (const [index, sample] of all.entries()) {
    if (between && at.includes(index)) {
      parts.push(between);
      frames += between.length;
    }
    const shift = frames / 16_000;
    for (const word of sample.words)
      words.push({
        ...word,
        ...(word.startSeconds === undefined ? {} : { startSeconds: word.startSeconds + shift }),
        ...(word.endSeconds === undefined ? {} : { endSeconds: word.endSeconds + shift }),
        ...(word.lineStartSeconds === undefined ? {} : { lineStartSeconds: word.lineStartSeconds + shift }),
      });
    parts.push(sample.samples);
    frames += sample.samples.length;
  }
  const samples = new Float32Array(frames);
  let done = 0;
  for (const part of parts) {
    samples.set(part, done);
    done += part.length;
  }
  return { samples, words };
}

/** The scripts of one recording with damage at random places. */
export function damaged(words: readonly KnownWord[], random: () => number): Readonly<Record<string, KnownWord[]>> {
  const withSentences = [...words];
  for (const text of sentences) {
    const ends = withSentences.flatMap((word, index) => (word.said && /[.!?]$/u.test(word.text) ? [index + 1] : []));
    withSentences.splice(ends[Math.floor(random() * ends.length)] ?? 0, 0, ...silentWords(text));
  }
  const withSingles = [...words];
  for (const word of silentWords(singles))
    withSingles.splice(1 + Math.floor(random() * (withSingles.length - 2)), 0, word);
  const withHoles = [...words];
  for (let hole = 0; hole < 4; hole += 1) {
    const length = 5 + Math.floor(random() * 10);
    withHoles.splice(Math.floor(random() * (withHoles.length - length)), length);
  }
  return { 'sentences that are not said': withSentences, 'single words': withSingles, 'speech left out': withHoles };
}
