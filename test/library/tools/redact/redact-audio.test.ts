// A recording without some of its words: samples compared with those of the input, texts with what ffmpeg reads.
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { RedactAudioResult } from '../../../../src/library/tools/redact_audio/result.ts';
import { redactAudio } from '../../../../src/library/tools/redact_audio/tool.ts';
import { ffmpeg, ffprobe, needFfmpeg, readAll, scratch, thrownBy } from '../../../fixtures/media/media.ts';
import { runTool, type ToolRun } from '../../../fixtures/media/run-context.ts';
import { recording } from '../../../fixtures/recordings.ts';
import { slow } from '../../../fixtures/rounds.ts';

const at = scratch();
const jfk = recording('jfk.wav');

async function redact(
  files: Readonly<Record<string, string>>,
  options: object,
): Promise<{ readonly run: ToolRun; readonly result: RedactAudioResult; readonly textOf: (role: string) => string }> {
  const inputs = Object.fromEntries(Object.entries(files).map(([field, path]) => [field, [path]]));
  const run = await runTool(redactAudio, inputs, options, at('run-'));
  return {
    run,
    result: run.result as unknown as RedactAudioResult,
    textOf: (role) => readFileSync(run.outputs.find((output) => output.role === role)?.path ?? '', 'utf8'),
  };
}

describe('redact_audio', () => {
  it('takes words out by an edited plan, and all other samples stay equal to the bit', slow, async () => {
    const planned = await redact({ file_id: jfk }, { words: ['country', 'Americans'], find_only: true });
    expect(planned.run.outputs).toEqual([]);
    expect(
      planned.result.places.map(({ id, kind, text }) => [id, kind, text?.toLowerCase().replace(/\W/g, '')]),
    ).toEqual([
      ['r1', 'word', 'americans'],
      ['r2', 'word', 'country'],
      ['r3', 'word', 'country'],
    ]);
    // The first stays; the last is deleted from the plan, and the second reading finds it.
    const [first, second] = planned.result.places;
    const plan = at('plan.json');
    writeFileSync(plan, JSON.stringify({ ...planned.result, places: [{ ...first, keep: true }, second] }));

    const { run, result, textOf } = await redact({ file_id: jfk, plan_file_id: plan }, {});
    expect(result.left).toEqual([]);
    expect(redactAudio.passed?.(result)).toBe(true);
    expect(result.readings).toBe(2);
    expect(result.places.map(({ keep, reading }) => [keep, reading])).toEqual([
      [true, undefined],
      [undefined, undefined],
      [undefined, 2],
    ]);
    const [before, after] = [readAll(jfk), readAll(run.path)];
    const { sampleRate } = before.format;
    const [source = new Float32Array(), output = new Float32Array()] = [before.planes[0], after.planes[0]];
    expect(output.length).toBe(source.length);
    const within = (ranges: readonly { startSeconds: number; endSeconds: number }[], frame: number): boolean =>
      ranges.some(
        ({ startSeconds, endSeconds }) => frame >= startSeconds * sampleRate && frame < endSeconds * sampleRate,
      );
    const changed = result.changed ?? [];
    expect(output.findIndex((sample, frame) => !within(changed, frame) && sample !== source[frame])).toBe(-1);
    const taken = result.places.filter(({ keep }) => keep !== true);
    expect(output.findIndex((sample, frame) => within(taken, frame) && sample !== 0)).toBe(-1);
    // A fade of 5 ms on each side.
    expect(result.changed?.[0]?.startSeconds).toBeCloseTo(taken[0]!.startSeconds - 0.005, 3);

    const transcript = textOf('transcript');
    expect(transcript).toMatch(/Americans/);
    expect(transcript).toMatch(/\[redacted\]/);
    // What goes along says nothing of what was taken out.
    for (const text of [transcript, textOf('report'), JSON.stringify(result)]) expect(text).not.toMatch(/country/i);
    expect(textOf('report')).toMatch(/read again 2 times: none is left/);
  });

  it('bleeps a video, and cleans its captions, subtitles, tags, chapters and name', slow, async (context) => {
    needFfmpeg(context);
    const captions = at('jfk.srt');
    const cue = (number: number, from: string, to: string, text: string): string =>
      `${number}\n00:00:${from} --> 00:00:${to}\n${text}\n\n`;
    writeFileSync(
      captions,
      cue(1, '00,000', '04,000', 'And so, my fellow\nAmericans') +
        cue(2, '04,500', '08,000', 'ask not what your <i>country</i> can do') +
        cue(3, '08,100', '11,000', 'ask what you can do for your nation'),
    );
    const labels = at('labels.txt');
    writeFileSync(
      labels,
      ';FFMETADATA1\ntitle=My country\nartist=JFK\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=5000\ntitle=Americans\n' +
        '[CHAPTER]\nTIMEBASE=1/1000\nSTART=5000\nEND=11000\ntitle=Your Country\n',
    );
    const film = at('country-talk.mkv');
    const picture = ['-f', 'lavfi', '-i', 'testsrc=size=64x48:rate=10:duration=11'];
    const maps = ['-map', '0:v', '-map', '1:a', '-map', '2:s', '-map_metadata', '3', '-map_chapters', '3'];
    ffmpeg(...picture, '-i', jfk, '-i', captions, '-i', labels, ...maps, '-c:a', 'flac', '-c:s', 'srt', film);

    const { run, result, textOf } = await redact(
      { file_id: film, captions_file_id: captions },
      { words: ['country'], mode: 'bleep', language: 'en' },
    );
    expect(result.left).toEqual([]);
    expect(result.byKind).toEqual({ word: 2 });
    expect(run.outputs[0]?.filename).toBe('redacted-talk.mkv');
    const { format, chapters = [] } = ffprobe(run.path) as ReturnType<typeof ffprobe> & {
      readonly chapters?: readonly { readonly tags: { readonly title: string } }[];
    };
    expect(JSON.stringify([format, chapters])).not.toMatch(/country"/i);
    expect(ffmpeg('-i', run.path, '-f', 'ffmetadata', '-').toString()).toMatch(
      /title=\[redacted\\?\]|title=My \[redacted/,
    );
    // Of the three cues, one says it, and one is shown while it is said.
    const shown = ffmpeg('-i', run.path, '-map', '0:s', '-f', 'srt', '-').toString();
    expect(shown).toMatch(/Americans/);
    expect(shown).not.toMatch(/country|nation/i);
    expect(textOf('captions')).toMatch(/my fellow\nAmericans/);
    expect(textOf('captions')).toMatch(/ask not what your \[redacted\] can do/);
    // Spelled otherwise than it is said: the caption goes as a whole.
    expect(textOf('captions')).not.toMatch(/country|nation/i);
    expect(result.texts).toMatchObject({ captions: 2, subtitles: 2, tags: 1, chapters: 1 });

    // A tone of 1 kHz where the word was, by a filter around it, and none elsewhere.
    const { planes, format: sound } = readAll(run.path);
    const [output = new Float32Array()] = planes;
    const toneDb = (from: number, to: number): number => {
      let [re, im] = [0, 0];
      for (let frame = Math.round(from * sound.sampleRate); frame < Math.round(to * sound.sampleRate); frame += 1) {
        const phase = (2 * Math.PI * 1000 * frame) / sound.sampleRate;
        re += output[frame]! * Math.cos(phase);
        im += output[frame]! * Math.sin(phase);
      }
      return 20 * Math.log10(Math.hypot(re, im) / ((to - from) * sound.sampleRate));
    };
    const [place] = result.places;
    const length = place!.endSeconds - place!.startSeconds;
    const inside = toneDb(place!.startSeconds + 0.02, place!.endSeconds - 0.02);
    expect(inside).toBeGreaterThan(-45);
    expect(toneDb(place!.startSeconds - length, place!.startSeconds - 0.02)).toBeLessThan(inside - 15);
  });

  it('takes out what a speaker says, and ranges, with noise of the room in 64-bit floats', slow, async (context) => {
    needFfmpeg(context);
    // Two people one after the other, with the room of the second between them.
    const [rate, join, length] = [16_000, 11, 18];
    const talk = at('two.wav');
    const both = '[1:a]atrim=0:7[other];[0:a][other]concat=n=2:v=0:a=1,volume=0.7071067811865476';
    const from = ['-i', jfk, '-i', recording('austen-0870.wav')];
    ffmpeg(...from, '-filter_complex', both, '-ar', String(rate), '-c:a', 'pcm_f64le', talk);
    const word = (text: string, startSeconds: number, endSeconds: number, speaker: number) => ({
      text,
      startSeconds,
      endSeconds,
      speaker,
    });
    const sentence = (speaker: number, words: readonly ReturnType<typeof word>[]) => ({
      startSeconds: words[0]!.startSeconds,
      endSeconds: words.at(-1)!.endSeconds,
      text: words.map(({ text }) => text).join(' '),
      speaker,
      words,
    });
    const transcript = at('two.json');
    writeFileSync(
      transcript,
      JSON.stringify({
        format: 'earshot-transcript',
        version: 1,
        language: 'en',
        durationSeconds: length,
        speakerCount: 2,
        turns: [
          { startSeconds: 0, endSeconds: join, speaker: 1 },
          { startSeconds: join, endSeconds: length, speaker: 2 },
        ],
        sentences: [
          sentence(1, [word('And', 0.3, 0.6, 1), word('so', 0.6, 1, 1)]),
          sentence(2, [word('He', join + 0.2, join + 0.5, 2)]),
        ],
      }),
    );
    const { run, result } = await redact(
      { file_id: talk, transcript_file_id: transcript },
      { speaker_numbers: [2], ranges: [[3, 5]], mode: 'noise', language: 'en' },
    );
    expect(result.left).toEqual([]);
    expect(result.byKind).toEqual({ range: 1, speaker: 2 });
    expect(ffprobe(run.path).streams[0]?.codec_name).toBe('pcm_f64le');
    const samples = (path: string): Float64Array => {
      const bytes = ffmpeg('-i', path, '-f', 'f64le', '-c:a', 'pcm_f64le', '-');
      return new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
    };
    const [before, after] = [samples(talk), samples(run.path)];
    expect(after.length).toBe(before.length);
    const differs = (from: number, to: number): number =>
      after.subarray(from * rate, to * rate).filter((sample, index) => sample !== before[from * rate + index]).length;
    // Fades of 5 ms lie around a range; a speaker's stretch has the guard before it.
    expect([differs(0, 2.99), differs(5.01, join - 0.04)]).toEqual([0, 0]);
    const level = (sound: Float64Array, from: number, to: number): number => {
      const part = sound.subarray(from * rate, to * rate);
      return 10 * Math.log10(part.reduce((sum, sample) => sum + sample ** 2, 0) / part.length);
    };
    for (const [start, end] of [
      [3, 5],
      [join, length],
    ] as const) {
      expect(differs(start, end)).toBeGreaterThan(0.99 * (end - start) * rate);
      expect(level(after, start, end)).toBeLessThan(level(before, start, end) - 10);
      expect(level(after, start, end)).toBeGreaterThan(-100);
    }
  });

  it('asks for something to take out, and for a plan that it can read', async () => {
    const nothing = await thrownBy(() => redact({ file_id: jfk }, {}));
    expect(nothing.message).toMatch(/nothing says what to take out/);
    for (const [content, why] of [
      ['no', /it is not JSON/],
      ['{}', /it has no places/],
      ['{"places":[{"startSeconds":2,"endSeconds":1}]}', /places\[0\] has no startSeconds before its endSeconds/],
      ['{"places":[{"startSeconds":1,"endSeconds":2,"kind":"secret"}]}', /places\[0\]\.kind is none of/],
      ['{"places":[{"startSeconds":1,"endSeconds":2,"keep":"no"}]}', /places\[0\]\.keep is neither/],
      ['{"places":[],"sought":{"words":[1]}}', /its "sought" was changed/],
    ] as const) {
      const plan = at('bad.json');
      writeFileSync(plan, content);
      const refused = await thrownBy(() => redact({ file_id: jfk, plan_file_id: plan }, {}));
      expect(refused.code).toBe('wrong_file_type');
      expect(refused.message).toMatch(why);
    }
  });

  it('does not pass where something is left, and says where', () => {
    const result = {
      byKind: { word: 3 },
      readings: 3,
      left: [{ kind: 'word', where: 'sound', text: 'country', startSeconds: 5.9, endSeconds: 6.4 }],
    } as unknown as RedactAudioResult;
    expect(redactAudio.passed?.(result)).toBe(false);
    expect(redactAudio.inWords(result)).toBe('3 words and phrases taken out, read again 3 times: 1 place left');
  });
});
