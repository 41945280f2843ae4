// From embeddings to people: which voices there are, and which of them each window's own voices are.
import { averageLinkage } from './linkage.ts';
import { embeddingLength } from './networks.ts';
import { localSpeakers } from './segmentation.ts';
import { mostSpeakers } from './speaker-turn.ts';

/** Voices are told apart by embeddings of at least so many rows: 1 s. */
const trainingRows = 100;
/** Mean cosine distance up to which two clusters are one person. */
const samePersonDistance = 0.5;

/** Mean directions of the voices, one after the other, each of length 1. */
export interface Voices {
  readonly count: number;
  readonly centroids: Float32Array;
}

/** Cosine between an embedding and a voice. */
export function likeness({ centroids }: Voices, voice: number, embeddings: Float32Array, embedding: number): number {
  let product = 0;
  const [a, b] = [voice * embeddingLength, embedding * embeddingLength];
  for (let i = 0; i < embeddingLength; i += 1) product += (centroids[a + i] as number) * (embeddings[b + i] as number);
  return product;
}

/**
 * Finds the people in all windows' embeddings: average linkage of those of at least one second, cut at 0.5.
 * A cluster
 * of one is nobody, as windows overlap, unless there are no others. More than eight: those who speak longest.
 * @param rows of each embedding; 0 where there is none
 */
export async function findVoices(
  embeddings: Float32Array,
  rows: Int32Array,
  options: { readonly signal: AbortSignal },
): Promise<Voices> {
  const longEnough = (least: number): number[] => [...rows.keys()].filter((index) => (rows[index] as number) >= least);
  const long = longEnough(trainingRows);
  const training = long.length > 0 ? long : longEnough(1);
  const means = new Float32Array(training.length * embeddingLength);
  for (const [at, index] of training.entries())
    means.set(embeddings.subarray(index * embeddingLength, (index + 1) * embeddingLength), at * embeddingLength);
  const sizes = new Float64Array(training.length).fill(1);
  const cluster = await averageLinkage({ means, sizes }, { ...options, cut: samePersonDistance });

  const found = Array.from({ length: cluster.reduce((most, number) => Math.max(most, number + 1), 0) }, () => ({
    members: 0,
    rows: 0,
    sum: new Float64Array(embeddingLength),
  }));
  for (const [at, number] of cluster.entries()) {
    const one = found[number] as (typeof found)[number];
    const weight = rows[training[at] as number] as number;
    one.members += 1;
    one.rows += weight;
    for (let i = 0; i < embeddingLength; i += 1)
      one.sum[i] = (one.sum[i] as number) + weight * (means[at * embeddingLength + i] as number);
  }
  const several = found.filter(({ members }) => members > 1);
  const people = (several.length > 0 ? several : found).toSorted((a, b) => b.rows - a.rows).slice(0, mostSpeakers);
  const centroids = new Float32Array(people.length * embeddingLength);
  for (const [index, { sum }] of people.entries()) {
    const length = Math.hypot(...sum) || 1;
    centroids.set(
      sum.map((value) => value / length),
      index * embeddingLength,
    );
  }
  return { count: people.length, centroids };
}

export const nobody = 255;

/**
 * Gives each window's own voices their people so that they are most like them together, each person at most once in a
 * window: all assignments are tried, which are 336 at most.
 * @returns of each window and voice its person, or `nobody`
 */
export function assignVoices(voices: Voices, embeddings: Float32Array, rows: Int32Array): Uint8Array {
  const people = new Uint8Array(rows.length).fill(nobody);
  for (let first = 0; first < rows.length; first += localSpeakers) {
    const present: number[] = [];
    for (let at = first; at < first + localSpeakers; at += 1) if ((rows[at] as number) > 0) present.push(at);
    const likenesses = present.map((at) =>
      Array.from({ length: voices.count }, (_, person) => likeness(voices, person, embeddings, at)),
    );
    // Where there are fewer people than voices, some remain without.
    const needed = Math.min(present.length, voices.count);
    let [best, chosen]: [number, readonly number[]] = [Number.NEGATIVE_INFINITY, []];
    const current: number[] = [];
    const tryFrom = (taken: number, assigned: number, total: number): void => {
      const index = current.length;
      if (index === present.length) {
        if (assigned === needed && total > best) [best, chosen] = [total, [...current]];
        return;
      }
      const go = (person: number, then: () => void): void => {
        current.push(person);
        then();
        current.pop();
      };
      for (let person = 0; person < voices.count; person += 1)
        if ((taken & (1 << person)) === 0)
          go(person, () =>
            tryFrom(taken | (1 << person), assigned + 1, total + (likenesses[index]?.[person] as number)),
          );
      if (present.length - index > needed - assigned) go(nobody, () => tryFrom(taken, assigned, total));
    };
    tryFrom(0, 0, 0);
    for (const [index, person] of chosen.entries()) people[present[index] as number] = person;
  }
  return people;
}
