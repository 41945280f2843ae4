// Chains as they run: on an engine that only notes what it is asked for, and on real recordings.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createEngine } from '../../../../src/library/runtime/engine/engine.ts';
import type { Chain } from '../../../../src/library/runtime/chains/chain.ts';
import { notingEngine } from './noting-engine.ts';
import { recipeChain, requireRecipe } from '../../../../src/library/runtime/chains/recipes.ts';
import { runChain } from '../../../../src/library/runtime/chains/run-chain.ts';
import { decodeByFfmpeg, ffmpeg, ffprobe, needFfmpeg } from '../../../fixtures/media/media.ts';
import { writeWav } from '../../../fixtures/media/pcm-files.ts';
import { recording } from '../../../fixtures/recordings.ts';
import { slow } from '../../../fixtures/rounds.ts';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';

const folder = temporaryFolder('earshot-chains-');
const at = (name: string): string => join(folder, name);
const one = writeWav(at('one.wav'), [new Float32Array(4800)], 48_000);
const two = writeWav(at('two.wav'), [new Float32Array(4800)], 48_000);

const episode: Chain = {
  name: 'episode',
  steps: [{ tool: 'remove_noise' }, { tool: 'mix_tracks' }, { tool: 'transcribe' }],
};

it('runs a tool of one file for each, gives a list to one that takes several, names results', async () => {
  const engine = notingEngine(folder);
  const outputDir = at('named');
  const progress: number[] = [];
  const run = await runChain(engine, episode, [one, two], {
    outputDir,
    tempDir: folder,
    onProgress: (told) => progress.push(told.progress),
  });
  expect(engine.calls.map(({ tool }) => tool)).toEqual([
    'remove_noise',
    'remove_noise',
    'mix_tracks',
    'transcribe_audio',
  ]);
  expect(engine.calls[2]?.inputs).toMatchObject({ tracks: [{ name: 'x.wav' }, { name: 'x.wav' }] });
  expect(engine.calls.map(({ control }) => control.form)).toEqual(['working', 'working', 'working', undefined]);
  expect(readdirSync(outputDir).sort()).toEqual(['one.episode.srt', 'one.episode.txt']);
  expect(run.outputs.map(({ step, filename }) => `${step} ${filename}`)).toEqual([
    'transcribe one.episode.srt',
    'transcribe one.episode.txt',
  ]);
  expect(run.steps.map(({ name, results }) => [name, results.length])).toEqual([
    ['remove-noise', 2],
    ['mix', 1],
    ['transcribe', 1],
  ]);
  expect(progress).toEqual(progress.toSorted((a, b) => a - b));
  expect(progress.at(-1)).toBe(1);
  expect(readdirSync(folder).filter((name) => name.startsWith('.earshot'))).toEqual([]);
});

it('draws one of the texts of a transcript into a film, whose texts are results under its name', async () => {
  const film = at('film.mp4');
  writeFileSync(film, 'a film');
  const chain = recipeChain(requireRecipe('subtitles'), 1, { burn: 'shorts' }, 'files');
  const engine = notingEngine(folder);
  const outputDir = at('drawn');
  const run = await runChain(engine, chain, [film], { outputDir, tempDir: folder });
  expect(run.outputs.map(({ step, filename }) => `${step} ${filename}`)).toEqual([
    'film film.subtitles.wav',
    'transcript film.subtitles.srt',
    'transcript film.subtitles.txt',
  ]);
  expect(engine.calls[1]?.inputs).toMatchObject({
    file_id: [{ name: 'film.mp4' }],
    captions_file_id: [{ name: 'film.srt' }],
  });
  const called = engine.calls.length;
  // The sound alone of a film with captions is no film, and a recording has no picture to draw into.
  await expect(runChain(engine, chain, [film], { output: at('film.mp3') })).rejects.toThrow(/^Step film: .* mp3$/);
  await expect(runChain(engine, chain, [one], { outputDir })).rejects.toMatchObject({ code: 'wrong_file_type' });
  expect(engine.calls).toHaveLength(called);
  await runChain(engine, chain, [film], { output: at('named.mp4'), tempDir: folder });
  expect(engine.calls.at(-1)?.control.form).toEqual({ like: film, format: null });
});

it('puts nothing in place and leaves nothing where a step fails, and names the step', async () => {
  const outputDir = at('failed');
  const chain: Chain = { steps: [{ tool: 'loudness', keep: true }, { tool: 'convert' }] };
  await expect(
    runChain(notingEngine(folder, 'convert_audio'), chain, [one], { outputDir, tempDir: folder }),
  ).rejects.toMatchObject({
    code: 'no_audio',
    message: 'Step convert: There is no sound',
    details: { step: 'convert' },
  });
  expect(readdirSync(outputDir)).toEqual([]);
  expect(readdirSync(folder).filter((name) => name.startsWith('.earshot'))).toEqual([]);
});

it('a step takes one of the files, and what is kept on the way is a result without a loss', async () => {
  const engine = notingEngine(folder);
  const chain: Chain = {
    name: 'episode',
    steps: [
      { tool: 'remove-noise', input: ['files.2', 'files.1'], keep: true },
      { tool: 'mix', input: ['remove-noise', 'files.3'] },
    ],
  };
  const outputDir = at('picked');
  const run = await runChain(engine, chain, [one, two, one], { outputDir, tempDir: folder, format: 'mp3' });
  expect(engine.calls.slice(0, 2).map(({ inputs }) => inputs)).toMatchObject([
    { file_id: [{ path: two }] },
    { file_id: [{ path: one }] },
  ]);
  expect(engine.calls.map(({ control }) => control.form)).toEqual(['working', 'working', { like: one, format: 'mp3' }]);
  // A format of the result is not one of what is kept on the way.
  expect(engine.calls.map(({ options }) => (options as { output_format: string }).output_format)).toEqual([
    'wav',
    'wav',
    'mp3',
  ]);
  expect(run.outputs.map(({ step, filename }) => `${step} ${filename}`)).toEqual([
    expect.stringMatching(/^mix one\.episode\./),
    'remove-noise one.episode-remove-noise-1.wav',
    'remove-noise one.episode-remove-noise-2.wav',
  ]);
  await expect(
    runChain(engine, { steps: [{ tool: 'loudness', input: 'files.2' }] }, [one], { outputDir, tempDir: folder }),
  ).rejects.toMatchObject({
    code: 'bad_request',
    message: 'Step loudness: Its input files.2 is not there: the chain has one file',
  });
});

it('refuses before any work what is there already, an input as output, and what a tool cannot take', async () => {
  const engine = notingEngine(folder);
  writeFileSync(at('one.chain.wav'), 'kept');
  const loud: Chain = { steps: [{ tool: 'loudness' }] };
  await expect(runChain(engine, loud, [one])).rejects.toMatchObject({ code: 'conflict' });
  await expect(runChain(engine, loud, [one], { output: one })).rejects.toMatchObject({ code: 'bad_request' });
  await expect(runChain(engine, loud, [one], { output: at('one.txt') })).rejects.toMatchObject({
    code: 'bad_request',
  });
  await expect(runChain(engine, loud, [])).rejects.toMatchObject({ code: 'bad_request' });
  expect(engine.calls).toEqual([]);
  await expect(
    runChain(engine, { name: 'swap', steps: [{ tool: 'swap-audio' }] }, [one], { tempDir: folder }),
  ).rejects.toMatchObject({ message: expect.stringContaining('Step swap-audio: Expected a file for video_file_id') });
  expect(readFileSync(at('one.chain.wav'), 'utf8')).toBe('kept');
  rmSync(at('one.chain.wav'));
});

it('a step may say no other format than the result is to have; a tool that has a format gets it', async () => {
  const engine = notingEngine(folder);
  const flac: Chain = { steps: [{ tool: 'loudness', options: { output_format: 'flac' } }] };
  await expect(runChain(engine, flac, [one], { output: at('said.mp3') })).rejects.toMatchObject({
    code: 'bad_request',
    message: expect.stringContaining('Step loudness: Expected mp3'),
  });
  expect(engine.calls).toEqual([]);
  const convert: Chain = { steps: [{ tool: 'convert' }] };
  await runChain(engine, convert, [one], { output: at('made.flac'), tempDir: folder });
  expect(engine.calls.map(({ options }) => options)).toEqual([expect.objectContaining({ format: 'flac' })]);
});

const engine = createEngine({ tempDir: folder });
afterAll(() => engine.close());

it('is bit for bit what single runs over lossless files give, with one encode at the end', slow, async (context) => {
  needFfmpeg(context);
  const source = recording('jfk.wav');
  const chain: Chain = {
    steps: [
      { tool: 'loudness', options: { target: 'streaming' } },
      { tool: 'remove_silence', options: { min_pause_seconds: 0.4 } },
      { tool: 'loudness', options: { target: 'broadcast' } },
    ],
  };
  const run = await runChain(engine, chain, [source], { output: at('chained.mp3') });
  expect(run.outputs.map(({ path }) => path)).toEqual([at('chained.mp3')]);

  let file = at('float.wav');
  ffmpeg('-i', source, '-c:a', 'pcm_f32le', file);
  for (const [step, { tool, options }] of chain.steps.entries()) {
    const control = step === 2 ? { output: at('single.mp3') } : { output: at(`single-${step}.wav`) };
    const last = step === 2 ? { output_format: 'mp3' } : {};
    file =
      (await engine.run(tool as 'convert', file, { ...options, ...last } as object, control)).outputs[0]?.path ?? '';
  }
  const decoded = decodeByFfmpeg(at('chained.mp3'));
  expect(decoded.planes[0]?.length).toBeGreaterThan(100_000);
  expect(decoded.planes).toEqual(decodeByFfmpeg(at('single.mp3')).planes);
});

it('a video keeps its picture through cuts, its container and its codecs', slow, async (context) => {
  needFfmpeg(context);
  const video = at('talk.mp4');
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=25:d=11', '-i', recording('jfk.wav'), '-shortest'];
  ffmpeg(...picture, '-pix_fmt', 'yuv420p', '-metadata', 'title=Hello', video);
  const chain: Chain = {
    name: 'tidy',
    steps: [
      { tool: 'cut', options: { ranges: [[2, 4]] } },
      { tool: 'loudness', options: { target: 'broadcast' } },
    ],
  };
  const run = await runChain(engine, chain, [video], { tempDir: folder });
  const [output] = run.outputs;
  expect(output?.path).toBe(at('talk.tidy.mp4'));
  expect(output?.hasVideo).toBe(true);
  const { streams, format } = ffprobe(at('talk.tidy.mp4'));
  expect(streams.map(({ codec_name }) => codec_name)).toEqual(['h264', 'aac']);
  expect(Number(format.duration)).toBeCloseTo(9, 0);
  expect(format.tags?.['title']).toBe('Hello');
  expect(existsSync(at('talk.tidy.mov'))).toBe(false);
});
