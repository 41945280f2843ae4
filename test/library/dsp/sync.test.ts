// Clocks that wander, and the parts of the search that whole runs do not show.
import { expect, it } from 'vitest';
import { lagAt } from '../../../src/library/dsp/sync/clock-lines.ts';
import { searchIn } from '../../../src/library/dsp/sync/find-segments.ts';
import { syncRate } from '../../../src/library/dsp/sync/marks.ts';
import { findLines, matchPair } from '../../../src/library/dsp/sync/match-pair.ts';
import { onTimeLine } from '../../../src/library/dsp/sync/on-time-line.ts';
import { heard, madeEvent, recordedEvent } from '../../fixtures/sounds/events.ts';
import { slower } from '../../fixtures/rounds.ts';

it('a clock that wanders by 3 ms is followed to 0.6 ms', slower, async () => {
  const seconds = 1230;
  const event = madeEvent(31, seconds + 10);
  const sways = (at: number): number => 0.0034 * Math.sin((2 * Math.PI * at) / 1200);
  const one = heard(
    recordedEvent(event, { starts: 3, seconds: seconds - 30, rate: syncRate, ppm: 50, sways, seed: 2 }),
  );
  const other = heard(recordedEvent(event, { starts: 0, seconds, rate: syncRate }));
  const turn = (): Promise<void> => Promise.resolve();
  const { pieces } = await matchPair(one, other, await findLines(one, searchIn(other.marks), turn), turn);
  expect(pieces).toHaveLength(1);
  const { bends, line } = pieces[0] as (typeof pieces)[number];
  let [bent, straight] = [0, 0];
  for (let at = 5; at < seconds - 40; at += 1) {
    const truth = 3 + at * 50e-6 + sways(at);
    const part = bends.findLast(({ startSeconds }) => startSeconds <= at);
    bent = Math.max(bent, Math.abs(lagAt(part?.line ?? line, at) - truth));
    straight = Math.max(straight, Math.abs(lagAt(line, at) - truth));
  }
  expect(straight).toBeGreaterThan(0.002);
  expect(bent).toBeLessThan(0.0006);
});

it('pieces have no seam where the clock only changes its rate, and silence where there is none', () => {
  const rate = 8000;
  const samples = new Float32Array(20 * rate).fill(0.5);
  let left = 20;
  const source = {
    format: { sampleRate: rate, channels: 1, layout: 'mono' as const },
    next: () => (left-- > 0 ? { planes: [samples.subarray(0, rate)], frames: rate } : null),
  };
  const pieces = [
    { startSeconds: 0, endSeconds: 6, line: { offsetSeconds: 0, slope: 1e-4 } },
    { startSeconds: 6, endSeconds: 10, line: { offsetSeconds: 6 * 2e-4, slope: -1e-4 } },
    { startSeconds: 10, endSeconds: 20, line: { offsetSeconds: 2.5, slope: 0 } },
  ];
  const out: number[] = [];
  const made = onTimeLine(source, pieces, { startSeconds: 0, seconds: 24 });
  for (let block = made.next(); block !== null; block = made.next()) out.push(...(block.planes[0] as Float32Array));
  expect(out).toHaveLength(24 * rate);
  const within = (from: number, to: number): number[] => out.slice(from * rate, to * rate);
  const isAt = (level: number, parts: readonly number[]): boolean =>
    parts.every((each) => Math.abs(each - level) < 1e-4);
  expect([isAt(0.5, within(0.01, 9.9)), isAt(0.5, within(12.6, 22.4))]).toEqual([true, true]);
  expect([isAt(0, within(10.1, 12.4)), isAt(0, within(22.6, 24))]).toEqual([true, true]);
});
