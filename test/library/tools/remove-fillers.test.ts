import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseTranscript } from '../../../src/library/contract/parse-transcript.ts';
import type { Transcript, TranscriptWord } from '../../../src/library/contract/transcript.ts';
import { splitSentences } from '../../../src/library/speech/transcript/sentences/split.ts';
import { toTranscriptJson } from '../../../src/library/speech/transcript/write/json.ts';
import { removeFillers } from '../../../src/library/tools/remove_fillers/tool.ts';
import { ffprobe, needFfmpeg, readAll, scratch, thrownBy } from '../../fixtures/media/media.ts';
import { runTool, type ToolRun } from '../../fixtures/media/run-context.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { seeded } from '../../fixtures/random.ts';
import { recording } from '../../fixtures/recordings.ts';
import { likeness, movedBy, seamSharpness } from '../../fixtures/sounds/cut-measures.ts';
import { speechRun } from '../../fixtures/speech.ts';
import { withStutters } from '../../fixtures/sounds/mouth-sounds.ts';
import { withNoise } from '../../fixtures/spoken-sounds.ts';
import { makeVideo } from '../../fixtures/media/videos.ts';
import { textGridWords } from '../../fixtures/text-grid.ts';
import { slow, slower } from '../../fixtures/rounds.ts';

const path = scratch();
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
console.info(`remove fillers: seed ${seed} (SEED=${seed} repeats it)`);

interface Cut {
  readonly id: string;
  readonly kind: string;
  readonly text: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
}
const cutsOf = ({ result }: ToolRun): Cut[] => result['cuts'] as unknown as Cut[];

const corpus = recording('acoustic_corpus.wav');
const { sampleRate: rate } = readAll(corpus).format;
const source = readAll(corpus).planes[0] as Float32Array;
const grid = textGridWords(recording('acoustic_corpus.TextGrid'));
/** Where the phonetician heard them; the second is in no transcript: it stands where the grid has a pause. */
const fillers = [
  [8.02, 8.57],
  [14.53, 14.86],
  [22.9, 23.53],
] as const;
/** "words words word words" is said on purpose; the tool is told to leave repeats alone where this counts. */
const stays = grid.filter(({ text }) => text !== 'um');

function transcriptFile(
  name: string,
  words: readonly TranscriptWord[],
  language = 'en',
  durationSeconds = source.length / rate,
): string {
  const transcript: Transcript = {
    format: 'earshot-transcript',
    version: 1,
    language,
    durationSeconds,
    speakerCount: null,
    sentences: splitSentences(words, language),
  };
  writeFileSync(path(name), toTranscriptJson(transcript));
  return path(name);
}

/** Times as a recogniser has them: up to so many seconds wrong, each on its own. */
function jittered(words: readonly TranscriptWord[], seconds: number, by = seed): TranscriptWord[] {
  const random = seeded(by);
  const off = (): number => (2 * random() - 1) * seconds;
  let last = 0;
  return words.map((word) => {
    const startSeconds = Math.max(last, word.startSeconds + off());
    last = startSeconds;
    return { ...word, startSeconds, endSeconds: Math.max(startSeconds + 0.03, word.endSeconds + off()) };
  });
}

const run = (transcript: string, options: object = {}, file = corpus): Promise<ToolRun> =>
  runTool(removeFillers, { file_id: [file], transcript_file_id: [transcript] }, options, path('run-'));

/** Greatest likeness of a stretch of the source to any place of the output within a span of seconds, -1 to 1. */
const likeSource = (out: Float32Array, from: number, to: number, near: readonly [number, number]): number =>
  likeness(
    source.slice(Math.round(from * rate), Math.round(to * rate)),
    out,
    Math.round(near[0] * rate),
    Math.round(near[1] * rate),
  );

function expectWordsWhole(out: Float32Array, cuts: readonly Cut[], words: readonly TranscriptWord[]): void {
  for (const { text, startSeconds, endSeconds } of words) {
    const at = movedBy(cuts, (startSeconds + endSeconds) / 2) - (endSeconds - startSeconds) / 2;
    const found = likeSource(out, startSeconds, endSeconds, [at - 0.02, at + endSeconds - startSeconds + 0.02]);
    expect(found, `"${text}" at ${startSeconds} s`).toBeGreaterThan(0.95);
  }
}

/** No seam is heard: what changes from sample to sample there changes no more than in the room and the voice around. */
function expectNoClicks(out: Float32Array, cuts: readonly Cut[]): void {
  for (const { startSeconds } of cuts)
    expect(seamSharpness(out, rate, movedBy(cuts, startSeconds)), `seam at ${startSeconds} s`).toBeLessThanOrEqual(1.5);
}

describe('remove_fillers', () => {
  it.each([
    [0, seed],
    [0.04, seed],
    [0.08, seed],
    // "we're" given 80 ms late and nothing but voice before it: its softest moment is no gap.
    [0.08, 8],
    [0.08, 200],
  ])('takes the fillers and leaves the words whole, times %d s wrong (seed %i)', slow, async (seconds, by) => {
    const name = `grid-${seconds}-${by}.json`;
    const done = await run(transcriptFile(name, jittered(grid, seconds, by)), { repeats: false });
    const cuts = cutsOf(done);
    const out = readAll(done.path).planes[0] as Float32Array;
    expect(cuts.filter(({ kind }) => kind === 'filler').map(({ text }) => text)).toEqual(['um', 'um']);
    const wanted = seconds === 0 ? fillers : [fillers[0], fillers[2]];
    for (const [from, to] of wanted) {
      expect(
        cuts.some((cut) => cut.startSeconds < from + 0.06 && cut.endSeconds > to - 0.06),
        `${from} s`,
      ).toBe(true);
      const at = movedBy(cuts, from);
      expect(likeSource(out, from + 0.1, to - 0.1, [at - 1, at + 1])).toBeLessThan(0.9);
    }
    expectWordsWhole(out, cuts, stays);
    expectNoClicks(out, cuts);
    const removed = cuts.reduce((sum, cut) => sum + cut.endSeconds - cut.startSeconds, 0);
    expect(done.result['removedSeconds']).toBeCloseTo(removed, 2);
    expect(out.length / rate).toBeCloseTo(source.length / rate - removed, 2);
  });

  it('finds a filler that the transcript does not hold', slow, async () => {
    const done = await run(transcriptFile('bare.json', stays), { repeats: false });
    const cuts = cutsOf(done);
    expect(cuts.map(({ kind, text }) => [kind, text])).toContainEqual(['unwritten_filler', '']);
    const out = readAll(done.path).planes[0] as Float32Array;
    expectWordsWhole(out, cuts, stays);
    expectNoClicks(out, cuts);
  });

  it('takes all three from the bare recording, nothing else, and every word is whole', slower, async () => {
    const { fanOut, signal } = speechRun(2);
    const done = await runTool(removeFillers, corpus, {}, path('bare-'), signal, undefined, fanOut);
    const cuts = cutsOf(done);
    const out = readAll(done.path).planes[0] as Float32Array;
    expect(cuts).toHaveLength(3);
    for (const [index, [from, to]] of fillers.entries()) {
      expect(cuts[index]!.startSeconds, `filler ${index + 1}`).toBeLessThan(from + 0.04);
      expect(cuts[index]!.endSeconds, `filler ${index + 1}`).toBeGreaterThan(to - 0.04);
    }
    expectWordsWhole(out, cuts, stays);
    expectNoClicks(out, cuts);
    expect(done.result).toMatchObject({ language: 'en', recogniser: 'whisper-base', cutsFound: 3, cutsMade: 3 });
    const { sentences } = parseTranscript(readFileSync(done.outputs[1]!.path, 'utf8'));
    expect(sentences.map(({ text }) => text).join(' ')).not.toMatch(/\b(?:um|uh)\b/i);
  });

  it('in noise a filler goes from where it begins, though it begins and ends softer than the room', slow, async () => {
    const noisy = writeWav(path('noisy.wav'), [withNoise(source, 10, seeded(1))], rate, 'f32');
    const options = { repeats: false, dry_run: true };
    const cuts = cutsOf(await run(transcriptFile('noisy.json', jittered(grid, 0.04, 1)), options, noisy));
    for (const [from, to] of [fillers[0], fillers[2]]) {
      const cut = cuts.find(({ startSeconds, endSeconds }) => startSeconds < to && endSeconds > from)!;
      expect(cut.startSeconds, `${from} s`).toBeLessThan(from + 0.06);
      expect(cut.endSeconds, `${from} s`).toBeGreaterThan(to - 0.06);
      for (const { text, startSeconds, endSeconds } of stays)
        expect(Math.min(endSeconds, cut.endSeconds) - Math.max(startSeconds, cut.startSeconds), text).toBeLessThan(
          0.03,
        );
    }
  });

  it('in noise a filler goes from pause to pause, though its times leave its soft edges out', async () => {
    const noisy = writeWav(path('drowned.wav'), [withNoise(source, 10, seeded(2))], rate, 'f32');
    // What whisper-base heard of the first and the third.
    const heard = grid.map((word): TranscriptWord => {
      if (word.text !== 'um') return word;
      return word.startSeconds < 10
        ? { ...word, startSeconds: 8.16, endSeconds: 8.5 }
        : { ...word, startSeconds: 23.1, endSeconds: 23.39 };
    });
    const options = { repeats: false, dry_run: true };
    const cuts = cutsOf(await run(transcriptFile('drowned.json', heard), options, noisy));
    for (const [from, to] of [fillers[0], fillers[2]]) {
      const cut = cuts.find(({ startSeconds, endSeconds }) => startSeconds < to && endSeconds > from)!;
      expect(cut.startSeconds, `${from} s`).toBeLessThan(from + 0.04);
      expect(cut.endSeconds, `${to} s`).toBeGreaterThan(to - 0.04);
      for (const { text, startSeconds, endSeconds } of stays)
        expect(Math.min(endSeconds, cut.endSeconds) - Math.max(startSeconds, cut.startSeconds), text).toBeLessThan(
          0.03,
        );
    }
  });

  it('finds where a filler ends that runs into a word, and what a recogniser put into one', async () => {
    // What whisper-base wrote down of it: "uh" ends too early, and half of the last "um" is taken for a word.
    const heard = grid.flatMap((word): TranscriptWord[] => {
      if (word.text === "we're" && word.startSeconds > 10)
        return [
          { text: 'Uh,', startSeconds: 14.52, endSeconds: 14.73, confidence: 0.81 },
          { ...word, startSeconds: 14.73 },
        ];
      if (word.text === 'um' && word.startSeconds > 20)
        return [
          { text: 'words.', startSeconds: 22.91, endSeconds: 23.13, confidence: 0.63 },
          { text: 'Um,', startSeconds: 23.13, endSeconds: 23.39, confidence: 0.92 },
        ];
      return [word];
    });
    const done = await run(transcriptFile('heard.json', heard), { repeats: false });
    const cuts = cutsOf(done);
    for (const [index, [from, to]] of fillers.entries()) {
      expect(cuts[index]!.startSeconds, `filler ${index + 1}`).toBeLessThan(from + 0.04);
      expect(cuts[index]!.endSeconds, `filler ${index + 1}`).toBeGreaterThan(to - 0.04);
    }
    const out = readAll(done.path).planes[0] as Float32Array;
    expectWordsWhole(out, cuts, stays);
    expectNoClicks(out, cuts);
  });

  it('takes a held filler to the pause behind it, however early its time ends', async () => {
    const words = [
      { text: 'forced', startSeconds: 2.05, endSeconds: 2.83 },
      { text: 'um', startSeconds: 3.9, endSeconds: 4.5 },
      { text: 'liner', startSeconds: 6.31, endSeconds: 6.74 },
    ];
    const [cut, ...others] = cutsOf(
      await run(transcriptFile('held.json', words), { dry_run: true }, recording('um.flac')),
    );
    expect(others).toEqual([]);
    // Heard from 3.74 to 5.27 s.
    expect(cut!.startSeconds).toBeLessThan(3.8);
    expect(cut!.startSeconds).toBeGreaterThan(3.5);
    expect(cut!.endSeconds).toBeGreaterThan(5.24);
    expect(cut!.endSeconds).toBeLessThan(5.6);
  });

  it('cuts a video with its picture', slow, async (context) => {
    needFfmpeg(context);
    const video = makeVideo(path('talk.mp4'), [source], rate);
    const done = await run(transcriptFile('video.json', grid), { repeats: false }, video);
    const removed = cutsOf(done).reduce((sum, cut) => sum + cut.endSeconds - cut.startSeconds, 0);
    expect(removed).toBeGreaterThan(1);
    expect(done.outputs.map(({ format }) => format)).toEqual(['mp4', 'json']);
    const { streams } = ffprobe(done.path);
    const seconds = (kind: string): number => Number(streams.find((stream) => stream.codec_type === kind)?.duration);
    // The last picture is shown to its end.
    expect(Math.abs(seconds('video') - (source.length / rate - removed))).toBeLessThan(0.09);
    expect(Math.abs(seconds('audio') - seconds('video'))).toBeLessThan(0.09);
  });

  it('the transcript comes along: without the fillers, at the new times', async () => {
    const file = transcriptFile('grid.json', grid);
    const turns = [{ startSeconds: 0, endSeconds: 20, speaker: 1 }];
    writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), turns }));
    const done = await run(file, { repeats: false });
    const [media, transcript] = done.outputs;
    expect(media).toMatchObject({ format: 'wav', filename: 'acoustic_corpus.wav' });
    expect(transcript).toMatchObject({ format: 'json', role: 'transcript', filename: 'acoustic_corpus.json' });
    const shifted = parseTranscript(readFileSync(transcript!.path, 'utf8'));
    const words = shifted.sentences.flatMap((sentence) => sentence.words);
    expect(words.map(({ text }) => text)).toEqual(stays.map(({ text }) => text));
    expect(shifted.sentences.map(({ text }) => text).join(' ')).not.toMatch(/\bum\b/);
    expect(shifted.durationSeconds).toBeCloseTo(Number(done.result['outputSeconds']), 3);
    expect(shifted.turns?.[0]?.endSeconds).toBeCloseTo(movedBy(cutsOf(done), 20), 1);
    const out = readAll(done.path).planes[0] as Float32Array;
    for (const [index, word] of words.entries()) {
      const { startSeconds, endSeconds, text } = stays[index]!;
      const length = endSeconds - startSeconds;
      const found = likeSource(out, startSeconds, endSeconds, [
        word.startSeconds - 0.04,
        word.startSeconds + length + 0.04,
      ]);
      expect(found, `"${text}"`).toBeGreaterThan(0.95);
    }
    // Its own output is as good a transcript as any: nothing is left to cut.
    const again = await run(transcript!.path, { repeats: false, dry_run: true }, done.path);
    expect(cutsOf(again)).toEqual([]);
  });

  it('a dry run lists cuts whose ids another run makes; ids do not depend on other options', async () => {
    const transcript = transcriptFile('dry.json', grid);
    const dry = await run(transcript, { dry_run: true });
    const cuts = cutsOf(dry);
    expect(cuts.map(({ id }) => id)).toEqual(cuts.map((_, index) => `c${index + 1}`));
    expect(dry.outputs.map(({ filename, role }) => [filename, role])).toEqual([['acoustic_corpus.cuts.json', 'cuts']]);
    expect(JSON.parse(readFileSync(dry.path, 'utf8'))).toMatchObject({ cuts });
    const last = cuts.at(-1)!;
    const one = await run(transcript, { cut_ids: [last.id], repeats: false });
    expect(cutsOf(one)).toEqual([last]);
    expect(one.result).toMatchObject({ cutsMade: 1 });
    expect(readAll(one.path).frames).toBe(
      source.length - Math.round(last.endSeconds * rate) + Math.round(last.startSeconds * rate),
    );
    expect(await thrownBy(() => run(transcript, { cut_ids: ['c1', 'c99'] }))).toMatchObject({
      code: 'bad_request',
      details: { field: 'cut_ids', received: 'c99' },
    });
  });

  it('lowers, mutes or cuts breaths and clicks when told to, and changes nothing else', slow, async () => {
    const transcript = transcriptFile('breaths.json', grid);
    const rms = (samples: Float32Array, from: number, to: number): number => {
      const part = samples.slice(Math.round(from * rate), Math.round(to * rate));
      return 10 * Math.log10(part.reduce((sum, value) => sum + value * value, 1e-12) / part.length);
    };
    const choice = { breaths: 'lower', mouth_clicks: 'mute' };
    const ids = cutsOf(await run(transcript, { ...choice, dry_run: true }))
      .filter(({ kind }) => kind === 'breath' || kind === 'mouth_click')
      .map(({ id }) => id);
    const soft = await run(transcript, { ...choice, cut_ids: ids.slice(0, 5) });
    const cuts = soft.result['cuts'] as unknown as readonly (Cut & { readonly action: string })[];
    expect(new Set(cuts.map(({ kind, action }) => `${kind} ${action}`))).toEqual(
      new Set(['mouth_click mute', 'breath lower']),
    );
    expect(soft.result).toMatchObject({
      cutsMade: 0,
      softened: 5,
      removedSeconds: 0,
      byKind: { breath: 3, filler: 2 },
    });
    const out = readAll(soft.path).planes[0] as Float32Array;
    expect(out).toHaveLength(source.length);
    const isIn = (at: number): boolean =>
      cuts.some(
        ({ startSeconds, endSeconds }) => at >= (startSeconds - 0.001) * rate && at <= (endSeconds + 0.001) * rate,
      );
    expect(source.every((value, at) => isIn(at) || out[at] === value)).toBe(true);
    for (const { startSeconds, endSeconds, action } of cuts) {
      const [from, to] = [startSeconds + 0.006, endSeconds - 0.006];
      const change = rms(out, from, to) - rms(source, from, to);
      if (action === 'mute') expect(change).toBeLessThan(-40);
      else expect(change).toBeCloseTo(-15, 0);
    }
    for (const { startSeconds, endSeconds } of soft.result['kept'] as unknown as readonly Cut[])
      expect(endSeconds).toBeGreaterThan(startSeconds);
    const done = await run(transcript, { breaths: 'cut', repeats: false });
    const all = cutsOf(done);
    const removed = all.reduce((sum, cut) => sum + cut.endSeconds - cut.startSeconds, 0);
    expect(all.filter(({ kind }) => kind === 'breath')).toHaveLength(3);
    expect(done.result['removedSeconds']).toBeCloseTo(removed, 2);
    const shorter = readAll(done.path).planes[0] as Float32Array;
    expectWordsWhole(shorter, all, stays);
    expectNoClicks(shorter, all);
    // The numbers of fillers are those without the option.
    const plain = cutsOf(await run(transcript, { dry_run: true, repeats: false }));
    expect(all.filter(({ kind }) => kind !== 'breath')).toEqual(plain.map((cut) => ({ ...cut, action: 'cut' })));
  });

  it('takes the stutter out of a word, in the sound and in the text', slow, async () => {
    const which = grid.findIndex(({ text }) => text === 'nothing');
    const scene = withStutters(source, grid, [which], seeded(3));
    const stutter = scene.made[0]!;
    const words = scene.words.map((word, index) =>
      index === which ? { ...word, text: 'N-nothing', startSeconds: stutter.startSeconds } : word,
    );
    const file = writeWav(path('stutter.wav'), [scene.samples], rate, 's16');
    const written = transcriptFile('stutter.json', words, 'en', scene.samples.length / rate);
    const done = await run(written, { stutters: 'cut', repeats: false }, file);
    const cut = cutsOf(done).find(({ kind }) => kind === 'stutter')!;
    expect(cut).toMatchObject({ text: 'N-' });
    expect(Math.abs(cut.startSeconds - stutter.startSeconds)).toBeLessThan(0.06);
    expect(stutter.endSeconds - cut.endSeconds).toBeGreaterThan(-0.005);
    expect(stutter.endSeconds - cut.endSeconds).toBeLessThan(0.08);
    const texts = async (options: object): Promise<string> => {
      const { outputs } = await run(written, { repeats: false, ...options }, file);
      const { sentences } = parseTranscript(readFileSync(outputs[1]!.path, 'utf8'));
      return sentences.map(({ text }) => text).join(' ');
    };
    expect(await texts({ stutters: 'mute' })).toMatch(/there's Nothing going/u);
    expect(await texts({ stutters: 'lower' })).toMatch(/there's N-nothing going/u);
  });

  it('leaves a recording without fillers as it is, to the sample', slower, async () => {
    const said =
      'and so my fellow americans ask not what your country can do for you ask what you can do for your country';
    const words = said.split(' ').map((text, at) => {
      return { text, startSeconds: 0.3 + at * 0.46, endSeconds: 0.76 + at * 0.46 };
    });
    const jfk = recording('jfk.wav');
    const done = await run(transcriptFile('none.json', words, 'de'), {}, jfk);
    expect(cutsOf(done)).toEqual([]);
    expect(readAll(done.path).planes).toEqual(readAll(jfk).planes);
  });

  it(
    "refuses another recording's transcript, of another length or the same, by a look at its words",
    slower,
    async () => {
      const jfk = recording('jfk.wav');
      expect(await thrownBy(() => run(transcriptFile('long.json', grid), { dry_run: true }, jfk))).toMatchObject({
        code: 'bad_request',
        message: expect.stringMatching(/has words up to 2\d\.\d s and the recording ends at 11\.0 s/u) as string,
        details: { field: 'transcript_file_id' },
      });
      const early = grid.filter(({ endSeconds }) => endSeconds < 10);
      expect(await thrownBy(() => run(transcriptFile('early.json', early), { dry_run: true }, jfk))).toMatchObject({
        code: 'bad_request',
        message: expect.stringMatching(/has "this is .*" at .* s where the recording says ".*my fellow/iu) as string,
      });
      // A transcript of the same length is listened to where its words do not lie between the pauses.
      const same = transcriptFile('same.json', early, 'en', 11);
      expect(await thrownBy(() => run(same, { dry_run: true }, jfk))).toMatchObject({ code: 'bad_request' });
    },
  );

  it('says what a language without a list means, and that a transcript may be another one', async () => {
    const { warnings } = await run(transcriptFile('sv.json', [{ text: 'um', startSeconds: 1, endSeconds: 2 }], 'sv'));
    expect(warnings.map(({ code }) => code)).toEqual(['no_filler_list']);
    writeFileSync(
      path('short.json'),
      readFileSync(path('sv.json'), 'utf8').replace(/"durationSeconds":[\d.]+/, '"durationSeconds":3'),
    );
    const short = await run(path('short.json'), { dry_run: true, language: 'en' });
    expect(short.warnings.map(({ code }) => code)).toEqual(['transcript_ends_early']);
    writeFileSync(path('broken.json'), '{"format":"other"}');
    expect(await thrownBy(() => run(path('broken.json')))).toMatchObject({ code: 'wrong_file_type' });
  });
});
