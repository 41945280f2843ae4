// analyze_audio on signals whose answers are known, and on recordings against ffmpeg.
import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { clippedTo } from '../../../bench/quality/repair-cases.ts';
import type { AnalyzeAudioResult, Suggestion } from '../../../src/library/tools/analyze_audio/result.ts';
import { analyzeAudio } from '../../../src/library/tools/analyze_audio/tool.ts';
import { loudnessByFfmpeg, needFfmpeg, readAll, scratch, thrownBy, writeAll } from '../../fixtures/media/media.ts';
import { recording } from '../../fixtures/recordings.ts';
import { type WavKind, writeWav } from '../../fixtures/media/pcm-files.ts';
import { runTool } from '../../fixtures/media/run-context.ts';
import { bandLimitedNoise, fromDb, make, noise, tone } from '../../fixtures/media/signals.ts';
import { makeVideo } from '../../fixtures/media/videos.ts';
import { slow } from '../../fixtures/rounds.ts';

const at = scratch();
const rate = 48_000;

interface Report {
  format: string;
  durationSeconds: number;
  sizeBytes: number;
  audio: { codec: string; channels: number; sampleRate: number };
  video: { width: number } | null;
  loudness: {
    integratedLufs: number | null;
    loudnessRangeLu: number | null;
    maxMomentaryLufs: number | null;
    maxShortTermLufs: number | null;
    truePeakDbtp: number | null;
  };
  levels: {
    samplePeakDbfs: number | null;
    rmsDbfs: number | null;
    crestFactorDb: number | null;
    noiseFloorDbfs: number | null;
    clippedSamples: number;
    dcOffset: number[];
    bandwidthHz: number | null;
    stereoCorrelation: number | null;
    channels: { rmsDbfs: number | null; samplePeakDbfs: number | null }[];
  };
  silences: {
    count: number;
    totalSeconds: number;
    listed: number;
    stretches: { startSeconds: number; endSeconds: number }[];
  };
  acx: {
    passes: boolean;
    rms: { passes: boolean; valueDbfs: number | null };
    peak: { passes: boolean };
    noiseFloor: { passes: boolean };
  };
}

async function analyse(planes: readonly Float32Array[], kind: WavKind = 'f32', options: object = {}): Promise<Report> {
  return analysePath(writeWav(at('in.wav'), planes, rate, kind), options);
}
async function analysePath(path: string, options: object = {}): Promise<Report> {
  const { result, outputs, progress, warnings } = await runTool(analyzeAudio, path, options, at('work-'));
  expect(outputs).toEqual([]);
  expect(warnings).toEqual([]);
  expect(progress.at(-1)).toBeCloseTo(1, 2);
  // It is what a client gets: plain JSON.
  expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  return result as unknown as Report;
}

describe('known answers', () => {
  it.each([1, 70, 1000])('a sine at %i Hz, a rate that only damaged files name', async (lowest) => {
    const path = writeWav(at('low.wav'), [tone(3 * lowest, lowest, lowest / 10, -20)], lowest, 'f32');
    expect(await analysePath(path)).toMatchObject({ durationSeconds: 3, audio: { sampleRate: lowest } });
  });

  it('a sine of -20 dBFS', async () => {
    const sine = tone(10 * rate, rate, 997, -20);
    const report = await analyse([sine, sine]);
    expect(report).toMatchObject({
      format: 'wav',
      durationSeconds: 10,
      video: null,
      audio: { codec: 'pcm_f32le', channels: 2, sampleRate: rate },
    });
    // Full-scale sine in both channels is -0.0 LUFS + 0.7 K-weighting at 997 Hz - 0.69 (BS.1770): level + 0 for two
    // channels.
    expect(report.loudness.integratedLufs).toBeCloseTo(-20, 1);
    expect(report.loudness.maxMomentaryLufs).toBeCloseTo(-20, 1);
    expect(report.loudness.truePeakDbtp).toBeCloseTo(-20, 1);
    expect(report.levels.samplePeakDbfs).toBeCloseTo(-20, 1);
    expect(report.levels.rmsDbfs).toBeCloseTo(-23.01, 2);
    expect(report.levels.crestFactorDb).toBeCloseTo(3.01, 1);
    expect(report.levels.channels).toEqual([
      { rmsDbfs: -23.01, samplePeakDbfs: expect.closeTo(-20, 1) as number },
      { rmsDbfs: -23.01, samplePeakDbfs: expect.closeTo(-20, 1) as number },
    ]);
    expect(report.levels.stereoCorrelation).toBe(1);
    expect(report.levels.clippedSamples).toBe(0);
    expect(report.silences.count).toBe(0);
    // Main lobe and smoothing of a 4096-point transform: twelve bins.
    expect(Math.abs((report.levels.bandwidthHz ?? 0) - 997)).toBeLessThan((12 * rate) / 4096);
  });

  it('offset, correlation and channel levels', async () => {
    const a = noise(5 * rate, 1, 0.1);
    const b = noise(5 * rate, 2, 0.1);
    const correlation = async (left: Float32Array, right: Float32Array): Promise<number | null> =>
      (await analyse([left, right])).levels.stereoCorrelation;
    expect(
      await correlation(
        a,
        a.map((x) => -0.5 * x),
      ),
    ).toBe(-1);
    expect(Math.abs((await correlation(a, b)) ?? 1)).toBeLessThan(0.01);
    const report = await analyse([a.map((x) => x + 0.05), a.map((x) => x / 2 - 0.02)]);
    expect(report.levels.dcOffset[0]).toBeCloseTo(0.05, 3);
    expect(report.levels.dcOffset[1]).toBeCloseTo(-0.02, 3);
    expect(report.levels.stereoCorrelation).toBeCloseTo(1, 3);
    expect((await analyse([a])).levels.stereoCorrelation).toBeNull();
  });

  it('clipped samples are counted', async () => {
    const clipped = make(2 * rate, (i) => (i < 480 ? 1 : i < 490 ? -1 : 0.3 * Math.sin(i / 20)));
    expect((await analyse([clipped, clipped], 's16')).levels.clippedSamples).toBe(980);
    expect((await analyse([clipped], 'f32')).levels.clippedSamples).toBe(490);
  });

  it('silences at known times, within 30 ms', async () => {
    const pauses = [
      [2, 3],
      [4.5, 5.2],
      [7.123, 9.456],
    ] as const;
    const hiss = noise(12 * rate, 3, fromDb(-66));
    const speech = noise(12 * rate, 4, 0.3);
    const silent = (t: number): boolean => pauses.some(([from, to]) => t >= from && t < to) || (t >= 10 && t < 10.3);
    const report = await analyse([make(12 * rate, (i) => hiss[i]! + (silent(i / rate) ? 0 : speech[i]!))]);
    expect(report.silences.count).toBe(3);
    for (const [n, [from, to]] of pauses.entries()) {
      expect(Math.abs(report.silences.stretches[n]!.startSeconds - from)).toBeLessThanOrEqual(0.03);
      expect(Math.abs(report.silences.stretches[n]!.endSeconds - to)).toBeLessThanOrEqual(0.03);
    }
    expect(Math.abs(report.silences.totalSeconds - (1 + 0.7 + 2.333))).toBeLessThan(6 * 0.03);
    // The noise floor is the hiss: uniform noise of peak A has RMS A / sqrt(3).
    expect(Math.abs((report.levels.noiseFloorDbfs ?? 0) - (-66 - 4.77))).toBeLessThan(0.3);
  });

  it('concise lists 50 silences, full lists all', async () => {
    const planes = [make(60 * 16_000, (i) => (Math.floor(i / 8000) % 2 === 0 ? 0.3 * Math.sin(i / 5) : 0))];
    const path = writeWav(at('many.wav'), planes, 8000);
    const [concise, full] = [await analysePath(path), await analysePath(path, { detail: 'full' })];
    expect(concise.silences).toMatchObject({ count: 60, listed: 50 });
    expect(concise.silences.stretches).toHaveLength(50);
    expect(full.silences.stretches).toHaveLength(60);
    expect(full.silences.stretches.slice(0, 50)).toEqual(concise.silences.stretches);
  });

  it.each([4000, 8000, 16_000])('bandwidth of noise up to %i Hz, within 5 %%', async (hz) => {
    const report = await analyse([bandLimitedNoise(6 * rate, rate, hz, 7)]);
    expect(Math.abs((report.levels.bandwidthHz ?? 0) / hz - 1)).toBeLessThan(0.05);
  });

  it('ACX: passes, and fails one requirement at a time', async () => {
    // Two seconds of room tone, then a voice-like noise; RMS -20 over all.
    const programme = (rmsDb: number, roomDb: number, peakDb: number | null): Float32Array[] => {
      const [a, room] = [noise(10 * rate, 5, 1), noise(10 * rate, 6, 1)];
      const scale = fromDb(rmsDb) * Math.sqrt(3) * Math.sqrt(10 / 8);
      return [
        make(10 * rate, (i) =>
          i === 5 * rate && peakDb !== null
            ? fromDb(peakDb)
            : i < 2 * rate
              ? room[i]! * fromDb(roomDb) * Math.sqrt(3)
              : a[i]! * scale,
        ),
      ];
    };
    const verdict = async (
      rms: number,
      room: number,
      peak: number | null,
    ): Promise<[boolean, boolean, boolean, boolean]> => {
      const { acx } = await analyse(programme(rms, room, peak), 's24');
      return [acx.passes, acx.rms.passes, acx.peak.passes, acx.noiseFloor.passes];
    };
    expect(await verdict(-20, -65, -3.2)).toEqual([true, true, true, true]);
    expect(await verdict(-17.5, -65, null)).toEqual([false, false, true, true]);
    expect(await verdict(-23.5, -65, null)).toEqual([false, false, true, true]);
    expect(await verdict(-20, -65, -2.8)).toEqual([false, true, false, true]);
    expect(await verdict(-20, -58, null)).toEqual([false, true, true, false]);
  });

  it('digital silence, and less sound than any window', async () => {
    const report = await analyse([new Float32Array(3 * rate)]);
    expect(report.loudness).toEqual({
      integratedLufs: null,
      loudnessRangeLu: null,
      maxMomentaryLufs: null,
      maxShortTermLufs: null,
      truePeakDbtp: null,
    });
    expect(report.levels).toMatchObject({
      samplePeakDbfs: null,
      rmsDbfs: null,
      noiseFloorDbfs: null,
      clippedSamples: 0,
      bandwidthHz: null,
    });
    expect(report.silences).toMatchObject({ count: 1, stretches: [{ startSeconds: 0, endSeconds: 3 }] });
    const short = await analyse([tone(10, rate, 997, -6)]);
    expect(short.loudness.integratedLufs).toBeNull();
    expect(short.levels.rmsDbfs).not.toBeNull();
    expect(short.silences.count).toBe(0);
  });
});

describe('real recordings against ffmpeg', () => {
  const names = ['jfk.wav', 'sonnet001.mp3', 'um.flac', 'noisy_snr0_48k.wav', 'ami-trn05.wav'] as const;
  it.for(names)('%s', slow, async (name, context) => {
    needFfmpeg(context);
    const path = recording(name);
    const report = await analysePath(path);
    const other = loudnessByFfmpeg(path);
    // ffmpeg prints tenths.
    expect(Math.abs((report.loudness.integratedLufs ?? 0) - other.lufs)).toBeLessThanOrEqual(0.1 + 0.05);
    // A recording of ten seconds has some 70 windows: between two neighbours of them lies up to a quarter of an LU.
    expect(Math.abs((report.loudness.loudnessRangeLu ?? 0) - other.range)).toBeLessThanOrEqual(
      (report.durationSeconds < 15 ? 0.25 : 0.1) + 0.05,
    );
    expect(Math.abs((report.loudness.truePeakDbtp ?? 0) - other.truePeak)).toBeLessThanOrEqual(0.3 + 0.05);
    const astats = spawnSync(
      'ffmpeg',
      [
        '-hide_banner',
        '-nostats',
        '-i',
        path,
        '-af',
        'aformat=sample_fmts=flt,astats=measure_perchannel=DC_offset:measure_overall=RMS_level+Peak_level',
        '-f',
        'null',
        '-',
      ],
      { encoding: 'utf8' },
    ).stderr;
    const read = (key: string): number => Number(new RegExp(`${key}: (-?[\\d.]+)`).exec(astats)?.[1]);
    expect(Math.abs((report.levels.rmsDbfs ?? 0) - read('RMS level dB'))).toBeLessThan(0.02);
    expect(Math.abs((report.levels.samplePeakDbfs ?? 0) - read('Peak level dB'))).toBeLessThan(0.02);
    expect(Math.abs(report.levels.dcOffset[0]! - read('DC offset'))).toBeLessThan(1e-5);
    const seconds = Number(
      execFileSync('ffprobe', ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', path]).toString(),
    );
    expect(Math.abs(report.durationSeconds - seconds)).toBeLessThan(0.06);
  });
});

it('a video is analysed for its sound', async (context) => {
  needFfmpeg(context);
  const sine = tone(3 * rate, rate, 997, -20);
  const report = await analysePath(makeVideo(at('v.mp4'), [sine, sine], rate));
  expect(report.video).toMatchObject({ width: 64 });
  expect(report.loudness.integratedLufs).toBeCloseTo(-20, 0);
});

it('stops at the signal, refuses what is no sound', async () => {
  const long = writeAll(at('long.flac'), [noise(20 * rate, 1, 0.1)], rate, { format: 'flac' }).path;
  await expect(runTool(analyzeAudio, long, {}, at('work-'), AbortSignal.abort())).rejects.toMatchObject({
    name: 'AbortError',
  });
  expect((await thrownBy(() => runTool(analyzeAudio, at('missing.wav'), {}, at('work-')))).code).toBe('not_found');
});

describe('suggestions', () => {
  const suggested = async (planes: readonly Float32Array[]): Promise<readonly Suggestion[]> => {
    const { result } = await runTool(analyzeAudio, writeWav(at('needs.wav'), planes, rate, 's16'), {}, at('work-'));
    return (result as unknown as AnalyzeAudioResult).suggestions;
  };
  const needs = (list: readonly Suggestion[]): string[] => list.map(({ tool, reason }) => `${tool}: ${reason}`);

  it('say which tools a recording needs, by what measure, and what they would change', slow, async () => {
    const speech = (readAll(recording('clean_speech_48k.wav')).planes[0] as Float32Array).slice(0, 8 * rate);
    const { plane } = clippedTo(speech, 8.7);
    const list = await suggested([plane]);
    expect(needs(list)).toContain('enhance_voice: clipping');
    const loudness = list.find(({ reason }) => reason === 'loudness');
    expect(loudness).toMatchObject({ tool: 'adjust_loudness', unit: 'LUFS', forSpeech: false });
    expect(loudness?.change).toBe(
      `Changes the level by +${(-16 - (loudness?.measured ?? 0)).toFixed(1)} dB, to -16 LUFS`,
    );
    const hiss = noise(8 * rate, 3, 0.003);
    expect(needs(await suggested([speech.map((x, i) => x + (hiss[i] as number))]))).toContain('remove_noise: noise');
    const paused = new Float32Array(20 * rate);
    paused.set(speech);
    expect(needs(await suggested([paused]))).toContain('remove_silence: silence');
    expect(needs(await suggested([speech]))).not.toContain('enhance_voice: clipping');
    expect(await suggested([new Float32Array(2 * rate)])).toEqual([]);
  });

  it('are none for a finished voice', async () => {
    const speech = (readAll(recording('clean_speech_48k.wav')).planes[0] as Float32Array).slice(0, 8 * rate);
    const { integratedLufs, truePeakDbtp } = (await analyse([speech])).loudness;
    const gainDb = Math.min(-16 - (integratedLufs ?? 0), -1.2 - (truePeakDbtp ?? 0));
    const finished = await suggested([speech.map((x) => x * fromDb(gainDb))]);
    expect(finished.filter(({ reason }) => reason !== 'loudness')).toEqual([]);
  });
});
