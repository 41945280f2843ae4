// Tools on a recording whose channels are the opposite of each other.
import { expect, it } from 'vitest';
import { openAudioStream } from '../../../src/library/media/read/decode-stream.ts';
import { extractSpeech } from '../../../src/library/speech/speech-sound.ts';
import { analyzeAudio } from '../../../src/library/tools/analyze_audio/tool.ts';
import { convertAudio } from '../../../src/library/tools/convert_audio/tool.ts';
import { readAll, scratch } from '../../fixtures/media/media.ts';
import { wavBytes, writeWav } from '../../fixtures/media/pcm-files.ts';
import { runTool } from '../../fixtures/media/run-context.ts';
import { rms, toDb, voice } from '../../fixtures/media/signals.ts';
import { probe } from '../../../src/library/media/read/probe.ts';

const at = scratch();
const rate = 16_000;
const sound = voice(4 * rate, rate, 3);
const planes = [sound, sound.map((sample) => -0.9 * sample)];
const codes = (warnings: readonly { readonly code: string }[]): string[] => warnings.map(({ code }) => code);
const levelDb = (plane: Float32Array | undefined): number => toDb(rms(plane ?? new Float32Array(1)) / rms(sound));

it('mono is as loud as a channel, with a warning', async () => {
  const { path, warnings } = await runTool(
    convertAudio,
    writeWav(at('opposite.wav'), planes, rate),
    { format: 'wav', channels: 'mono' },
    at('mono-'),
  );
  expect(Math.abs(levelDb(readAll(path).planes[0]))).toBeLessThan(1);
  expect(codes(warnings)).toEqual(['opposite_channels']);
});

it('fix_phase keeps both channels, which are the same way round then', async () => {
  const input = writeWav(at('opposite.wav'), planes, rate);
  const { path, warnings } = await runTool(convertAudio, input, { format: 'wav', fix_phase: true }, at('fixed-'));
  const fixed = readAll(path).planes as [Float32Array, Float32Array];
  expect(Math.abs(levelDb(fixed[0].map((sample, n) => (sample + (fixed[1][n] as number)) / 2)))).toBeLessThan(1);
  expect(codes(warnings)).toEqual(['opposite_channels']);
  expect(codes((await runTool(convertAudio, path, { format: 'wav', fix_phase: true }, at('again-'))).warnings)).toEqual(
    [],
  );
});

it('media info suggests it, and says by how much the mix is softer', async () => {
  const { result } = await runTool(analyzeAudio, writeWav(at('opposite.wav'), planes, rate), {}, at('info-'));
  const [first] = result['suggestions'] as { reason: string; tool: string; measured: number; unit: string }[];
  expect(first).toMatchObject({ tool: 'convert_audio', reason: 'opposite_channels', measured: 26, unit: 'dB' });
});

it('speech is heard, in a file and in a stream', async () => {
  const warnings: { code: string }[] = [];
  const speech = await extractSpeech(probe(writeWav(at('opposite.wav'), planes, rate)), at('.'), {
    signal: new AbortController().signal,
    onProgress: () => undefined,
    warn: (warning) => warnings.push(warning),
  });
  expect(Math.abs(levelDb(speech.read(0, speech.frames)))).toBeLessThan(1);
  speech.close();
  expect(codes(warnings)).toEqual(['opposite_channels']);

  async function* pieces(): AsyncGenerator<Buffer> {
    yield wavBytes(planes, rate);
  }
  const stream = await openAudioStream(pieces(), rate);
  const heard: number[] = [];
  for (let piece = await stream.next(); piece; piece = await stream.next()) heard.push(...piece);
  stream.close();
  expect(heard).toHaveLength(sound.length);
  expect(Math.abs(levelDb(Float32Array.from(heard)))).toBeLessThan(1);
});
