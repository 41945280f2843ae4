// A passage as a tool makes it, held against what the tool makes of the whole recording.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../../../src/library/runtime/engine/engine.ts';
import { previewTool } from '../../../../src/index.ts';
import { loudnessByFfmpeg, needFfmpeg, readAll, thrownBy } from '../../../fixtures/media/media.ts';
import { writeWav } from '../../../fixtures/media/pcm-files.ts';
import { make, noise, voice } from '../../../fixtures/media/signals.ts';
import { slow } from '../../../fixtures/rounds.ts';

const folder = mkdtempSync(join(tmpdir(), 'earshot-test-preview-'));
const at = (name: string): string => join(folder, name);
const engine = createEngine({ tempDir: folder });
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

const rate = 16_000;
/** Of each sample: what factor, in dB, leads from one to the other, and how far off is the rest? */
function factor(from: Float32Array, to: Float32Array): { db: number; error: number } {
  const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, x, i) => sum + x * (b[i] as number), 0);
  const gain = dot(from, to) / dot(from, from);
  return { db: 20 * Math.log10(gain), error: Math.max(...to.map((x, i) => Math.abs(x - gain * (from[i] as number)))) };
}

describe('of a short recording, which is processed whole', () => {
  const plane = voice(12 * rate, rate, 1, 0.05);
  const path = writeWav(at('talk.wav'), [plane], rate);

  it('is the passage of the whole run, both equally loud, and in turn', slow, async (context) => {
    const told: number[] = [];
    const made = await previewTool(
      engine,
      'loudness',
      path,
      { target: 'streaming' },
      {
        fromSeconds: 3,
        seconds: 4,
        alternateSeconds: 2,
        onProgress: (one) => told.push(one.progress),
      },
    );
    expect(made).toMatchObject({
      tool: 'adjust_loudness',
      fromSeconds: 3,
      toSeconds: 7,
      processed: [0, 12],
      mayDiffer: [],
    });
    expect([made.before.path, made.after.path]).toEqual([
      at('talk.loudness.before.wav'),
      at('talk.loudness.after.wav'),
    ]);
    expect(told).toEqual(told.toSorted((a, b) => a - b));
    expect(told.at(-1)).toBe(1);
    const [before, after] = [made.before.path, made.after.path].map((file) => readAll(file).planes[0] as Float32Array);
    const was = plane.slice(3 * rate, 7 * rate);
    const { db, error } = factor(was, before as Float32Array);
    expect([before?.length, after?.length]).toEqual([4 * rate, 4 * rate]);
    expect(db).toBeCloseTo(made.before.matchDb, 2);
    // The recording has 16 bits, and the quiet passage is turned up.
    expect(error).toBeLessThan(5e-4);
    // The gain is that of the whole file, whose limiter has nothing to do.
    const { gainDb } = made.result as { gainDb: number };
    const becomes = factor(was, after as Float32Array);
    expect(becomes.db).toBeCloseTo(gainDb + made.after.matchDb, 1);
    const inTurn = readAll(made.alternatingPath as string).planes[0] as Float32Array;
    const gap = rate / 4;
    expect(inTurn).toHaveLength(4 * 2 * rate + 3 * gap);
    const middle = inTurn.slice(2 * rate + gap + 1000, 4 * rate + gap - 1000);
    expect(Math.max(...middle.map((x, i) => Math.abs(x - (after?.[i + 1000] as number))))).toBeLessThan(1e-4);
    expect(inTurn.slice(2 * rate, 2 * rate + gap).every((x) => x === 0)).toBe(true);
    needFfmpeg(context);
    for (const { path: file } of [made.before, made.after])
      expect(loudnessByFfmpeg(file).lufs).toBeCloseTo(made.matchedLufs as number, 0);
  });

  it('says what does not fit, and leaves nothing behind', async () => {
    const preview = (tool: 'loudness' | 'join', options: Parameters<typeof previewTool>[4]) =>
      thrownBy(() => previewTool(engine, tool, path, {}, { output: at('y'), ...options }));
    expect(await preview('join', {})).toMatchObject({
      code: 'bad_request',
      nextAction: expect.stringContaining('remove_noise') as string,
    });
    expect((await preview('loudness', { fromSeconds: 30 })).message).toContain('before the end of the recording, 0:12');
    const short = at('short.wav');
    writeWav(short, [new Float32Array(1)], rate);
    const ofShort = thrownBy(() => previewTool(engine, 'loudness', short, {}, { output: at('y') }));
    expect((await ofShort).message).toBe('Expected a recording of at least 0.01 s but this one is shorter');
    for (const wrong of [{ seconds: 0 }, { fromSeconds: -1 }, { contextSeconds: 4000 }, { alternateSeconds: 0.1 }])
      expect((await preview('loudness', wrong)).code).toBe('bad_request');
    writeFileSync(at('mine.after.wav'), 'mine');
    expect((await preview('loudness', { output: at('mine') })).code).toBe('conflict');
    expect((await preview('loudness', { output: at('no/where') })).code).toBe('not_found');
    const stop = AbortSignal.abort();
    await expect(previewTool(engine, 'loudness', path, {}, { output: at('x'), signal: stop })).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(readdirSync(folder).filter((name) => name.includes('.part') || name.startsWith('x'))).toEqual([]);
  });
});

describe('of a long recording, with what is around it', () => {
  it('is what the tool makes of the whole, where it decides alike', slow, async () => {
    // Speech of 4 s and pauses of 2 s, for six minutes.
    const low = 8000;
    const [speech, hiss] = [voice(4 * low, low, 3), noise(6 * low, 5, 0.002)];
    const plane = make(360 * low, (i) => (hiss[i % (6 * low)] as number) + (speech[i % (6 * low)] ?? 0));
    const path = writeWav(at('long.wav'), [plane], low);
    const made = await previewTool(
      engine,
      'remove_silence',
      path,
      {},
      { fromSeconds: 181, seconds: 14, contextSeconds: 30, output: at('long.flac') },
    );
    expect(made.processed).toEqual([151, 225]);
    expect(made.mayDiffer).toEqual([expect.stringMatching(/over the whole recording; here over 2:31 to 3:45 of it/)]);
    const run = await engine.run('remove_silence', path, {}, { output: at('whole.wav') });
    const removed = (to: number): number =>
      run.result.cuts.reduce((sum, [start, end]) => sum + Math.max(0, Math.min(to, end) - Math.min(to, start)), 0);
    const whole = readAll(at('whole.wav')).planes[0] as Float32Array;
    const after = readAll(at('long.after.flac')).planes[0] as Float32Array;
    const from = Math.round((181 - removed(181)) * low);
    const expected = whole.slice(from, from + after.length);
    expect(after.length / low).toBeCloseTo(14 - (removed(195) - removed(181)), 2);
    expect(after.length / low).toBeLessThan(12);
    const { db, error } = factor(expected, after);
    expect(db).toBeCloseTo(made.after.matchDb, 1);
    expect(error).toBeLessThan(0.002);
  });
});
