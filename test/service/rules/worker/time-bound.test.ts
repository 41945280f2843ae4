import { describe, expect, it } from 'vitest';
import { EarshotError } from '../../../../src/library/core/errors/errors.ts';
import { boundFailure } from '../../../../src/service/rules/worker/bounds.ts';
import { mostJobSeconds } from '../../../../src/service/rules/worker/time-bound.ts';

const media = { codec: 'aac', sampleRate: 48_000, channels: 2, width: null, height: null };
const file = (durationSeconds: number | null, changes: object = {}) => ({
  durationSeconds,
  media,
  hasVideo: false,
  sizeBytes: 1e6,
  ...changes,
});
const config = { jobSeconds: 21_600, jobTimeFactor: 40 };
const job = { tool: 'align_script', windowSeconds: null } as const;

describe('the time that a job may take', () => {
  it('follows the length of its files and the tool', () => {
    const eleven = mostJobSeconds(job, [file(11)], config);
    // Slow enough for any machine, and nothing like the half hour that a script far too long once took.
    expect(eleven).toBeGreaterThan(300);
    expect(eleven).toBeLessThan(1000);
    expect(mostJobSeconds(job, [file(60)], config)).toBeGreaterThan(eleven);
    expect(mostJobSeconds({ ...job, tool: 'convert_audio' }, [file(60)], config)).toBeLessThan(
      mostJobSeconds(job, [file(60)], config),
    );
    expect(mostJobSeconds({ ...job, windowSeconds: 11 }, [file(3600)], config)).toBe(eleven);
    const two = mostJobSeconds({ ...job, tool: 'join_audio' }, [file(30), file(30)], config);
    expect(two).toBeGreaterThan(mostJobSeconds({ ...job, tool: 'join_audio' }, [file(30)], config));
  });

  it('has room for pictures that are encoded again, and for their size', () => {
    const cut = { ...job, tool: 'cut_audio' } as const;
    const video = (width: number, height: number) => file(10, { hasVideo: true, media: { ...media, width, height } });
    expect(mostJobSeconds(cut, [video(320, 240)], config)).toBeGreaterThan(10 * 100);
    expect(mostJobSeconds(cut, [video(3840, 2160)], config)).toBeGreaterThan(
      4 * mostJobSeconds(cut, [video(1280, 720)], config),
    );
  });

  it('is at most the bound of all jobs, which counts alone where no length is known; texts need none', () => {
    expect(mostJobSeconds(job, [file(36_000)], config)).toBe(21_600);
    expect(mostJobSeconds(job, [file(null)], config)).toBe(21_600);
    const text = file(null, { media: null, sizeBytes: 2e6 });
    expect(mostJobSeconds(job, [file(11), text], config)).toBeLessThan(1000);
    expect(mostJobSeconds(job, [file(11)], { ...config, jobTimeFactor: 400 })).toBeGreaterThan(5000);
  });

  it('names the setting that raises it', () => {
    const met = (expected: number) =>
      boundFailure(new EarshotError('limit_exceeded', 'x', { details: { limit: 'maxJobSeconds', expected } }), config);
    expect(met(840)).toMatchObject({
      code: 'limit_exceeded',
      message: expect.stringMatching(/840 s of time .* EARSHOT_JOB_TIME_FACTOR$/),
      details: { limit: 'maxJobSeconds', expected: 840 },
    });
    expect(met(21_600)?.nextAction).toContain('EARSHOT_JOB_SECONDS');
  });
});
