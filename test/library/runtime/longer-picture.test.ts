// @module-tag slow
// Videos whose picture goes on behind the end of their sound: what is quoted is what is processed, charged and made.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/library/core/json.ts';
import type { ToolId } from '../../../src/library/contract/tool-ids.ts';
import { probe } from '../../../src/library/media/read/probe.ts';
import { readablePictureSeconds } from '../../../src/library/media/read/readable-length.ts';
import { measureRecording } from '../../../src/library/media/read/recording-length.ts';
import { describeOutput } from '../../../src/library/runtime/job/media-record.ts';
import { roundSeconds } from '../../../src/service/rules/tools/prices.ts';
import { requireTool } from '../../../src/library/tools/registry.ts';
import { needFfmpeg } from '../../fixtures/media/media.ts';
import { runTool } from '../../fixtures/media/run-context.ts';
import { voice } from '../../fixtures/media/signals.ts';
import { makeVideo } from '../../fixtures/media/videos.ts';
import { useMediaWork } from './media-host.ts';

const rate = 48_000;
const [soundSeconds, pictureSeconds] = [3, 7];
/** Coarse clocks, padding of codecs, and a picture more or less. */
const about = 0.2;
const work = useMediaWork();
beforeEach((context) => needFfmpeg(context));

/** Speech with a pause in it; the test picture is as long as the sound and then goes on. */
function makeLonger(name: string): string {
  const path = work.path(name);
  const sound = voice(soundSeconds * rate, rate, 4);
  sound.fill(0, rate, 2.2 * rate);
  const more = pictureSeconds - soundSeconds;
  const output = ['-vf', `tpad=stop_mode=clone:stop_duration=${more},noise=alls=5:allf=t`, '-r', '25'];
  return makeVideo(path, [sound], rate, { output });
}

/** Runs a tool here and describes its output as a job process does; answers what the service would remember of it. */
async function run(tool: ToolId, names: readonly string[], options: JsonObject, field = 'file_id', more = {}) {
  const files = { [field]: names.map(work.path), ...more };
  const { processedSeconds, outputs, warnings, result } = await runTool(
    requireTool(tool),
    files,
    options,
    work.path(`${tool}-`),
  );
  const output = { ...outputs[0]!, ...(await describeOutput(outputs[0]!)) };
  return {
    billedSeconds: roundSeconds(processedSeconds),
    recordSeconds: output.durationSeconds ?? NaN,
    checkedSeconds: await checkedLength(output.path),
    pictureSeconds: output.hasVideo ? ((await readablePictureSeconds(output.path)) ?? NaN) : NaN,
    codes: warnings.map(({ code }) => code),
    result,
  };
}

/** What the check of an upload says. */
const checkedLength = async (path: string): Promise<number> => (await measureRecording(probe(path))).seconds ?? NaN;

/** All that tells how long an output is agrees. */
function expectLength(made: Awaited<ReturnType<typeof run>>, seconds: number): void {
  expect(made.codes).not.toContain('truncated');
  for (const found of [made.recordSeconds, made.checkedSeconds, made.pictureSeconds])
    expect(Math.abs(found - seconds), JSON.stringify(made)).toBeLessThan(about);
}

describe.each(['mp4', 'mov', 'mkv', 'webm', 'ts', 'avi'])('a picture that is longer than its sound, in %s', (kind) => {
  const name = `longer.${kind}`;

  it('is quoted, cut, shortened and leveled as long as it is', async () => {
    makeLonger(name);
    const recordSeconds = await checkedLength(work.path(name));
    expect(Math.abs(recordSeconds - pictureSeconds)).toBeLessThan(about);
    const billed = roundSeconds(recordSeconds);

    // Behind the end of the sound, up to the very end that the record shows.
    const removed = await run('cut_audio', [name], {
      ranges: [
        [0.5, 1],
        [5, recordSeconds],
      ],
      mode: 'remove',
    });
    expect(removed.billedSeconds).toBe(billed);
    expectLength(removed, 4.5);
    const kept = await run('cut_audio', [name], { ranges: [[4, 6]], mode: 'keep' });
    expect(kept.billedSeconds).toBe(billed);
    expectLength(kept, 2);

    const shortened = await run('remove_silence', [name], {});
    expect(shortened.billedSeconds).toBe(billed);
    const removedSeconds = shortened.result['removedSeconds'] as number;
    expect(removedSeconds).toBeGreaterThan(0.5);
    // Picture without sound is no pause.
    expect(removedSeconds).toBeLessThan(1.2);
    expectLength(shortened, pictureSeconds - removedSeconds);

    const louder = await run('adjust_loudness', [name], {});
    expect(louder.billedSeconds).toBe(billed);
    expectLength(louder, pictureSeconds);
  });
});

describe('every tool that keeps pictures', () => {
  const name = 'each.mkv';
  const transcript = 'each.json';
  const other = 'other.mkv';
  beforeEach(() => {
    makeLonger(name);
    makeLonger(other);
    writeFileSync(
      join(work.root, transcript),
      JSON.stringify({
        format: 'earshot-transcript',
        version: 1,
        language: 'en',
        durationSeconds: soundSeconds,
        speakerCount: null,
        sentences: [],
      }),
    );
  });

  it('takes it along to its end, and has processed all of it', async () => {
    const alike: readonly [ToolId, JsonObject, object?][] = [
      ['remove_noise', { auto_volume: false }],
      ['enhance_voice', { auto_volume: false }],
      ['level_speakers', {}],
      ['remove_fillers', {}, { transcript_file_id: [work.path(transcript)] }],
    ];
    for (const [tool, options, more] of alike) {
      const made = await run(tool, [name], options, 'file_id', more);
      expect({ tool, billed: made.billedSeconds }).toEqual({ tool, billed: pictureSeconds });
      expectLength(made, pictureSeconds);
    }
    // The next file's picture comes when this one's has ended.
    const joined = await run('join_audio', [name, other], { match_loudness: false }, 'file_ids');
    expect(joined.billedSeconds).toBe(2 * pictureSeconds);
    expectLength(joined, 2 * pictureSeconds);
    const tracks = await run('level_speakers', [name, other], {}, 'track_file_ids');
    expect(tracks.billedSeconds).toBe(2 * pictureSeconds);
    expectLength(tracks, pictureSeconds);
  });

  it('has processed the sound alone where the picture is left out', async () => {
    const made = await run('adjust_loudness', [name], { output_format: 'wav' });
    expect(made.billedSeconds).toBe(soundSeconds);
    expect(Math.abs(made.recordSeconds - soundSeconds)).toBeLessThan(about);
    const converted = await run('convert_audio', [name], { format: 'wav' });
    expect([converted.billedSeconds, converted.codes]).toEqual([soundSeconds, []]);
  });

  it('is free for the window alone, sound or picture, and recorded at its length by the service', async () => {
    const checked = await work.check(name);
    expect(checked).toMatchObject({ ok: true, hasVideo: true, durationSeconds: await checkedLength(work.path(name)) });
    const files = { file_ids: [name, other].map((one) => [one, one] as const) };
    const window = { windowSeconds: 5 };
    const joined = await work.run('join_audio', files, { match_loudness: false }, window);
    expect(joined.processedSeconds).toBeLessThanOrEqual(5);
    expect(joined.outputs[0]?.durationSeconds).toBeLessThan(5 + about);
    const loud = await work.run('adjust_loudness', { file_id: [[name, name]] }, {}, window);
    expect(loud.processedSeconds).toBeLessThanOrEqual(5);
    expect(loud.outputs[0]?.durationSeconds).toBeLessThan(5 + about);
  });
});

it('a video gets its new sound as long as its picture, not as long as the sound that goes', async () => {
  const sound = voice(6 * rate, rate, 4);
  makeVideo(work.path('talk.mkv'), [sound], rate, { output: ['-frames:v', '50'] });
  const files = { video_file_id: [['talk.mkv', 'talk.mkv']], audio_file_id: [['talk.mkv', 'a.mkv']] } as const;
  const { result } = await work.run('replace_audio', files, {});
  expect(result['pictureSeconds']).toBeCloseTo(2, 1);
});
