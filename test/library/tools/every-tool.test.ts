// @module-tag slower
// What holds for every tool that makes files: any rate and channel count, and the same bytes for the same input and
// options.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findTool } from '../../../src/library/tools/registry.ts';
import { readAll, scratch } from '../../fixtures/media/media.ts';
import type { TestInput } from '../../fixtures/media/input-files.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { runTool } from '../../fixtures/media/run-context.ts';
import { maxAbs, voice } from '../../fixtures/media/signals.ts';
import { rounds } from '../../fixtures/rounds.ts';
import { makeAvi } from '../../fixtures/media/videos.ts';

const path = scratch();
const seconds = rounds(1.2, 2);

/** Speech with a pause in its middle, on so many channels. */
function speech(rate: number, channels: number): Float32Array[] {
  return Array.from({ length: channels }, (_, channel) => {
    const plane = voice(seconds * rate, rate, channel + 1);
    for (let frame = Math.round(0.35 * plane.length); frame < 0.75 * plane.length; frame += 1)
      plane[frame] = (plane[frame] as number) * 1e-3;
    return plane;
  });
}

/** One file per shape, made once: 192 kHz with eight channels is a lot of sound. */
const files = new Map<string, string>();
function speechFile(rate: number, channels: number): string {
  const key = `${rate}-${channels}`;
  const known = files.get(key) ?? writeWav(path(`${key}.wav`), speech(rate, channels), rate);
  files.set(key, known);
  return known;
}

const options: Readonly<Record<string, object>> = {
  adjust_loudness: { target: 'broadcast' },
  convert_audio: { format: 'flac' },
  cut_audio: { ranges: [[0.5, 1]] },
  remove_silence: {},
  join_audio: { crossfade_ms: 100 },
  level_speakers: {},
  mix_tracks: { tracks: [{ role: 'voice' }, { role: 'music', volume_db: -6 }], duck: true },
  replace_audio: {},
  remove_noise: { noise_reduction: 60 },
  enhance_voice: {},
};
// Whatever is installed for this user: the engine that every machine has.
process.env['EARSHOT_NOISE_ENGINE'] = 'rnnoise';

const shapes = [
  [8000, 1],
  [44_100, 2],
  [48_000, 6],
  [192_000, 8],
] as const;
const cases = Object.keys(options).flatMap((id) => shapes.map(([rate, channels]) => [id, rate, channels] as const));

describe('every tool', () => {
  it.each(cases)(
    '%s at %i Hz with %i channels: sound comes out, and the same bytes twice',
    async (id, rate, channels) => {
      const tool = findTool(id);
      if (!tool) throw new Error(`no tool ${id}`);
      const source = speechFile(rate, channels);
      // What a job's folder calls a file says nothing of its name.
      const file = { path: source, name: 'Interview: 1.wav' };
      const inputs: Record<string, TestInput[]> =
        id === 'join_audio'
          ? { file_ids: [file, source] }
          : id === 'mix_tracks'
            ? { tracks: [file, source] }
            : id === 'replace_audio'
              ? {
                  video_file_id: [{ ...file, path: await makeAvi(path(`${id}-${rate}.avi`), speech(8000, 1), 8000) }],
                  audio_file_id: [source],
                }
              : { file_id: [file] };
      if (id === 'level_speakers') inputs['track_file_ids'] = [];
      const runs = [
        await runTool(tool, inputs, options[id], path(`${id}-a-`)),
        await runTool(tool, inputs, options[id], path(`${id}-b-`)),
      ];
      const [first, second] = runs.map((run) => readFileSync(run.path));
      expect(first?.equals(second as Buffer)).toBe(true);
      expect(runs[0]?.result).toEqual(runs[1]?.result);
      expect(runs[0]?.outputs[0]?.filename).toMatch(/^Interview: 1\.(wav|flac|avi)$/);
      const sound = readAll(runs[0]?.path ?? '');
      expect(maxAbs(sound.planes[0] as Float32Array)).toBeGreaterThan(0.01);
      // The video of the swap is an AVI, which holds whole MP3 frames and no word about the encoder's delay.
      const tolerance = id === 'replace_audio' ? 0.08 : 0.01;
      expect(
        Math.abs(sound.frames / sound.format.sampleRate - (runs[0]?.outputs[0]?.durationSeconds ?? 0)),
      ).toBeLessThan(tolerance);
      if (id !== 'replace_audio' && id !== 'mix_tracks') expect(sound.format.channels).toBe(channels);
    },
  );
});
