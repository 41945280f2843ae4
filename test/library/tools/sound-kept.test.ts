// @module-tag slower
// What becomes of a file's sound streams: kept without loss where the container can, in place, or said.
import { describe, expect, it } from 'vitest';
import { probe } from '../../../src/library/media/read/probe.ts';
import { adjustLoudness } from '../../../src/library/tools/adjust_loudness/tool.ts';
import { convertAudio } from '../../../src/library/tools/convert_audio/tool.ts';
import { cutAudio } from '../../../src/library/tools/cut_audio/tool.ts';
import { joinAudio } from '../../../src/library/tools/join_audio/tool.ts';
import { replaceAudio } from '../../../src/library/tools/replace_audio/tool.ts';
import { decodeByFfmpeg, ffmpeg, needFfmpeg, readAll, scratch } from '../../fixtures/media/media.ts';
import { quantised, writeWav } from '../../fixtures/media/pcm-files.ts';
import { runTool, type ToolRun } from '../../fixtures/media/run-context.ts';
import { difference, lagOf, make, noise, voice } from '../../fixtures/media/signals.ts';
import { makeVideo } from '../../fixtures/media/videos.ts';

const at = scratch();
const rate = 48_000;
const codes = ({ warnings }: ToolRun): string[] => warnings.map(({ code }) => code);

it('a second sound stream of a sound file is not lost in silence', async (context) => {
  needFfmpeg(context);
  const wav = writeWav(at('one.wav'), [voice(rate, rate, 1)], rate);
  for (const extension of ['mka', 'm4a']) {
    const path = at(`two.${extension}`);
    ffmpeg('-i', wav, '-i', wav, '-map', '0:a', '-map', '1:a', '-c:a', 'aac', path);
    expect(codes(await runTool(convertAudio, path, { format: 'mp3' }, at('two-')))).toContain('other_sound_dropped');
    const cut = await runTool(cutAudio, path, { ranges: [[0.2, 0.4]] }, at('two-'));
    expect(codes(cut).filter((code) => code === 'other_sound_dropped')).toHaveLength(1);
  }
  expect(codes(await runTool(convertAudio, wav, { format: 'mp3' }, at('one-')))).toEqual([]);
});

describe('lossless sound of a video stays lossless', () => {
  const cases: [extension: string, codec: string, written: string, kind: 's16' | 's24'][] = [
    ['mkv', 'flac', 'flac', 's16'],
    ['mkv', 'pcm_s16le', 'pcm_s16le', 's16'],
    ['mkv', 'pcm_s24le', 'pcm_s24le', 's24'],
    ['mkv', 'alac', 'flac', 's16'],
    ['mov', 'pcm_s16le', 'pcm_s16le', 's16'],
    ['mov', 'pcm_s24le', 'pcm_s24le', 's24'],
    ['mov', 'alac', 'alac', 's16'],
    ['mp4', 'flac', 'flac', 's16'],
    ['mp4', 'alac', 'alac', 's16'],
    ['avi', 'pcm_s16le', 'pcm_s16le', 's16'],
  ];
  it.for(cases)('%s with %s: %s', async ([extension, codec, written, kind], context) => {
    needFfmpeg(context);
    const planes = [noise(2 * rate, 1, 0.8), noise(2 * rate, 2, 0.8)].map((plane) =>
      plane.map((x) => quantised(x, kind)),
    );
    const path = at(`lossless-${codec}.${extension}`);
    makeVideo(path, planes, rate, { output: ['-c:a', codec, '-strict', '-2'] });
    const exact = readAll(path).planes;
    const run = await runTool(cutAudio, path, { ranges: [[1, 2]], crossfade_ms: 0 }, at('kept-'));
    const sound = readAll(run.path);
    expect(sound.facts.audio?.codec).toBe(written);
    expect(codes(run).filter((code) => code !== 'picture_reencoded')).toEqual([]);
    expect(sound.planes[0]!.length).toBe(rate);
    for (const [c, plane] of sound.planes.entries()) expect(difference(plane, exact[c]!.slice(0, rate))).toBe(0);
    expect(decodeByFfmpeg(run.path).planes[0]!.length).toBe(rate);
    if (codec !== 'flac' || extension !== 'mkv') return;
    const loud = await runTool(adjustLoudness, path, {}, at('loud-'));
    expect((await probe(loud.path)).audio?.codec).toBe('flac');
    const joined = await runTool(joinAudio, { file_ids: [path, path] }, {}, at('joined-'));
    expect((await probe(joined.path)).audio?.codec).toBe('flac');
  });

  it('where the container cannot, it is said', async (context) => {
    needFfmpeg(context);
    const path = at('lossy.wmv');
    makeVideo(path, [voice(2 * rate, rate, 1)], rate, { output: ['-c:a', 'pcm_s16le'] });
    expect(codes(await runTool(cutAudio, path, { ranges: [[1, 2]] }, at('said-')))).toContain('lossy_sound');
  });
});

describe('lossy sound of a video keeps its codec', () => {
  const cases: [extension: string, codec: string, encoder: string][] = [
    ['mkv', 'ac3', 'ac3'],
    ['mkv', 'eac3', 'eac3'],
    ['mkv', 'mp2', 'mp2'],
    ['mkv', 'mp3', 'libmp3lame'],
    ['mkv', 'opus', 'libopus'],
    ['mkv', 'vorbis', 'libvorbis'],
    ['webm', 'vorbis', 'libvorbis'],
    ['mp4', 'ac3', 'ac3'],
    ['mp4', 'eac3', 'eac3'],
    ['mp4', 'mp3', 'libmp3lame'],
    ['mp4', 'opus', 'libopus'],
    ['mov', 'ac3', 'ac3'],
    ['mov', 'eac3', 'eac3'],
    ['mov', 'mp3', 'libmp3lame'],
    ['ts', 'ac3', 'ac3'],
    ['ts', 'eac3', 'eac3'],
    ['ts', 'mp2', 'mp2'],
    ['ts', 'mp3', 'libmp3lame'],
    ['flv', 'mp3', 'libmp3lame'],
  ];
  it.for(cases)('%s with %s, in place', async ([extension, codec, encoder], context) => {
    needFfmpeg(context);
    const sampleRate = extension === 'flv' ? 44_100 : rate;
    const plane = voice(3 * sampleRate, sampleRate, 1);
    const path = at(`lossy-${codec}.${extension}`);
    const picture = extension === 'webm' ? ['-c:v', 'libvpx', '-deadline', 'realtime'] : [];
    makeVideo(path, [plane, plane], sampleRate, { output: [...picture, '-c:a', encoder, '-strict', '-2'] });
    const before = readAll(path);
    const run = await runTool(adjustLoudness, path, { target: 'podcast' }, at('louder-'));
    const after = readAll(run.path);
    expect(after.facts.audio?.codec).toBe(codec);
    expect(codes(run)).not.toContain('sound_codec_changed');
    // TS and FLV state no delay of an encoder, but a start: bench/containers has sound against picture.
    if (extension === 'ts' || extension === 'flv') return;
    const part = (from: Float32Array): Float32Array => make(2 * rate, (i) => from[i + rate / 2]!);
    expect(Math.abs(lagOf(part(before.planes[0]!), part(after.planes[0]!)))).toBeLessThanOrEqual(1);
    // Here ffmpeg gives the delay out, too, with times before the start.
    if (extension === 'mkv') return;
    const [one, other] = [decodeByFfmpeg(path), decodeByFfmpeg(run.path)].map(({ planes }) => part(planes[0]!));
    expect(Math.abs(lagOf(one!, other!))).toBeLessThanOrEqual(2);
  });

  it.for(['mp4', 'mov'])(
    'layer II in %s, which FFmpeg takes for MP3, is told and becomes another codec, said',
    async (extension, context) => {
      needFfmpeg(context);
      const plane = voice(2 * rate, rate, 1);
      for (const flags of [[], ['-movflags', 'faststart']]) {
        const path = at(`two.${extension}`);
        makeVideo(path, [plane, plane], rate, { output: ['-c:a', 'mp2', ...flags] });
        const facts = await probe(path);
        expect(facts.audio?.codec).toBe('mp2');
        expect(facts.streams.find(({ type }) => type === 'audio')?.codec).toBe('mp2');
        const run = await runTool(adjustLoudness, path, { target: 'podcast' }, at('two-'));
        expect(codes(run)).toContain('sound_codec_changed');
        expect((await probe(run.path)).audio?.codec).toBe('aac');
      }
    },
  );

  it('six channels of AC-3 stay six', async (context) => {
    needFfmpeg(context);
    const path = at('six.mkv');
    makeVideo(
      path,
      Array.from({ length: 6 }, (_, n) => noise(rate, n, 0.1)),
      rate,
      { output: ['-c:a', 'ac3'] },
    );
    const run = await runTool(cutAudio, path, { ranges: [[0.2, 0.4]] }, at('six-'));
    expect((await probe(run.path)).audio).toMatchObject({ codec: 'ac3', channels: 6, layout: '5.1(side)' });
    expect(codes(run).filter((code) => code !== 'picture_reencoded')).toEqual([]);
  });

  it('where such a file is not written with it, it is said', async (context) => {
    needFfmpeg(context);
    const path = at('changed.avi');
    makeVideo(path, [voice(2 * rate, rate, 1)], rate, { output: ['-c:a', 'ac3'] });
    const run = await runTool(cutAudio, path, { ranges: [[1, 1.5]] }, at('changed-'));
    expect((await probe(run.path)).audio?.codec).toBe('mp3');
    expect(run.warnings).toContainEqual({
      code: 'sound_codec_changed',
      message: 'The sound was ac3, which is not written in avi; the output has mp3',
    });
  });
});

it('AVI with MP3 stays in place from one edit to the next', async (context) => {
  needFfmpeg(context);
  const plane = voice(4 * rate, rate, 1);
  const first = makeVideo(at('passes.avi'), [plane], rate);
  const before = readAll(first).planes[0]!;
  let path = first;
  for (const end of [3.8, 3.6, 3.4])
    ({ path } = await runTool(cutAudio, path, { ranges: [[end - 0.1, end]], crossfade_ms: 0 }, at('pass-')));
  const after = readAll(path);
  expect(after.facts.audio?.codec).toBe('mp3');
  const part = (from: Float32Array): Float32Array => make(2 * rate, (i) => from[i + rate / 2]!);
  expect(Math.abs(lagOf(part(before), part(after.planes[0]!)))).toBeLessThanOrEqual(1);
});

it('a live Matroska recording, which does not say how long it is, gets new sound', async (context) => {
  needFfmpeg(context);
  const whole = makeVideo(at('whole.mkv'), [voice(3 * rate, rate, 1)], rate);
  const live = at('live.mkv');
  ffmpeg('-i', whole, '-c', 'copy', '-f', 'matroska', '-live', '1', live);
  expect((await probe(live)).durationSeconds).toBeNull();
  const sound = writeWav(at('new.wav'), [voice(5 * rate, rate, 2)], rate);
  const run = await runTool(replaceAudio, { video_file_id: [live], audio_file_id: [sound] }, {}, at('swapped-'));
  expect(Math.abs((run.outputs[0]?.durationSeconds ?? 0) - 3)).toBeLessThan(0.05);
  expect(Math.abs(readAll(run.path).frames / rate - 3)).toBeLessThan(0.05);
});
