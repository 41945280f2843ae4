// Rules against sound whose values are computed here or read by ffmpeg: tones of known level, silence of known length,
// captions by hand.
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Check, CheckAudioResult } from '../../../src/library/tools/check_audio/result.ts';
import { checkAudio } from '../../../src/library/tools/check_audio/tool.ts';
import { ffmpeg, loudnessByFfmpeg, needFfmpeg, readAll, scratch, thrownBy } from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { runTool } from '../../fixtures/media/run-context.ts';
import { joined, make, tone } from '../../fixtures/media/signals.ts';
import { recording } from '../../fixtures/recordings.ts';

const at = scratch();
const rate = 48_000;
const silence = (seconds: number): Float32Array => new Float32Array(Math.round(seconds * rate));

async function check(path: string, options: object = {}, captions?: string): Promise<CheckAudioResult> {
  const files = { file_id: [path], captions_file_id: captions === undefined ? [] : [captions] };
  const { result, outputs } = await runTool(checkAudio, files, options, at('work-'));
  expect(outputs).toEqual([]);
  return result as unknown as CheckAudioResult;
}
const custom = (...rules: object[]): object => ({ policy: 'custom', rules });
const one = async (path: string, rule: object, captions?: string): Promise<Check> => {
  const { checks } = await check(path, custom(rule), captions);
  return checks[0]!;
};
const failedOf = ({ checks }: CheckAudioResult): string[] =>
  checks.filter(({ passes }) => !passes).map(({ measure }) => measure);

describe('policies', () => {
  it('podcast: a stereo tone of 997 Hz at -16 LUFS passes, 2 dB more fails and names the tool', async () => {
    // BS.1770: a sine of 997 Hz on both channels reads its peak level in LUFS.
    const path = (db: number): string => {
      const plane = tone(8 * rate, rate, 997, db);
      return writeWav(at(`tone${db}.wav`), [plane, plane], rate);
    };
    const fine = await check(path(-16));
    expect([fine.passes, fine.failed, failedOf(fine)]).toEqual([true, 0, []]);
    expect(fine.checks[0]?.value).toBeCloseTo(-16, 1);
    const loud = await check(path(-14));
    expect(failedOf(loud)).toEqual(['integratedLufs']);
    expect(loud.checks[0]?.mend).toEqual({
      tool: 'adjust_loudness',
      options: { target: 'custom', custom_lufs: -16 },
    });
    // Captions were not given, and that is said.
    expect(loud.notChecked).toHaveLength(8);
  });

  it('podcast: channels that cancel in mono fail', async () => {
    const plane = tone(4 * rate, rate, 440, -16);
    const { checks } = await check(writeWav(at('opposite.wav'), [plane, plane.map((sample) => -sample)], rate));
    const phase = checks.find(({ measure }) => measure === 'stereoCorrelation');
    expect(phase).toMatchObject({ value: -1, passes: false });
    expect(phase?.mend?.options).toMatchObject({ fix_phase: true, format: 'wav' });
  });

  it('acx: an MP3 with room tone at both ends passes, the WAV before it fails by its form alone', async (context) => {
    needFfmpeg(context);
    const hiss = (seconds: number): Float32Array => make(Math.round(seconds * 44_100), (n) => 0.0003 * Math.sin(n * n));
    const path = writeWav(at('book.wav'), [joined(hiss(0.7), tone(6 * 44_100, 44_100, 300, -17), hiss(2))], 44_100);
    expect(failedOf(await check(path, { policy: 'acx' }))).toEqual(['codec']);
    ffmpeg('-i', path, '-b:a', '192k', '-y', at('book.mp3'));
    const book = await check(at('book.mp3'), { policy: 'acx' });
    expect(failedOf(book)).toEqual([]);
    const lead = book.checks.find(({ measure }) => measure === 'leadingSilenceSeconds');
    expect(lead?.value).toBeCloseTo(0.7, 1);
  });

  it('ebu-r128: loudness and true peak are those that ffmpeg reads', async (context) => {
    needFfmpeg(context);
    const path = recording('jfk.wav');
    const theirs = loudnessByFfmpeg(path);
    const { checks } = await check(path, { policy: 'ebu-r128' });
    expect(checks.find(({ measure }) => measure === 'integratedLufs')?.value).toBeCloseTo(theirs.lufs, 0);
    expect(
      Math.abs((checks.find(({ measure }) => measure === 'truePeakDbtp')?.value as number) - theirs.truePeak),
    ).toBeLessThan(0.3);
  });

  it('netflix-dialogue: loud music between the sentences is not in the loudness of the dialogue', async () => {
    const { planes, format } = readAll(recording('jfk.wav'));
    const { sampleRate } = format;
    const speech = planes[0] as Float32Array;
    const music = make(6 * sampleRate, (n) => {
      const t = n / sampleRate;
      return 0.95 * Math.sin(2 * Math.PI * 330 * t) * Math.sin(2 * Math.PI * 3 * t);
    });
    const alone = await check(writeWav(at('said.wav'), [speech], sampleRate), { policy: 'netflix-dialogue' });
    const both = await check(
      writeWav(at('both.wav'), [joined(music, speech, music)], sampleRate),
      custom(
        { measure: 'dialogueLufs', min: -60 },
        { measure: 'dialoguePercent', max: 60 },
        { measure: 'integratedLufs', min: -60 },
      ),
    );
    const said = alone.checks[0]?.value as number;
    const [dialogue, percent, whole] = both.checks.map(({ value }) => value as number);
    expect(Math.abs(dialogue! - said)).toBeLessThan(1);
    expect(whole! - dialogue!).toBeGreaterThan(3);
    expect(percent).toBeLessThan(60);
  });
});

describe("rules of one's own", () => {
  it('silences at the ends and the longest are in seconds, with the places', async () => {
    const path = writeWav(
      at('gaps.wav'),
      [joined(silence(1), tone(rate, rate, 500), silence(3), tone(rate, rate, 500), silence(2))],
      rate,
    );
    expect((await one(path, { measure: 'leadingSilenceSeconds', max: 0.5 })).value).toBeCloseTo(1, 1);
    expect((await one(path, { measure: 'trailingSilenceSeconds', max: 0.5 })).value).toBeCloseTo(2, 1);
    const longest = await one(path, { measure: 'longestSilenceSeconds', max: 2.5 });
    expect(longest.places).toHaveLength(1);
    expect(longest.places[0]?.startSeconds).toBeCloseTo(2, 1);
    expect(longest.places[0]?.endSeconds).toBeCloseTo(5, 1);
  });

  it('names are one of several, and tags are all there', async () => {
    const path = writeWav(at('named.wav'), [tone(rate, rate, 500)], rate);
    expect((await one(path, { measure: 'sampleRate', one_of: ['44100', '48000'] })).passes).toBe(true);
    const codec = await one(path, { measure: 'codec', one_of: ['aac'] });
    expect([codec.passes, codec.mend?.options['format']]).toEqual([false, 'm4a']);
    expect((await one(path, { measure: 'tags', has: ['title'] })).passes).toBe(false);
  });

  it('digital silence has no loudness, which meets no rule; its noise and peaks meet any upper bound', async () => {
    const path = writeWav(at('nothing.wav'), [silence(2)], rate);
    expect(await one(path, { measure: 'integratedLufs', min: -17 })).toMatchObject({ value: null, passes: false });
    for (const measure of ['noiseFloorDbfs', 'truePeakDbtp', 'samplePeakDbfs'])
      expect(await one(path, { measure, max: -60 })).toMatchObject({ measure, value: null, passes: true });
  });

  it.each([
    [{ measure: 'codec', min: 3 }, 'one_of for codec'],
    [{ measure: 'truePeakDbtp' }, 'min, max, one_of or has for truePeakDbtp'],
    [{ measure: 'truePeakDbtp', min: 3, max: 1 }, 'min up to max'],
    [{ measure: 'tags', one_of: ['title'] }, 'has for tags'],
    [{ measure: 'channels', has: ['2'] }, 'min, max or one_of for channels'],
    [{ measure: 'loudness', max: 1 }, 'one of integratedLufs'],
  ])('a rule that says nothing is refused: %j', async (rule, expected) => {
    const error = await thrownBy(() => checkAudio.parseOptions(custom(rule)));
    expect([error.code, error.message]).toEqual(['bad_request', expect.stringContaining(expected)]);
  });

  it('rules go with the policy custom, and only with it', async () => {
    expect((await thrownBy(() => checkAudio.parseOptions({ policy: 'custom' }))).code).toBe('bad_request');
    const rules = [{ measure: 'channels', max: 1 }];
    expect((await thrownBy(() => checkAudio.parseOptions({ policy: 'acx', rules }))).code).toBe('bad_request');
  });
});

describe('captions', () => {
  const srt = (...cues: [from: string, to: string, text: string][]): string => {
    const path = at('talk.srt');
    writeFileSync(
      path,
      cues.map(([from, to, text], n) => `${n + 1}\n00:00:${from} --> 00:00:${to}\n${text}\n`).join('\n'),
    );
    return path;
  };
  const talk = (): string =>
    writeWav(at('talk.wav'), [tone(10 * rate, rate, 997, -16), tone(10 * rate, rate, 997, -16)], rate);

  it('meet the limits by which they are written', async () => {
    const path = srt(['00,000', '02,000', 'Ask not what your country'], ['02,084', '04,000', 'can do for you.']);
    expect(failedOf(await check(talk(), {}, path))).toEqual([]);
  });

  it('too fast, too long, too many lines, over each other and behind the end: each with its place', async () => {
    const path = srt(
      ['00,000', '01,000', 'A line that is said far too fast for a reader'],
      ['02,000', '02,500', 'Short.'],
      ['03,000', '08,000', 'One\ntwo\nthree'],
      ['07,000', '15,500', 'Behind.'],
    );
    const result = await check(talk(), {}, path);
    const by = new Map(result.checks.map((each) => [each.measure, each]));
    const shown = (measure: string): unknown[] => {
      const { value, places = [] } = by.get(measure) ?? {};
      return [value, ...places.map(({ startSeconds }) => startSeconds)];
    };
    expect(shown('captionLines')).toEqual([3, 3]);
    expect(shown('captionLineCells')).toEqual([45, 0]);
    expect(shown('captionCellsPerSecond')).toEqual([45, 0]);
    expect(shown('captionShortestSeconds')).toEqual([0.5, 2]);
    expect(shown('captionLongestSeconds')).toEqual([8.5, 7]);
    expect(shown('captionOverlaps')).toEqual([1, 7]);
    expect(shown('captionsAfterEndSeconds')).toEqual([5.5]);
    expect(failedOf(result)).toHaveLength(7);
  });

  it('are measured where one has more lines than a call has arguments', async () => {
    const path = srt(['00,000', '05,000', `${'a\n'.repeat(299_999)}abc`]);
    const { value, places } = await one(talk(), { measure: 'captionLineCells', max: 2 }, path);
    expect([value, places]).toEqual([3, [{ startSeconds: 0, endSeconds: 5 }]]);
  });

  it('a text without times is refused', async () => {
    const path = at('text.srt');
    writeFileSync(path, 'Just words.');
    expect((await thrownBy(() => check(talk(), {}, path))).code).toBe('wrong_file_type');
  });
});
