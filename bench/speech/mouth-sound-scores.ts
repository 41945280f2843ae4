// What is found of breaths, clicks, coughs and stutters that were put into acoustic_corpus, and of those that people
// made in recordings.
import type { TimeRange } from '../../src/library/core/time-range.ts';
import { findMouthSounds } from '../../src/library/speech/fillers/mouth-sounds/find-mouth-sounds.ts';
import { findStutters } from '../../src/library/speech/fillers/stutters.ts';
import type { SpokenWord } from '../../src/library/speech/spoken-word.ts';
import { recording } from '../../test/fixtures/recordings.ts';
import { seeded } from '../../test/fixtures/random.ts';
import { knownSounds, rangesOf } from '../../test/fixtures/sounds/known-breaths.ts';
import { type MadeKind, type Scene, withMouthSounds, withStutters } from '../../test/fixtures/sounds/mouth-sounds.ts';
import { soundOf, speechOf, withNoise } from '../../test/fixtures/spoken-sounds.ts';
import { textGridWords } from '../../test/fixtures/text-grid.ts';

const how = { signal: new AbortController().signal, onProgress: (): void => undefined };

export interface Score {
  made: number;
  found: number;
  others: number;
  /** Seconds, found less made; starts and ends. */
  readonly edges: number[];
  lostSeconds: number;
}

const overlap = (a: TimeRange, b: TimeRange): number =>
  Math.max(0, Math.min(a.endSeconds, b.endSeconds) - Math.max(a.startSeconds, b.startSeconds));
const lengthOf = ({ startSeconds, endSeconds }: TimeRange): number => endSeconds - startSeconds;

function count(score: Score, scene: Scene, kind: MadeKind, found: readonly TimeRange[]): void {
  const left = new Set(found);
  for (const made of scene.made.filter((one) => one.kind === kind)) {
    score.made += 1;
    // A click is shorter than its guard.
    const hit = found.find(
      (one) =>
        overlap(one, made) >= lengthOf(made) / 2 && (kind === 'mouth_click' || overlap(one, made) >= lengthOf(one) / 2),
    );
    if (hit === undefined) continue;
    left.delete(hit);
    score.found += 1;
    score.edges.push(hit.startSeconds - made.startSeconds, hit.endSeconds - made.endSeconds);
  }
  score.others += left.size;
  for (const one of found) for (const word of scene.words) score.lostSeconds += overlap(one, word);
}

/** As recognisers have them. */
function jittered(words: readonly SpokenWord[], random: () => number): SpokenWord[] {
  const off = (): number => (2 * random() - 1) * 0.06;
  return words
    .map((word) => {
      const startSeconds = Math.max(0, word.startSeconds + off());
      return { ...word, startSeconds, endSeconds: Math.max(startSeconds + 0.03, word.endSeconds + off()) };
    })
    .toSorted((a, b) => a.startSeconds - b.startSeconds);
}

/**
 * A stuttered word as recognisers have it, in turn: without the stutter, with the stutter within its time, and written
 * "h-h-here".
 */
function asHeard(word: SpokenWord, index: number, { pieces, made }: ReturnType<typeof withStutters>): SpokenWord {
  const times = pieces.get(index);
  const stutter = made.find(({ endSeconds }) => Math.abs(endSeconds - word.startSeconds) < 0.01);
  if (times === undefined || stutter === undefined || index % 3 === 0) return word;
  const { startSeconds } = stutter;
  return index % 3 === 1
    ? { ...word, startSeconds }
    : { ...word, startSeconds, text: `${`${word.text.slice(0, 1)}-`.repeat(times)}${word.text}` };
}

const kinds = ['breath', 'mouth_click', 'cough'] as const;
const words = textGridWords(recording('acoustic_corpus.TextGrid'));
const corpus = await speechOf('acoustic_corpus.wav');
const samples = corpus.read(0, corpus.frames);
corpus.close();

/**
 * One of each kind in turn in the pauses, and every fifth word stuttered.
 * @param noiseDb of white noise under the recording; null: none
 */
export async function madeScores(seeds: readonly number[], noiseDb: number | null): Promise<Map<MadeKind, Score>> {
  const scores = new Map<MadeKind, Score>(
    [...kinds, 'stutter' as const].map((kind) => [kind, { made: 0, found: 0, others: 0, edges: [], lostSeconds: 0 }]),
  );
  const noisy = (scene: Scene, random: () => number): Float32Array =>
    noiseDb === null ? scene.samples : withNoise(scene.samples, noiseDb, random);
  for (const seed of seeds) {
    const random = seeded(seed);
    const order = kinds.map((_, index) => kinds[(index + seed) % kinds.length]!);
    const scene = withMouthSounds(samples, words, order, random);
    const found = await findMouthSounds(soundOf(noisy(scene, random)), jittered(scene.words, random), how);
    for (const kind of kinds) {
      const own = found.filter((one) => one.kind === kind && one.kept === null);
      count(scores.get(kind)!, scene, kind, own);
    }
    const which = words.flatMap((_, index) => (index % 5 === seed % 5 ? [index] : []));
    const stuttered = withStutters(samples, words, which, random);
    const sound = soundOf(noisy(stuttered, random));
    const heard = jittered(
      stuttered.words.map((word, index) => asHeard(word, index, stuttered)),
      random,
    );
    const others = (await findMouthSounds(sound, heard, how)).filter(({ kept }) => kept === null);
    const stutters = (await findStutters(sound, heard, others, how)).filter(({ kept }) => kept === null);
    count(scores.get('stutter')!, stuttered, 'stutter', stutters);
  }
  return scores;
}

export interface KnownScore {
  readonly name: string;
  readonly breaths: number;
  readonly breathsFound: number;
  /** Found and not seen in the spectrum. */
  readonly others: number;
  readonly clicks: number;
  readonly clicksFound: number;
}

/** Breaths and clicks of people. */
export async function knownScores(): Promise<KnownScore[]> {
  const scores: KnownScore[] = [];
  for (const { name, spoken, breaths, faint, clicks } of knownSounds) {
    const sound = await speechOf(name);
    const found = (await findMouthSounds(sound, rangesOf(spoken), how)).filter(({ kept }) => kept === null);
    sound.close();
    const of = (kind: MadeKind): TimeRange[] => found.filter((one) => one.kind === kind);
    const seen = rangesOf([...breaths, ...faint]);
    scores.push({
      name,
      breaths: breaths.length,
      breathsFound: rangesOf(breaths).filter((breath) =>
        of('breath').some((one) => overlap(one, breath) >= 0.6 * lengthOf(breath)),
      ).length,
      others: of('breath').filter((one) => !seen.some((breath) => overlap(one, breath) >= lengthOf(one) / 2)).length,
      clicks: clicks.length,
      clicksFound: clicks.filter((at) =>
        of('mouth_click').some(({ startSeconds, endSeconds }) => startSeconds < at + 0.02 && endSeconds > at - 0.02),
      ).length,
    });
  }
  return scores;
}
