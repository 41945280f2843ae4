import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseTranscript } from '../../../../src/library/contract/parse-transcript.ts';
import type { Transcript, TranscriptWord } from '../../../../src/library/contract/transcript.ts';
import { splitSentences } from '../../../../src/library/speech/transcript/sentences/split.ts';
import { toTranscriptJson } from '../../../../src/library/speech/transcript/write/json.ts';
import { toSrt } from '../../../../src/library/speech/transcript/write/subtitles.ts';
import { cutAudio } from '../../../../src/library/tools/cut_audio/tool.ts';
import type { CutAudioResult } from '../../../../src/library/tools/cut_audio/result.ts';
import { readAll, scratch, thrownBy } from '../../../fixtures/media/media.ts';
import { runTool, type ToolRun } from '../../../fixtures/media/run-context.ts';
import { seeded } from '../../../fixtures/random.ts';
import { recording } from '../../../fixtures/recordings.ts';
import { textGridWords } from '../../../fixtures/text-grid.ts';
import { slow } from '../../../fixtures/rounds.ts';

const path = scratch();
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
console.info(`cut by text: seed ${seed} (SEED=${seed} repeats it)`);

const corpus = recording('acoustic_corpus.wav');
const { sampleRate: rate } = readAll(corpus).format;
const source = readAll(corpus).planes[0] as Float32Array;
/** As a phonetician heard them. */
const words = textGridWords(recording('acoustic_corpus.TextGrid'));
const transcript: Transcript = {
  format: 'earshot-transcript',
  version: 1,
  language: 'en',
  durationSeconds: source.length / rate,
  speakerCount: null,
  sentences: splitSentences(words, 'en'),
};
writeFileSync(path('original.json'), toTranscriptJson(transcript));

let runs = 0;
async function cut(
  edited: string,
  options: object = {},
  extension = 'txt',
): Promise<ToolRun & { facts: CutAudioResult }> {
  runs += 1;
  const file = path(`edited-${runs}.${extension}`);
  writeFileSync(file, edited);
  const inputs = {
    file_id: [{ path: corpus, name: 'Reading: 1.wav' }],
    by_text_file_id: [file],
    transcript_file_id: [path('original.json')],
  };
  const done = await runTool(cutAudio, inputs, options, path('run-'));
  return { ...done, facts: done.result as unknown as CutAudioResult };
}

const transcriptOf = ({ outputs }: ToolRun): Transcript =>
  parseTranscript(readFileSync(outputs.find(({ format }) => format === 'json')?.path ?? '', 'utf8'));

/** A seam may be this far within a word that runs into the next, so that it is in the softest place. */
const mostClipped = 0.055;

/** Every word of the output's transcript is there with its sound, at its time. */
function expectWordsWhole(done: ToolRun & { facts: CutAudioResult }, from: readonly TranscriptWord[]): void {
  const said = transcriptOf(done).sentences.flatMap((sentence) => sentence.words);
  expect(said.map(({ text }) => text.toLowerCase())).toEqual(from.map(({ text }) => text.toLowerCase()));
  let at = 0;
  const keeps = done.facts.keptRanges.map(([start, end]) => {
    const output = at;
    at += end - start;
    return { start, end, output };
  });
  for (const [index, { startSeconds, endSeconds }] of said.entries()) {
    const was = from[index] as TranscriptWord;
    const middle = (startSeconds + endSeconds) / 2;
    const keep = keeps.findLast(({ output }) => output <= middle) ?? { start: 0, end: 0, output: 0 };
    expect(was.startSeconds - keep.start, `start of "${was.text}" at ${was.startSeconds} s`).toBeGreaterThan(
      -mostClipped,
    );
    expect(keep.end - was.endSeconds, `end of "${was.text}" at ${was.startSeconds} s`).toBeGreaterThan(-mostClipped);
    const place = Math.max(was.startSeconds, keep.start) - keep.start + keep.output;
    expect(Math.abs(startSeconds - place), `time of "${was.text}"`).toBeLessThan(0.002);
  }
}

/** Away from the seams the output has the recording's own samples. */
function expectSamplesKept({ path: file, facts }: { path: string; facts: CutAudioResult }): void {
  const out = readAll(file).planes[0] as Float32Array;
  const fade = Math.round(0.01 * rate);
  let at = 0;
  for (const [startSeconds, endSeconds] of facts.keptRanges) {
    const [start, end] = [Math.round(startSeconds * rate), Math.round(endSeconds * rate)];
    if (end - start > 2 * fade)
      expect(out.slice(at + fade, at + end - start - fade)).toEqual(source.slice(start + fade, end - fade));
    at += end - start;
  }
  expect(out.length).toBe(at);
}

describe('cutting by an edited text', () => {
  it('takes out what was deleted and leaves all other words whole, wherever that is', slow, async () => {
    const random = seeded(seed);
    for (let round = 0; round < 3; round += 1) {
      const gone = new Set<number>();
      for (let cuts = 0; cuts < 4; cuts += 1) {
        const from = Math.floor(random() * words.length);
        for (let at = from; at < from + 1 + Math.floor(random() * 6); at += 1) gone.add(at);
      }
      const stays = words.filter((_, at) => !gone.has(at));
      // With times, so that of equal words exactly these go.
      const edited = { ...transcript, sentences: splitSentences(stays, 'en') };
      const done = await cut(toTranscriptJson(edited), {}, 'json');
      expectWordsWhole(done, stays);
      expectSamplesKept(done);
      expect(done.facts.text).toMatchObject({ movedWords: 0, changed: [], added: [], overlapped: [] });
      expect(done.facts.text?.removedWords).toBe(words.length - stays.length);
      const seconds = words.reduce(
        (sum, each, at) => sum + (gone.has(at) ? each.endSeconds - each.startSeconds : 0),
        0,
      );
      expect(done.facts.removedSeconds).toBeGreaterThan(0.8 * seconds);
    }
  });

  it('moves what was moved, captions with it', slow, async () => {
    const [front, middle, back] = [words.slice(0, 8), words.slice(8, 20), words.slice(20)];
    const text = [...back, ...front, ...middle].map((word) => word.text).join(' ');
    const done = await cut(text);
    expectWordsWhole(done, [...back, ...front, ...middle]);
    expectSamplesKept(done);
    expect(done.facts.text?.removedWords).toBe(0);
    expect(done.facts.text?.movedWords).toBeGreaterThan(0);
    const srt = readFileSync(done.outputs.find(({ format }) => format === 'srt')?.path ?? '', 'utf8');
    expect(srt).toBe(toSrt(transcriptOf(done)));
    expect(done.outputs.map(({ filename }) => filename)).toEqual(
      ['.wav', '.cut.json', '.cut.srt', '.cut.vtt'].map((end) => `Reading: 1${end}`),
    );
  });

  it('reads the subtitles of the same transcript', async () => {
    const cues = toSrt(transcript).split('\n\n');
    const done = await cut(cues.toSpliced(1, 1).join('\n\n'), {}, 'srt');
    const [, , ...gone] = (cues[1] ?? '').split('\n');
    expect(done.facts.text?.removedWords).toBe(gone.join(' ').split(' ').length);
    expectSamplesKept(done);
  });

  it('says what was written differently or is not in the recording', async () => {
    const written = words.map(({ text }) => text);
    const done = await cut(
      ['Hello everyone out there,', ...written.slice(0, 5), `${written[5]}s`, ...written.slice(6)].join(' '),
    );
    expect(done.facts.text?.added).toEqual(['Hello everyone out there,']);
    expect(done.facts.text?.changed).toMatchObject([{ from: written[5], to: `${written[5]}s` }]);
    expect(done.warnings.map(({ code }) => code)).toEqual(['words_rewritten', 'words_not_recorded']);
    expect(done.facts.removedSeconds).toBe(0);
  });

  it('refuses the text of another recording, an empty one, and options that only ranges have', async () => {
    expect(await thrownBy(() => cut('Call me Ishmael, some years ago, never mind how long precisely.'))).toMatchObject({
      code: 'bad_request',
      message: expect.stringMatching(/only \d of 11 words/) as string,
    });
    expect(await thrownBy(() => cut(' \n'))).toMatchObject({ code: 'bad_request' });
    expect(await thrownBy(() => cut('{"format":"other"}', {}, 'json'))).toMatchObject({ code: 'wrong_file_type' });
    expect(await thrownBy(() => cut('words', { ranges: [[0, 1]] }))).toMatchObject({
      message: expect.stringContaining('exactly one of ranges, by_text_file_id') as string,
    });
    expect(await thrownBy(() => cut('words', { output: 'separate' }))).toMatchObject({ code: 'bad_request' });
    expect(await thrownBy(() => runTool(cutAudio, corpus, {}, path('run-')))).toMatchObject({ code: 'bad_request' });
  });
});
