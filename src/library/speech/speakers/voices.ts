// Groups pieces into speakers.
import { mostSpeakers, type SpeakerBounds } from '../../contract/speaker-bounds.ts';
import { averageLinkage } from './linkage.ts';
import { embeddingLength } from './networks.ts';
import { type VoicePiece, type PlacedPiece, pieceSeconds } from './pieces.ts';

/** Only pieces of at least this many seconds are clustered. */
const trainingSeconds = 1.2;
/**
 * Two clusters are one speaker from this point on between the similarity of different speakers and 1. Different
 * speakers have a similarity of about 0 to 0.1 (cosine), through a telephone 0.3; pieces of one speaker 0.6.
 */
const sameShare = 0.28;
/** Stricter where windows hear one voice in all these pairs of pieces and never two. */
const loneShare = 0.15;
const lonePairs = 20;
/** Assumed similarity of different speakers, and the number of pairs of pieces that it counts for. */
const usualLikeness = { likeness: 0.08, pairs: 5 };
const mostLikeness = 0.45;
/** The same for one speaker's neighbouring pieces. */
const usualSelfLikeness = { likeness: 0.62, pairs: 3 };
/** Different voices of a window this similar to each other are one speaker: the window was wrong. */
const mistakenBy = 0.06;
/** Or this much, where windows hear pieces so many times as often as one voice: one woman for 204 s was two. */
const mistakenBesides = { by: 0.15, times: 8 };

/** Pieces less similar to all speakers belong to another one; cosine. */
const strangeLikeness = 0.3;
const strangeLeastSeconds = 0.6;
const strangeMembers = 3;
const strangeTotalSeconds = 2;
/** Besides a single speaker, a different voice in windows below this similarity is a second speaker; cosine. */
const secondLikeness = 0.45;
const secondLeastSeconds = 0.6;

/** Cosine distance of opposite directions, and how often a cut between 0 and that is halved. */
const farthestCut = 2;
const mostCuts = 12;

/** Mean directions of the voices, concatenated, each of length 1. */
export interface Voices {
  /** Up to 16: more voices than speakers are told apart, so that speech does not go to a voice unlike it. */
  readonly count: number;
  readonly centroids: Float32Array;
}
const mostVoices = 16;

/** Numbers for speakers: at most eight. */
export const peopleIn = ({ count }: Voices): number => Math.min(count, mostSpeakers);

/** The speaker of a voice, from 0. With more than eight voices, those with the least to say share the last number. */
export const personOf = (voice: number): number => Math.min(voice, mostSpeakers - 1);

/** Cosine between an embedding and a voice. */
export function likenessToVoice(
  { centroids }: Voices,
  voice: number,
  embeddings: Float32Array,
  embedding: number,
): number {
  return product(centroids, voice, embeddings, embedding);
}

function product(a: Float32Array, atA: number, b: Float32Array, atB: number): number {
  let sum = 0;
  const [fromA, fromB] = [atA * embeddingLength, atB * embeddingLength];
  for (let i = 0; i < embeddingLength; i += 1) sum += (a[fromA + i] as number) * (b[fromB + i] as number);
  return sum;
}

const mostAlike = (voices: Voices, embeddings: Float32Array, embedding: number): number =>
  Array.from({ length: voices.count }, (_, voice) => likenessToVoice(voices, voice, embeddings, embedding)).reduce(
    (most, like) => Math.max(most, like),
    -1,
  );

const median = (values: readonly number[], whereNone: number): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? whereNone;

/** Pieces with their embeddings, and the windows' results about them. */
export interface HeardPieces {
  readonly pieces: readonly VoicePiece[];
  /** Concatenated; zeros where a piece is too short. */
  readonly embeddings: Float32Array;
  readonly inWindows: readonly (readonly PlacedPiece[])[];
}

/**
 * Least similarity of two clusters of one speaker, cosine. Derived from the similarity of different speakers in this
 * recording: pieces that every window with both hears as different voices. Over a telephone or in one room all voices
 * are more similar, and so the threshold is higher.
 */
function samePersonLikeness({ pieces, embeddings, inWindows }: HeardPieces, training: ReadonlySet<number>): number {
  const told = new Map<number, { apart: number; together: number }>();
  for (const placed of inWindows)
    for (const a of placed)
      for (const b of placed) {
        if (a.piece >= b.piece || !training.has(a.piece) || !training.has(b.piece)) continue;
        const key = a.piece * pieces.length + b.piece;
        const pair = told.get(key) ?? { apart: 0, together: 0 };
        told.set(key, pair);
        if (a.voice === b.voice) pair.together += 1;
        else pair.apart += 1;
      }
  const others: number[] = [];
  const selves: number[] = [];
  let sameVoice = 0;
  for (const [key, { apart, together }] of told) {
    const [a, b] = [Math.floor(key / pieces.length), key % pieces.length];
    const isOneStretch = pieces[a]?.endFrame === pieces[b]?.firstFrame;
    if (apart === 0 && together > 1) sameVoice += 1;
    if (together === 0 && apart > 1) others.push(product(embeddings, a, embeddings, b));
    else if (apart === 0 && isOneStretch) selves.push(product(embeddings, a, embeddings, b));
  }
  const withUsual = (values: readonly number[], usual: typeof usualLikeness): number =>
    (median(values, 0) * values.length + usual.likeness * usual.pairs) / (values.length + usual.pairs);
  const isMostlyOne = sameVoice >= mistakenBesides.times * others.length;
  const mistaken =
    withUsual(selves, usualSelfLikeness) - median(others, 0) < (isMostlyOne ? mistakenBesides.by : mistakenBy);
  const likenessOfOthers = Math.min(mostLikeness, Math.max(0, withUsual(mistaken ? [] : others, usualLikeness)));
  const share = others.length === 0 && sameVoice >= lonePairs ? loneShare : sameShare;
  return likenessOfOthers + share * (1 - likenessOfOthers);
}

interface Cluster {
  members: number;
  seconds: number;
  readonly sum: Float64Array;
}

/** Average linkage of some of the pieces, each of equal weight. */
async function linked(
  { pieces, embeddings }: HeardPieces,
  chosen: readonly number[],
  options: { readonly signal: AbortSignal; readonly cut: number },
): Promise<Cluster[]> {
  const means = new Float32Array(chosen.length * embeddingLength);
  for (const [at, piece] of chosen.entries())
    means.set(embeddings.subarray(piece * embeddingLength, (piece + 1) * embeddingLength), at * embeddingLength);
  const numbers = await averageLinkage({ means, sizes: new Float64Array(chosen.length).fill(1) }, options);
  const clusters: Cluster[] = [];
  for (const [at, number] of numbers.entries()) {
    const cluster = (clusters[number] ??= { members: 0, seconds: 0, sum: new Float64Array(embeddingLength) });
    addTo(cluster, pieces[chosen[at] as number] as VoicePiece, means, at);
  }
  return clusters;
}

/** The people of a looser cut that leaves as many as there are; null where none does. */
async function fewer(
  count: number,
  heard: HeardPieces,
  chosen: readonly number[],
  options: { readonly signal: AbortSignal; readonly cut: number },
): Promise<Cluster[] | null> {
  let [low, high] = [options.cut, farthestCut];
  for (let round = 0; round < mostCuts; round += 1) {
    const cut = (low + high) / 2;
    const several = (await linked(heard, chosen, { ...options, cut })).filter(({ members }) => members > 1);
    if (several.length === count) return several;
    if (several.length > count) low = cut;
    else high = cut;
  }
  return null;
}

/**
 * The people that were found, and those pieces that are least like them, as long as they are no one's: others may say
 * so little that the one who speaks must not be divided for them.
 */
async function more(
  count: number,
  found: readonly Cluster[],
  heard: HeardPieces,
  chosen: readonly number[],
  signal: AbortSignal,
): Promise<readonly Cluster[]> {
  const clusters = await linked(heard, chosen, { signal, cut: 1 - usualSelfLikeness.likeness });
  const { centroids } = voicesOf(clusters);
  const people = [...found];
  while (people.length < count) {
    const voices = voicesOf(people);
    const likest = clusters.map((_, at) => mostAlike(voices, centroids, at));
    const least = likest.indexOf(Math.min(...likest));
    const cluster = clusters[least];
    if (cluster === undefined || (likest[least] as number) > mostLikeness) break;
    people.push(cluster);
  }
  return people;
}

function addTo(cluster: Cluster, piece: VoicePiece, embeddings: Float32Array, at: number): void {
  const seconds = pieceSeconds(piece);
  cluster.members += 1;
  cluster.seconds += seconds;
  for (let i = 0; i < embeddingLength; i += 1)
    cluster.sum[i] = (cluster.sum[i] as number) + seconds * (embeddings[at * embeddingLength + i] as number);
}

const longestFirst = (clusters: readonly Cluster[]): Cluster[] => clusters.toSorted((a, b) => b.seconds - a.seconds);

const isSpeaker = ({ members, seconds }: Cluster): boolean =>
  members >= strangeMembers && seconds >= strangeTotalSeconds;

function voicesOf(clusters: readonly Cluster[]): Voices {
  const centroids = new Float32Array(clusters.length * embeddingLength);
  for (const [index, { sum }] of clusters.entries()) {
    const length = Math.hypot(...sum) || 1;
    centroids.set(
      sum.map((value) => value / length),
      index * embeddingLength,
    );
  }
  return { count: clusters.length, centroids };
}

/** At most eight as they are; of more, the longest first, those after the eighth with enough speech. */
function withinLimit(clusters: readonly Cluster[]): readonly Cluster[] {
  if (clusters.length <= mostSpeakers) return clusters;
  return longestFirst(clusters)
    .filter((cluster, index) => index < mostSpeakers || isSpeaker(cluster))
    .slice(0, mostVoices);
}

/**
 * Finds the speakers: average linkage of all pieces of at least 1.2 s, cut by the similarity of different speakers in
 * this recording. A single piece is not a speaker, unless there are no others. Then speakers with only short pieces are
 * added. The first voices have the most to say where there are more than eight.
 * @param options `bounds`: how many people speak, as far as that is known
 * @throws AbortError
 */
export async function findVoices(
  heard: HeardPieces,
  { signal, bounds }: { readonly signal: AbortSignal; readonly bounds?: SpeakerBounds | undefined },
): Promise<Voices> {
  const { pieces, embeddings } = heard;
  const all = [...pieces.keys()];
  const long = all.filter((piece) => pieceSeconds(pieces[piece] as VoicePiece) >= trainingSeconds);
  const training = long.length > 0 ? long : all;
  const options = { signal, cut: 1 - samePersonLikeness(heard, new Set(training)) };
  const clusters = await linked(heard, training, options);
  const several = clusters.filter(({ members }) => members > 1);
  const found = withinLimit(longestFirst(several.length > 0 ? several : clusters));
  const foundVoices = voicesOf(found);

  const strange = all.filter(
    (piece) =>
      pieceSeconds(pieces[piece] as VoicePiece) >= strangeLeastSeconds &&
      mostAlike(foundVoices, embeddings, piece) < strangeLikeness,
  );
  const strangers = longestFirst((await linked(heard, strange, options)).filter(isSpeaker));
  const known = withinLimit([...found, ...strangers]);
  const people = known.length === 1 ? [...known, ...secondPerson(heard, voicesOf(known), training)] : known;
  if (bounds === undefined) return voicesOf(people);
  const { least, most } = bounds;
  if (people.length < least) return voicesOf(await more(least, people, heard, training, signal));
  // More than eight voices are eight people.
  if (people.length <= most || (most === mostSpeakers && least < most)) return voicesOf(people);
  return voicesOf((await fewer(most, heard, training, options)) ?? people.slice(0, most));
}

/**
 * A second person with only a word or two: touching pieces that most windows hear as another voice than the first
 * person's, and that sound different.
 */
function secondPerson(
  { pieces, embeddings, inWindows }: HeardPieces,
  first: Voices,
  training: readonly number[],
): Cluster[] {
  const isLike = pieces.map((_, piece) => likenessToVoice(first, 0, embeddings, piece) >= secondLikeness);
  const isSure = new Set(training.filter((piece) => isLike[piece]));
  const apart = new Int32Array(pieces.length);
  for (const placed of inWindows)
    for (const one of placed)
      for (const other of placed)
        if (!isLike[one.piece] && isSure.has(other.piece))
          apart[one.piece] = (apart[one.piece] as number) + (one.voice === other.voice ? -1 : 1);
  const second: Cluster = { members: 0, seconds: 0, sum: new Float64Array(embeddingLength) };
  for (let from = 0, to = 0; from < pieces.length; from = to) {
    let seconds = 0;
    for (to = from; to < pieces.length && (apart[to] as number) > 0; to += 1) {
      if (to > from && pieces[to]?.firstFrame !== pieces[to - 1]?.endFrame) break;
      seconds += pieceSeconds(pieces[to] as VoicePiece);
    }
    if (seconds >= secondLeastSeconds)
      for (let piece = from; piece < to; piece += 1) addTo(second, pieces[piece] as VoicePiece, embeddings, piece);
    to = Math.max(to, from + 1);
  }
  return second.members > 0 ? [second] : [];
}
