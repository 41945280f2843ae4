// join_audio on videos: what it decides, and that picture and sound come out together.
import { beforeEach, describe, expect, it } from 'vitest';
import { probe } from '../../../src/library/media/read/probe.ts';
import { joinAudio } from '../../../src/library/tools/join_audio/tool.ts';
import { ffprobe, needFfmpeg, readAll, scratch } from '../../fixtures/media/media.ts';
import { runTool } from '../../fixtures/media/run-context.ts';
import { clicksIn } from '../media/video/joining.ts';
import { makeNumbered } from '../media/video/numbered.ts';
import { watch } from '../media/video/watch.ts';
import { slow } from '../../fixtures/rounds.ts';

const at = scratch();
const x264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-g', '25'];
const join = (files: readonly string[], options: object, prefix: string): ReturnType<typeof runTool> =>
  runTool(joinAudio, { file_ids: files }, options, at(prefix));

beforeEach((context) => needFfmpeg(context));

describe('join_audio with videos', () => {
  it.each([0, 400])('makes one video, picture and sound together, overlapping by %d ms', slow, async (crossfade_ms) => {
    const files = [
      makeNumbered(at(`a-${crossfade_ms}.mp4`), { count: 70, flashEvery: 20, codec: x264 }),
      makeNumbered(at(`b-${crossfade_ms}.mkv`), {
        count: 70,
        rate: '30',
        flashEvery: 20,
        codec: ['-c:v', 'mpeg4', '-q:v', '2'],
        filter: 'scale=320:192',
      }),
      makeNumbered(at(`c-${crossfade_ms}.mp4`), { count: 70, flashEvery: 20, codec: x264, soundRate: 44_100 }),
    ];
    const { path: out, result, outputs, warnings } = await join(files, { crossfade_ms }, `video-${crossfade_ms}-`);
    expect([outputs[0]?.format, outputs[0]?.contentType]).toEqual(['mp4', 'video/mp4']);
    expect(warnings.map((warning) => warning.code)).toEqual(['picture_reencoded']);
    const sound = readAll(out);
    expect(Math.abs(sound.frames / sound.format.sampleRate - (result['durationSeconds'] as number))).toBeLessThan(0.03);
    const flashes = watch(out)[0]
      .seen.filter((one) => one.flash)
      .map((one) => one.seconds);
    const clicks = clicksIn(out);
    const parts = result['files'] as { startSeconds: number }[];
    expect(flashes.length).toBeGreaterThanOrEqual(crossfade_ms > 0 ? 8 : 10);
    for (const flash of flashes)
      expect(Math.min(...clicks.map((click) => Math.abs(click - flash)))).toBeLessThan(0.034);
    // Every part has its flashes where its sound says.
    for (const [n, part] of parts.entries()) {
      const wanted = part.startSeconds + 20 / (n === 1 ? 30 : 25);
      expect(Math.min(...flashes.map((flash) => Math.abs(flash - wanted)))).toBeLessThan(0.04);
    }
  });

  it('drops the picture when a file has none or sound is asked for', async () => {
    const video = makeNumbered(at('v.mp4'), { count: 50, codec: x264 });
    const files = { 'video and video': [video, video], 'video and sound': [video, `${video}.wav`] };
    const toSound = await join(files['video and video'], { output_format: 'flac' }, 'sound-');
    const mixed = await join(files['video and sound'], {}, 'mixed-');
    expect(toSound.outputs[0]?.format).toBe('flac');
    expect(mixed.outputs[0]?.format).toBe('m4a');
    expect(ffprobe(mixed.path).streams.map((one) => one.codec_type)).toEqual(['audio']);
  });

  it('says beforehand what becomes of the picture', async () => {
    const video = makeNumbered(at('plan.mp4'), { count: 25, codec: x264 });
    const facts = { file_ids: [await probe(video), await probe(video)] };
    expect(joinAudio.plan(facts, joinAudio.parseOptions({})).notes[0]).toMatch(/has the format of the first/u);
    expect(joinAudio.plan(facts, joinAudio.parseOptions({ crossfade_ms: 500 })).notes[0]).toMatch(
      /middle of an overlap/u,
    );
    expect(joinAudio.plan(facts, joinAudio.parseOptions({ output_format: 'mp3' })).notes[0]).toMatch(/dropped/u);
  });
});
