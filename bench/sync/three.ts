// Three recorders of one room: two talkers' own microphones and one far away, whose clocks are known.
import { seeded } from '../../test/fixtures/random.ts';
import { conversation, inRoom, type Point, type Recording, recorded } from './rooms.ts';

const speedOfSound = 343;

export interface Room {
  readonly say: string;
  /** Two microphones, then the recorder. */
  readonly recordings: readonly Recording[];
  /** The sound's way from each talker to the recorder, ms. */
  readonly waysMs: readonly number[];
}

/** Room `index` of a seed: the recorder far away is the longest. */
export function roomOf(seed: number, index: number, seconds: number, phrases: readonly Float32Array[]): Room {
  const random = seeded(1000 * seed + index);
  const between = (low: number, high: number): number => low + (high - low) * random();
  const rt60 = between(0.3, 0.8);
  const snrDb = [20, 12, 8, 5][index % 4] as number;
  const talk = conversation(random, phrases, { seconds: seconds + 60, talkers: 2, lead: between(1, 10) });
  const size: Point = [between(4.5, 8), between(3.5, 6), between(2.4, 3.2)];
  const talkers: [Point, Point] = [
    [1.4, 1.5, 1.2],
    [between(2.8, 3.3), between(1.9, 2.4), 1.25],
  ];
  const far: Point = [size[0] - 0.6, size[1] - 0.5, 1];
  const places: Point[] = [[1.55, 1.6, 1.1], [talkers[1][0] - 0.12, talkers[1][1] + 0.1, 1.1], far];
  const recordings = places.map((place, at) =>
    recorded(
      `${at}`,
      inRoom(talk, size, talkers, place, rt60),
      [
        {
          world: at === 2 ? 0 : between(2, 40),
          ppm: between(-100, 100),
          seconds: at === 2 ? seconds + 55 : seconds - between(0, 30),
        },
      ],
      { random, snrDb: at === 2 ? snrDb : Math.max(snrDb, 10), gain: at === 1 ? -1 : 1 },
    ),
  );
  const wayOf = (talker: Point): number =>
    (1000 * Math.hypot(...talker.map((each, axis) => each - far[axis]!))) / speedOfSound;
  return { say: `RT60 ${rt60.toFixed(2)}, ${snrDb} dB`, recordings, waysMs: talkers.map(wayOf) };
}
