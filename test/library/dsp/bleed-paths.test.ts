import { describe, expect, it } from 'vitest';
import { bleedOn, measurePaths } from '../../../src/library/dsp/gain/bleed-paths.ts';
import { notWorse } from '../../../src/library/dsp/gain/level-together.ts';
import { slow } from '../../fixtures/rounds.ts';
import { seeded } from '../../fixtures/media/signals.ts';

const hopSeconds = 0.02;

/** Energies of two voices in turns of 3 s; each is heard on the other's track, and rings on there. */
function talk(turns: number, direct: number, late: number, roomSeconds: number) {
  const random = seeded(5);
  const hops = turns * 150;
  const dry = [0, 1].map((voice) =>
    Float32Array.from({ length: hops }, (_, hop) =>
      Math.floor(hop / 150) % 2 === voice && hop % 150 < 130 && hop % 14 < 11 ? 0.01 * (0.2 + random()) : 1e-9,
    ),
  );
  const paths = [1, 0].map((from) => ({ floor: 1e-9, roomSeconds, paths: [{ from, direct, late }] }));
  const bleed = paths.map((path) => bleedOn(path, dry, hops, hopSeconds));
  const energies = dry.map((energy, track) => energy.map((value, hop) => value + (bleed[track]?.[hop] ?? 0)));
  return { energies, bleed };
}

describe('the ways of voices to other microphones', () => {
  it.each([0.3, 1])('are found with how long the room rings on: %s s', (roomSeconds) => {
    const { energies, bleed } = talk(8, 0.01, 0.004, roomSeconds);
    const active = new Uint8Array(energies[0]?.length ?? 0).fill(1);
    const found = measurePaths(
      energies,
      active,
      [
        [0, -18],
        [-18, 0],
      ],
      hopSeconds,
    );
    for (const [track, path] of found.entries()) {
      expect(path.roomSeconds).toBeCloseTo(roomSeconds, 5);
      const told = bleedOn(path, energies, active.length, hopSeconds);
      const ratio = told.reduce((sum, value) => sum + value, 0) / bleed[track]!.reduce((sum, value) => sum + value, 0);
      // The others' microphones hear a little of the own voice as well.
      expect(Math.abs(10 * Math.log10(ratio))).toBeLessThan(1.5);
    }
  });

  it('are looked for in parts of a long recording', slow, () => {
    const { energies } = talk(70, 0.01, 0.004, 0.5);
    const active = new Uint8Array(energies[0]?.length ?? 0).fill(1);
    const [path] = measurePaths(
      energies,
      active,
      [
        [0, -18],
        [-18, 0],
      ],
      hopSeconds,
    );
    expect(path?.roomSeconds).toBe(0.5);
  });
});

describe('what levelling does to a track', () => {
  // Own words in the first half, the others' in the second, 10 dB softer.
  const energy = Float32Array.from({ length: 100 }, (_, hop) => (hop < 50 ? 0.01 : 0.001));
  const bleed = Float32Array.from({ length: 100 }, (_, hop) => (hop < 50 ? 0 : 0.001));
  const curve = (othersDb: number) => ({
    hopSeconds,
    gainsDb: Float32Array.from({ length: 100 }, (_, hop) => (hop < 50 ? 0 : othersDb)),
  });
  it.each([
    { levelledDb: -12, gateDb: -12, keptDb: -12, left: null },
    { levelledDb: 6, gateDb: -12, keptDb: -12, left: { beforeDb: 10, levelledDb: 4, afterDb: 22 } },
    { levelledDb: 6, gateDb: 2, keptDb: 0, left: { beforeDb: 10, levelledDb: 4, afterDb: 10 } },
  ])('is left where the others gain by it: $levelledDb dB', ({ levelledDb, gateDb, keptDb, left }) => {
    const found = notWorse(energy, bleed, (hop) => hop < 50, { levelled: curve(levelledDb), gate: curve(gateDb) });
    expect(found.curve.gainsDb[99]).toBe(keptDb);
    if (left === null) expect(found.left).toBeNull();
    else
      for (const [name, db] of Object.entries(left)) expect(found.left?.[name as keyof typeof left]).toBeCloseTo(db, 1);
  });
});
