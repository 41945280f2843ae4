// @module-tag slow
// Sound that is encoded again in a few places: away from them it is the earlier encode packet for packet, and there as
// near to what was given as that one.
import { describe, expect, it } from 'vitest';
import { powerToDb } from '../../../../src/library/core/levels.ts';
import { openEncoder } from '../../../../src/library/media/write/encode.ts';
import { type CodedPacket, readPackets } from '../../../../src/library/media/write/segments/coded-packet.ts';
import { NoJointError, type Stretch } from '../../../../src/library/media/write/segments/patched.ts';
import { readAll, scratch } from '../../../fixtures/media/media.ts';
import { noise, voice } from '../../../fixtures/media/signals.ts';

const at = scratch();
const seconds = 40;
type Format = 'mp3' | 'm4a' | 'ogg' | 'opus';
const rateOf = (format: Format): number => (format === 'opus' ? 48_000 : 44_100);

/** A voice over noise, in which each of the stretches is softer by 6 dB. */
function sound(hz: number, softer: readonly Stretch[]): Float32Array {
  const both = voice(hz * seconds, hz, 3);
  const under = noise(hz * seconds, 5, 0.01);
  for (const [frame, x] of under.entries()) both[frame] = 0.5 * (both[frame] as number) + x;
  for (const [start, end] of softer)
    for (let frame = Math.round(start * hz); frame < end * hz; frame += 1) both[frame] = 0.5 * (both[frame] as number);
  return both;
}

/** Packets of an encode called "a" are in "a.packets". */
function encoded(name: string, format: Format, changed: readonly Stretch[], since: string | null): Float32Array {
  const hz = rateOf(format);
  const plane = sound(hz, changed);
  const path = at(`${name}.${format}`);
  const changes = since === null ? null : { keptIn: at(`${since}.${format}.packets`), changed };
  const again = { keepIn: `${path}.packets`, changes };
  const sink = openEncoder(
    path,
    { sampleRate: hz, channels: 1, layout: 'mono' },
    { format, again, expectedSeconds: seconds },
  );
  try {
    for (let from = 0; from < plane.length; from += hz)
      sink.write({ planes: [plane.subarray(from, from + hz)], frames: hz });
    sink.finish();
  } finally {
    sink.close();
  }
  return readAll(path).planes[0] as Float32Array;
}

/** What an encode loses of a tenth of a second, dB. */
function lossDb(heard: Float32Array, given: Float32Array, from: number, frames: number): number {
  let power = 1e-9;
  for (let frame = from; frame < from + frames; frame += 1)
    power += ((heard[frame] as number) - (given[frame] as number)) ** 2 / frames;
  return powerToDb(power);
}

function packetsOf(path: string): CodedPacket[] {
  const kept = readPackets(path);
  const packets: CodedPacket[] = [];
  for (let packet = kept.next(); packet; packet = kept.next()) packets.push(packet);
  kept.close();
  return packets;
}

/** A patch hears so much before a change, and ends so long after it at the latest. */
const besideSeconds = 12;

describe.each(['mp3', 'm4a', 'opus'] as const)('%s that is encoded again in places', (format) => {
  const first = encoded('first', format, [], null);

  it('is the same to the sample where nothing has changed', () => {
    const same = encoded('same', format, [], 'first');
    expect(Buffer.compare(Buffer.from(same.buffer), Buffer.from(first.buffer))).toBe(0);
  });

  it.each([
    ['in the middle', [[20, 20.2]]],
    ['at its start', [[0.1, 0.2]]],
    ['at its end', [[39.9, 40]]],
    [
      'in places near each other',
      [
        [18, 18.1],
        [20, 20.2],
        [23, 23.05],
      ],
    ],
    [
      'in places far from each other',
      [
        [5, 5.1],
        [34, 34.05],
      ],
    ],
  ] as [string, Stretch[]][])('changes there alone, and loses no more there: %s', (name, changed) => {
    const hz = rateOf(format);
    const own = name.replaceAll(' ', '-');
    const heard = encoded(own, format, changed, 'first');
    expect(heard).toHaveLength(first.length);
    const isNear = (frame: number): boolean =>
      changed.some(([start, end]) => frame / hz > start - besideSeconds && frame / hz < end + besideSeconds);
    const away = (of: string): string[] =>
      packetsOf(at(`${of}.${format}.packets`))
        .filter(({ pts }) => !isNear(pts))
        .map(({ pts, data }) => `${pts} ${Buffer.from(data).toString('base64')}`);
    expect(away(own).join('\n') === away('first').join('\n'), 'packets away from the changes').toBe(true);
    const [before, given] = [sound(hz, []), sound(hz, changed)];
    const step = hz / 10;
    for (let from = 0; from + step <= given.length; from += step)
      expect(lossDb(heard, given, from, step)).toBeLessThan(lossDb(first, before, from, step) + (isNear(from) ? 6 : 1));
  });
});

describe('Codecs that never give the same packets twice', () => {
  it('say so, where no packet before a change is the same', () => {
    encoded('first', 'ogg', [], null);
    expect(() => encoded('changed', 'ogg', [[12, 12.1]], 'first')).toThrow(NoJointError);
  });
});
