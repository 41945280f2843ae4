// Pairs that share no moment, though much else: readers, words, a jingle, a hum.
import { seeded } from '../../test/fixtures/random.ts';
import { conversation, inRoom, type Point, rate, type Recording, recorded, sampledAt } from './rooms.ts';

type Random = () => number;

export interface Unlike {
  readonly kind: string;
  readonly one: Recording;
  readonly other: Recording;
}

const between = (random: Random, low: number, high: number): number => low + (high - low) * random();
const pick = <Item>(random: Random, items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;

/** A melody over chords and a beat, another one for each seed. */
function jingle(random: Random, seconds: number): Float32Array {
  const out = new Float32Array(Math.round(seconds * rate));
  const beat = between(random, 0.28, 0.45);
  const scale = [0, 2, 4, 5, 7, 9, 11, 12, 14, 16];
  const root = between(random, 180, 320);
  const note = (at: number, hz: number, length: number, gain: number): void => {
    const from = Math.round(at * rate);
    for (let index = 0; index < length * rate && from + index < out.length; index += 1) {
      const time = index / rate;
      const sound = [1, 2, 3, 4].reduce((sum, order) => sum + Math.sin(2 * Math.PI * hz * order * time) / order, 0);
      out[from + index] = (out[from + index] as number) + gain * sound * Math.exp(-3 * time) * Math.min(1, 200 * time);
    }
  };
  for (let at = 0; at < seconds; at += beat) {
    note(at, root * 2 ** (pick(random, scale) / 12), 2 * beat, 0.05);
    if (random() < 0.4) note(at, (root / 2) * 2 ** (pick(random, scale) / 12), 4 * beat, 0.05);
    const from = Math.round(at * rate);
    for (let index = 0; index < 0.05 * rate && from + index < out.length; index += 1)
      out[from + index] = (out[from + index] as number) + 0.08 * (random() - 0.5) * Math.exp(-index / (0.01 * rate));
  }
  return out;
}

/** A room's talk with its microphone, from other seeds another room, other turns, other noise. */
function talkIn(random: Random, phrases: readonly Float32Array[], seconds: number): Float32Array {
  const talk = conversation(random, phrases, { seconds, talkers: 2, lead: between(random, 0.3, 3) });
  const room: Point = [between(random, 4.5, 8), between(random, 3.5, 6), between(random, 2.4, 3.2)];
  const places: Point[] = [
    [1.4, 1.5, 1.2],
    [between(random, 2.8, 3.3), between(random, 1.9, 2.4), 1.25],
  ];
  return inRoom(talk, room, places, [room[0] - 0.6, room[1] - 0.5, 1], between(random, 0.3, 0.8));
}

const written = (random: Random, sound: Float32Array, snrDb = between(random, 8, 25)): Recording =>
  recorded('', sound, [{ world: 0, ppm: between(random, -60, 60), seconds: sound.length / rate - 0.1 }], {
    random,
    snrDb,
  });

/** Sound between the same opening and closing. */
function withJingle(talk: Float32Array, music: Float32Array): Float32Array {
  const out = talk.slice();
  out.set(music);
  out.set(music, out.length - music.length);
  return out;
}

function withHum(random: Random, talk: Float32Array, hum: Float32Array): Float32Array {
  const from = Math.floor(random() * rate);
  return talk.map((each, at) => each + (hum[at + from] as number));
}

/** Mains and a fan's blades: the same device under both. */
function humOf(random: Random, seconds: number): Float32Array {
  const parts = [50, 100, 150, 200, 250, 350, 437].map((hz) => ({ hz, gain: between(random, 0.002, 0.02) }));
  return Float32Array.from({ length: Math.ceil((seconds + 2) * rate) }, (_, at) =>
    parts.reduce((sum, { hz, gain }) => sum + gain * Math.sin((2 * Math.PI * hz * at) / rate), 0),
  );
}

/** The same words by the same voices, read again: the tempo wanders, pauses differ. */
function readAgain(random: Random, phrases: readonly Float32Array[], seconds: number, tempo: number): Float32Array {
  const out = new Float32Array(Math.round(seconds * rate));
  let at = rate;
  for (const phrase of phrases) {
    const speed = tempo * between(random, 0.97, 1.03);
    const length = Math.floor(phrase.length / speed);
    if (at + length > out.length) break;
    out.set(sampledAt(phrase, 0, speed, length), at);
    at += length + Math.floor(between(random, 0.05, 0.7) * rate);
  }
  return out;
}

/**
 * Pair `index` of a seed; five kinds by turns. Lengths from 100 to `seconds`.
 * @param phrases of the readers, in the order of what they read
 */
export function unlikePair(seed: number, index: number, phrases: readonly Float32Array[], most: number): Unlike {
  const random = seeded(77_000 * seed + index);
  const seconds = between(random, Math.min(100, most), most);
  const half = phrases.length >> 1;
  const talks = (): [Float32Array, Float32Array] => [
    talkIn(random, phrases, seconds),
    talkIn(random, phrases, between(random, Math.min(100, most), most)),
  ];
  const round = Math.floor(index / 5);
  switch (index % 5) {
    case 0: {
      const [one, other] = [phrases.slice(0, half), phrases.slice(half)].map((some) => talkIn(random, some, seconds));
      return { kind: 'other readers and rooms', one: written(random, one!), other: written(random, other!) };
    }
    case 1: {
      const [one, other] = talks();
      return { kind: 'the same readers, other rooms', one: written(random, one), other: written(random, other) };
    }
    case 2: {
      const length = [10, 20, 30, 40][round % 4] as number;
      const music = jingle(random, length);
      const [one, other] = talks().map((each) => written(random, withJingle(each, music), between(random, 15, 30)));
      return { kind: `a jingle of ${length} s at both ends`, one: one!, other: other! };
    }
    case 3: {
      const hum = humOf(random, most);
      const [one, other] = talks().map((each) => written(random, withHum(random, each, hum)));
      return { kind: 'the same hum', one: one!, other: other! };
    }
    default: {
      const order = phrases.map((each) => ({ each, key: random() })).sort((a, b) => a.key - b.key);
      const words = order.map(({ each }) => each);
      const tempo = between(random, 0.9, 1.1);
      const [one, other] = [readAgain(random, words, seconds, 1), readAgain(random, words, seconds, tempo)];
      return { kind: 'the same words in another tempo', one: written(random, one), other: written(random, other) };
    }
  }
}
