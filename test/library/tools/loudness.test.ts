// adjust_loudness: every output is measured again by ffmpeg's ebur128 and by our own meter.
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkAcx } from '../../../src/library/dsp/loudness/acx.ts';
import { meterLevels } from '../../../src/library/dsp/loudness/level-meter.ts';
import { meterLoudness } from '../../../src/library/dsp/loudness/loudness-meter.ts';
import { openAudio } from '../../../src/library/media/read/decode.ts';
import { compose } from '../../../src/library/pcm/compose.ts';
import { warnOfPeak } from '../../../src/library/edit/at-loudness.ts';
import { adjustLoudness } from '../../../src/library/tools/adjust_loudness/tool.ts';
import {
  decodeByFfmpeg,
  hasFfmpeg,
  loudnessByFfmpeg,
  needFfmpeg,
  packetHashes,
  readAll,
  scratch,
  thrownBy,
  writeAll,
} from '../../fixtures/media/media.ts';
import { recording } from '../../fixtures/recordings.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { runTool, type ToolRun } from '../../fixtures/media/run-context.ts';
import { difference, fromDb, joined, lagOf, make, noise, tone, voice } from '../../fixtures/media/signals.ts';
import { seeded } from '../../fixtures/random.ts';
import { makeVideo } from '../../fixtures/media/videos.ts';
import { eachOf, slow, slower } from '../../fixtures/rounds.ts';
import { probe } from '../../../src/library/media/read/probe.ts';

const at = scratch();
const rate = 44_100;
const adjust = (path: string, options: object = {}): Promise<ToolRun> =>
  runTool(adjustLoudness, path, options, at('work-'));

function measured(path: string): { lufs: number; truePeak: number; rms: number; peak: number; floor: number } {
  const source = openAudio(probe(path));
  const [loudness, levels] = [meterLoudness(), meterLevels()];
  const pipeline = compose([loudness, levels], source.format);
  for (let block = source.next(); block; block = source.next()) pipeline.process(block, () => undefined);
  pipeline.flush(() => undefined);
  const [a, b] = [loudness.result(), levels.result()];
  pipeline.close();
  source.close();
  return {
    lufs: a.integratedLufs ?? Number.NEGATIVE_INFINITY,
    truePeak: a.truePeakDbtp,
    rms: b.rmsDbfs,
    peak: b.samplePeakDbfs,
    floor: b.noiseFloorDbfs,
  };
}

/** Target and ceiling by both meters. ffmpeg prints tenths: half of one more is rounding. */
function expectLoudness(path: string, lufs: number, ceiling = -1): void {
  const own = measured(path);
  expect(Math.abs(own.lufs - lufs), `${own.lufs} LUFS`).toBeLessThanOrEqual(0.1);
  expect(own.truePeak, 'true peak').toBeLessThanOrEqual(ceiling + 0.05);
  if (!hasFfmpeg) return;
  const other = loudnessByFfmpeg(path);
  expect(Math.abs(other.lufs - lufs), `${other.lufs} LUFS by ffmpeg`).toBeLessThanOrEqual(0.1 + 0.051);
  expect(other.truePeak, 'true peak by ffmpeg').toBeLessThanOrEqual(ceiling + 0.05 + 0.051);
}

const unexpected = (run: ToolRun): string[] =>
  run.warnings.map((one) => one.code).filter((code) => code !== 'bitrate_changed');

describe('targets on real recordings', () => {
  const targets: [object, number][] = [
    [{}, -16],
    [{ target: 'streaming' }, -14],
    [{ target: 'broadcast' }, -23],
    [{ target: 'custom', custom_lufs: -27.5 }, -27.5],
  ];
  it.for(['jfk.wav', 'um.flac', 'noisy_snr0_48k.wav', 'ami-trn05.wav'] as const)('%s', slow, async (name) => {
    const path = recording(name);
    for (const [options, lufs] of targets) {
      const run = await adjust(path, options);
      // Its peaks lie 21 dB over the ceiling at -14 LUFS.
      expect(unexpected(run)).toEqual(name === 'um.flac' && lufs === -14 ? ['deep_limiting'] : []);
      expectLoudness(run.path, lufs);
      expect(run.outputs[0]).toMatchObject({ format: name.split('.')[1], filename: name });
      expect(
        Math.abs(Number((run.result['output'] as Record<string, unknown>)['integratedLufs']) - lufs),
      ).toBeLessThanOrEqual(0.1);
      expect(run.progress.every((x, n) => x >= (run.progress[n - 1] ?? 0) && x <= 1)).toBe(true);
    }
  });

  it('long ones, where the limiter is tried on a part of the sound first', slower, async () => {
    // Louder and louder, so that the part that is kept says something else than the whole.
    const hz = 8000;
    const planes = [voice(6 * hz, hz, 1), noise(6 * hz, 2, 0.05)].flatMap((turn) =>
      Array.from({ length: 88 }, () => turn),
    );
    const sound = joined(...planes).map((sample, frame, { length }) => sample * (0.02 + (0.3 * frame) / length));
    writeWav(at('long.wav'), [sound], hz);
    for (const target of ['podcast', 'streaming'])
      expectLoudness((await adjust(at('long.wav'), { target })).path, target === 'podcast' ? -16 : -14);
  });
});

describe('output formats', () => {
  // Sparse syllables with strong onsets: needs the limiter at -14.
  const speech = voice(6 * rate, rate, 4, 0.2).map(
    (x, i) => x * (0.15 + Math.abs(Math.sin((2 * Math.PI * i) / rate / 1.3)) ** 6) + (i % 30_000 === 15_000 ? 0.5 : 0),
  );
  const source = writeWav(at('speech.wav'), [speech, speech], rate);

  eachOf(['wav', 'mp3', 'm4a', 'flac'])('wav to %s', async (format) => {
    const run = await adjust(source, { target: 'streaming', output_format: format });
    expect(unexpected(run)).toEqual([]);
    expectLoudness(run.path, -14);
    const sound = readAll(run.path);
    expect(sound.facts.format).toBe(format);
    expect(sound.frames).toBe(speech.length);
    expect(lagOf(speech, sound.planes[0]!)).toBe(0);
    expect(run.result['limited']).toBe(true);
  });

  eachOf(['mp3', 'm4a', 'flac', 'ogg', 'opus', 'aiff', 'aac', 'wma'] as const)('%s stays %s', async (format) => {
    const input = writeAll(at(`same.${format}`), [speech, speech], rate, { format, tags: { title: 'Kept' } }).path;
    const run = await adjust(input);
    expect(run.outputs[0]).toMatchObject({ format, filename: `same.${format}` });
    expectLoudness(run.path, -16);
    const [before, after] = [readAll(input), readAll(run.path)];
    expect(Math.abs(after.frames - before.frames)).toBeLessThanOrEqual(format === 'aac' || format === 'wma' ? 4096 : 0);
    if (format !== 'aac' && format !== 'wma') {
      const title = Object.entries(after.facts.tags).find(([key]) => key.toLowerCase() === 'title')?.[1];
      expect(title).toBe(format === 'aiff' ? (before.facts.tags['title'] ?? title) : 'Kept');
    }
  });

  it.for(['mp4', 'mov', 'mkv', 'webm'])('%s stays a video with the same picture', slow, async (extension, context) => {
    needFfmpeg(context);
    const film = makeVideo(at(`film.${extension}`), [speech.slice(0, 5 * rate), speech.slice(0, 5 * rate)], rate);
    const run = await adjust(film);
    expect(run.outputs[0]).toMatchObject({ format: extension, filename: `film.${extension}` });
    expect(packetHashes(run.path, 'v')).toEqual(packetHashes(film, 'v'));
    expectLoudness(run.path, -16);
    const [a, b] = [decodeByFfmpeg(film).planes[0]!, decodeByFfmpeg(run.path).planes[0]!];
    expect(Math.abs(lagOf(a, b, 1500))).toBeLessThanOrEqual(1152);
  });

  it.each([
    ['the last bit of 24', 2 ** -23],
    ['denormals', 1e-40],
  ])('%s is silence, whatever the target', async (_, amplitude) => {
    const planes = [noise(2 * rate, 9, amplitude)];
    const path = writeWav(at(`bits-${amplitude}.wav`), planes, rate, 'f32');
    for (const options of [{}, { target: 'audiobook', output_format: 'wav' }]) {
      const run = await adjust(path, options);
      expect(run.warnings.map(({ code }) => code)).toContain('silent');
      expect(run.result['gainDb']).toBe(0);
    }
  });

  it('one gain: without limiting the output is the input times a constant', async () => {
    const run = await adjust(source, { target: 'custom', custom_lufs: -30, output_format: 'wav' });
    expect(run.result['limited']).toBe(false);
    const gain = fromDb(Number(run.result['gainDb']));
    const [before, after] = [readAll(source).planes[0]!, readAll(run.path).planes[0]!];
    // Dither of 16 bits and the gain's two decimals.
    expect(
      difference(
        after,
        before.map((x) => x * gain),
      ),
    ).toBeLessThan(2.1 / 32_768 + 0.001);
  });
});

describe('a codec that overshoots', () => {
  it.for(['noisy_snr0_48k.wav', 'clean_speech_48k.wav'] as const)(
    'is corrected by what it overshoots: %s to M4A at -14 LUFS',
    slow,
    async (name, context) => {
      needFfmpeg(context);
      const run = await adjust(recording(name), { target: 'streaming', output_format: 'm4a' });
      expect(unexpected(run)).toEqual([]);
      expectLoudness(run.path, -14);
    },
  );
});

describe('sound far under -70 LUFS', () => {
  it.each([
    ['podcast', -16],
    ['streaming', -14],
    ['broadcast', -23],
    ['custom', -20],
    ['audiobook', null],
  ] as const)('is raised for %s, and the result says so', async (target, lufs) => {
    const path = writeWav(at('weak.wav'), [noise(3 * rate, 4, fromDb(-85))], rate, 'f32');
    const run = await adjust(path, { target, ...(target === 'custom' ? { custom_lufs: -20 } : {}) });
    expect(run.warnings.map((one) => one.code)).toContain('very_weak');
    expect(Number(run.result['gainDb'])).toBeGreaterThan(50);
    if (lufs === null) expect(Math.abs(measured(run.path).rms + 20.5)).toBeLessThan(0.2);
    else expectLoudness(run.path, lufs);
  });
});

describe('asked for louder', () => {
  it.for(['m4a', 'mp3', 'opus', 'ogg'] as const)(
    '%s never gets softer, and is told what would',
    slow,
    async (format) => {
      const facts = readAll(recording('clean_speech_48k.wav'));
      const source = writeAll(at(`louder.${format}`), [facts.planes[0]!.slice(0, 6 * 48_000)], 48_000, { format }).path;
      let last = -70;
      for (const custom_lufs of [-16, -13, -11, -9]) {
        const { path, warnings } = await adjust(source, { target: 'custom', custom_lufs });
        const { lufs, truePeak } = measured(path);
        expect(lufs, `${custom_lufs}`).toBeGreaterThanOrEqual(last - 0.15);
        expect(truePeak <= -0.95 || warnings.some(({ code }) => code === 'peak_over_ceiling')).toBe(true);
        if (hasFfmpeg) expect(Math.abs(loudnessByFfmpeg(path).lufs - lufs)).toBeLessThanOrEqual(0.15);
        const said =
          warnings.find(({ code }) => code === 'target_not_reached' || code === 'deep_limiting')?.message ?? '';
        if (lufs < custom_lufs - 0.1) expect(said).toMatch(/WAV or FLAC reach it|no format comes nearer than -\d/);
        if (custom_lufs >= -11) expect(said).not.toBe('');
        last = Math.max(last, lufs);
      }
      // Softer by the overshoot of one peak before: -12.0 to -15.6.
      expect(last).toBeGreaterThan(-11.5);
    },
  );
});

describe('what cannot be done is said', () => {
  it('-5 LUFS of sparse clicks: not reached, under the ceiling', async () => {
    const clicks = make(8 * rate, (i) =>
      i % 22_050 < 60 ? 0.8 * Math.sin(i / 3) * Math.sin((Math.PI * (i % 22_050)) / 60) ** 2 : 0,
    );
    const run = await adjust(writeWav(at('clicks.wav'), [clicks], rate), { target: 'custom', custom_lufs: -5 });
    expect(run.warnings.map((one) => one.code)).toContain('target_not_reached');
    expect(measured(run.path).truePeak).toBeLessThanOrEqual(-0.95);
    if (hasFfmpeg) expect(loudnessByFfmpeg(run.path).truePeak).toBeLessThanOrEqual(-0.9);
    expect(measured(run.path).lufs).toBeGreaterThan(measured(at('clicks.wav')).lufs);
  });

  it.each([
    ['silence', 'silent', new Float32Array(2 * rate)],
    ['a tenth of a second', 'too_short', tone(rate / 10, rate, 440, -20)],
    ['three tenths of a second', 'too_short', tone(0.3 * rate, rate, 440, -20)],
  ] as const)('%s passes unchanged', async (_what, code, plane) => {
    const path = writeWav(at('silent.wav'), [plane], rate);
    const run = await adjust(path);
    expect(run.warnings.map((one) => one.code)).toEqual([code]);
    expect(difference(readAll(run.path).planes[0]!, readAll(path).planes[0]!)).toBe(0);
  });

  it('an error leaves no output behind the back of the caller', async () => {
    expect((await thrownBy(() => adjust(at('missing.wav')))).code).toBe('not_found');
    await expect(
      runTool(
        adjustLoudness,
        writeWav(at('x.wav'), [tone(rate, rate, 440)], rate),
        {},
        at('work-'),
        AbortSignal.abort(),
      ),
    ).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('audiobook', () => {
  it('meets ACX where the noise floor allows', async () => {
    // Speech with room tone at -75 dB between, 12 dB too soft and peaky.
    const [speech, room] = [voice(15 * rate, rate, 9, 0.12), noise(15 * rate, 10, fromDb(-78) * Math.sqrt(3))];
    const plane = make(15 * rate, (i) => room[i]! + ((i / rate) % 3 < 2.2 ? speech[i]! : 0));
    for (const format of ['wav', 'mp3']) {
      const run = await adjust(writeWav(at('book.wav'), [plane], rate, 's24'), {
        target: 'audiobook',
        output_format: format,
      });
      const { rms, peak, floor } = measured(run.path);
      expect(checkAcx({ rmsDbfs: rms, peakDbfs: peak, noiseFloorDbfs: floor }).passes, `${rms} ${peak} ${floor}`).toBe(
        true,
      );
      expect((run.result['acx'] as { passes: boolean }).passes).toBe(true);
      expect(run.warnings).toEqual([]);
    }
  });

  it('a noisy room is named', async () => {
    const run = await adjust(recording('ami-trn05.wav'), { target: 'audiobook' });
    const { rms, peak, floor } = measured(run.path);
    expect(rms).toBeGreaterThan(-23);
    expect(rms).toBeLessThan(-18);
    expect(peak).toBeLessThanOrEqual(-3);
    expect(run.warnings.map((one) => one.code)).toEqual(floor > -60 ? ['noise_floor'] : []);
  });
});

it('the output lies in the work folder', async () => {
  const run = await adjust(writeWav(at('y.wav'), [tone(rate * 2, rate, 440, -20)], rate));
  expect(existsSync(run.path)).toBe(true);
  expect(run.path.startsWith(at('work-'))).toBe(true);
  expect(run.processedSeconds).toBe(2);
});

describe('channels that the format does not carry', () => {
  // Peaks of the channels add up, or do not, only in the mix.
  const surround = (): string => {
    const planes = Array.from({ length: 6 }, (_, channel) =>
      // A knock each second, in one channel after the other.
      voice(12 * 48_000, 48_000, 5 + channel, 0.01).map((x, frame) => {
        const knock = Math.floor(frame / 48_000) % 6 === channel ? Math.exp(-(frame % 48_000) / 500) : 0;
        return x + 0.06 * knock * Math.sin(frame * 0.05);
      }),
    );
    const path = at('surround.flac');
    writeAll(path, planes, 48_000, { format: 'flac' });
    return path;
  };

  it('are mixed down first: the mix reaches the level, and its peaks the ceiling', slow, async () => {
    const path = surround();
    for (const [format, target] of [
      ['mp3', -10],
      ['mp3', -14],
    ] as const) {
      const {
        path: out,
        result,
        warnings,
      } = await adjust(path, { target: 'custom', custom_lufs: target, output_format: format });
      expect(warnings.map(({ code }) => code)).toEqual(['channels_reduced']);
      expect(Math.abs(measured(out).lufs - target)).toBeLessThan(0.2);
      expect(measured(out).truePeak).toBeLessThanOrEqual(-0.95);
      expect(result['limited']).toBe(true);
    }
  });
});

it('sound that is partly below the gate of the measure reaches target and ceiling', slow, async () => {
  const random = seeded(3);
  // Every other 1.5 s are 6 dB softer: below -70 LUFS before the gain, and above after it.
  const plane = Float32Array.from({ length: 20 * 48_000 }, (_, i) => {
    const softer = Math.floor(i / 72_000) % 2 === 0 ? 0.5 : 1;
    return softer * 0.0006 * (random() + random() + random() + random() - 2);
  });
  const path = writeWav(at('gated.wav'), [plane], 48_000, 's16');
  expect(measured(path).lufs).toBeLessThan(-65);
  for (const custom_lufs of [-16, -12, -11]) {
    const run = await adjust(path, { target: 'custom', custom_lufs });
    expectLoudness(run.path, custom_lufs);
    expect(run.warnings.map(({ code }) => code)).toEqual([]);
  }
});

it("players' gains of the sound as it was are dropped with a new level, and kept without", async () => {
  const gains = { REPLAYGAIN_TRACK_GAIN: '-7.10 dB', replaygain_album_peak: '0.98', R128_TRACK_GAIN: '-512' };
  const plane = voice(4 * rate, rate, 3, 0.05);
  for (const format of ['flac', 'opus', 'mp3'] as const) {
    const path = at(`gains.${format}`);
    writeAll(path, [plane], rate, { format, tags: { title: 'Kept', ...gains } });
    const { tags: own } = probe(path);
    expect(Object.keys(own).filter((key) => /replaygain|r128/iu.test(key)).length, format).toBe(3);
    const { path: out } = await adjust(path);
    const { tags } = probe(out);
    expect(
      Object.keys(tags).filter((key) => /replaygain|r128/iu.test(key)),
      format,
    ).toEqual([]);
    expect(Object.entries(tags).find(([key]) => key.toLowerCase() === 'title')?.[1], format).toBe('Kept');
  }
});

it('a constant offset takes no room from the peaks: it is removed, and the ceiling holds', slow, async () => {
  const plane = voice(8 * rate, rate, 3, 0.1);
  const shifted = writeWav(at('offset.wav'), [plane.map((x) => x + 0.2)], rate, 'f32');
  const centred = writeWav(at('centred.wav'), [plane], rate, 'f32');
  for (const output_format of ['wav', 'm4a']) {
    const run = await adjust(shifted, { output_format });
    const plain = await adjust(centred, { output_format });
    expectLoudness(run.path, -16);
    expect(run.warnings.map(({ code }) => code)).toEqual(['offset_removed']);
    expect(plain.warnings).toEqual([]);
    const out = readAll(run.path).planes[0] as Float32Array;
    expect(Math.abs(out.reduce((sum, x) => sum + x, 0) / out.length)).toBeLessThan(0.001);
    // No step at the beginning, and the same gain as without the offset.
    const other = readAll(plain.path).planes[0] as Float32Array;
    expect(difference(out.slice(0, 2000), other.slice(0, 2000))).toBeLessThan(output_format === 'wav' ? 0.03 : 0.1);
    expect(Math.abs((run.result['gainDb'] as number) - (plain.result['gainDb'] as number))).toBeLessThan(0.3);
  }
});

it('a peak over the ceiling: another format helps after an encoder with losses only', () => {
  const said: string[] = [];
  const warn = ({ message }: { message: string }): void => void said.push(message);
  for (const lossless of [true, false]) warnOfPeak(warn, -0.5, -1, lossless);
  warnOfPeak(warn, -0.96, -1, true);
  expect(said).toEqual([
    'The output has a true peak of -0.5 dBTP, above the limit of -1; choose a lower target',
    'The encoder raised the true peak to -0.5 dBTP, above the limit of -1; write WAV or FLAC, or choose a higher bit ' +
      'rate',
  ]);
});
