// @module-tag slow
// The whole tool on a real recording, with the recogniser that is in the house.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { noFinishedParts } from '../../../src/library/core/progress/finished-parts.ts';
import { parseTranscript } from '../../../src/library/contract/parse-transcript.ts';
import type { Transcript } from '../../../src/library/contract/transcript.ts';
import type { Warning } from '../../../src/library/core/progress/progress.ts';
import { readScript } from '../../../src/library/speech/transcript/read/script.ts';
import { alignScript } from '../../../src/library/tools/align_script/tool.ts';
import { inputFile, type TestInput } from '../../fixtures/media/input-files.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { passesInOne } from '../../fixtures/passes.ts';
import { recording } from '../../fixtures/recordings.ts';
import { acousticWords } from '../../fixtures/spoken-sounds.ts';
import { speechRun } from '../../fixtures/speech.ts';
import { slower } from '../../fixtures/rounds.ts';

afterEach(() => vi.unstubAllEnvs());

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'earshot-align-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function align(
  text: string | { readonly file: string },
  { input = recording('jfk.wav') }: { readonly input?: TestInput } = {},
) {
  const warnings: Warning[] = [];
  const progress: number[] = [];
  const { run } = await alignScript.run();
  const done = await run({
    ...speechRun(),
    inputs: { file_id: inputFile(input), script_file_id: typeof text === 'string' ? undefined : inputFile(text.file) },
    options: alignScript.parseOptions(typeof text === 'string' ? { text } : {}),
    workDir: mkdtempSync(join(folder, 'run-')),
    modelsDir: undefined,
    progress: (fraction) => void progress.push(fraction),
    pass: passesInOne((fraction) => void progress.push(fraction)),
    parallelism: 1,
    partial: () => undefined,
    finished: noFinishedParts,
    warn: (warning) => void warnings.push(warning),
  });
  const read = (format: string): string =>
    readFileSync(done.outputs.find((output) => output.format === format)!.path, 'utf8');
  return { ...done, warnings, progress, transcript: parseTranscript(read('json')), srt: read('srt'), vtt: read('vtt') };
}

const start = ({ sentences }: Transcript, text: string): number =>
  sentences.flatMap(({ words }) => words).find((word) => word.text === text)?.startSeconds ?? NaN;

describe('align_script', () => {
  it('times a text, says what nobody says, and writes transcript and subtitles', slower, async () => {
    const text =
      'And so, my fellow Americans: ask not what your country can do for you. The weather was remarkably pleasant ' +
      'that winter morning. Ask what you can do for your country.';
    const { transcript, outputs, result, warnings, progress, srt, vtt, processedSeconds } = await align(text, {
      input: { path: recording('jfk.wav'), name: 'JFK: 1961.wav' },
    });
    expect(outputs.map(({ filename }) => filename)).toEqual(['JFK: 1961.json', 'JFK: 1961.srt', 'JFK: 1961.vtt']);
    expect(transcript).toMatchObject({ language: 'en', durationSeconds: 11, speakerCount: null });
    expect(transcript.sentences).toHaveLength(3);
    expect(transcript.sentences.map((sentence) => sentence.text).join(' ')).toBe(text);
    const missing = transcript.sentences.flatMap(({ words }) => words).filter(({ matched }) => matched === false);
    expect(missing.map((word) => word.text).join(' ')).toBe('The weather was remarkably pleasant that winter morning.');
    expect(result).toMatchObject({ language: 'en', words: 30, matchedWords: 22, recogniser: { id: 'whisper-base' } });
    expect(warnings).toEqual([
      {
        code: 'unmatched_words',
        message:
          '8 of 30 words of the script were not found in the recording: ' +
          '"The weather was remarkably pleasant that winter morning."',
      },
    ]);
    // By ear and eye: the pauses of this speech are long.
    expect(Math.abs(start(transcript, 'ask') - 3.27)).toBeLessThan(0.1);
    expect(Math.abs(start(transcript, 'what') - 5.39)).toBeLessThan(0.1);
    expect(Math.abs(start(transcript, 'Ask') - 8.13)).toBeLessThan(0.12);
    expect(progress.every((fraction, index) => fraction >= (progress[index - 1] ?? 0))).toBe(true);
    expect(processedSeconds).toBe(11);
    expect(readScript(srt)).toMatchObject({ format: 'srt' });
    expect(readScript(vtt)).toMatchObject({ format: 'vtt' });
  });

  it.each(['', ' \n\n', 'WEBVTT\n\n', '1\n00:00:01,000 --> 00:00:02,000\n\n2\n00:00:03,000 --> 00:00:04,000\n'])(
    'a script without words, %j, is refused',
    async (text) => {
      const file = join(folder, 'empty.txt');
      writeFileSync(file, text);
      await expect(align({ file })).rejects.toMatchObject({ code: 'bad_request' });
    },
  );

  it("says that a script seems to be another recording's, and finds none of its words", slower, async () => {
    const text = acousticWords()
      .map((word) => word.text)
      .join(' ');
    const { transcript, result, warnings, srt } = await align(text);
    expect(result).toMatchObject({ words: 58, matchedWords: 0, seemsOtherRecording: true });
    const words = transcript.sentences.flatMap((sentence) => sentence.words);
    expect(words.every(({ matched }) => matched === false)).toBe(true);
    expect(warnings.map(({ code }) => code)).toEqual(['script_of_another_recording']);
    expect(warnings[0]!.message).toMatch(
      /^The script seems to be another recording's: none of its 58 words .*"And so/u,
    );
    expect(srt).toBe('');
  });

  it('says that nothing is spoken in a silent recording', async () => {
    const input = writeWav(join(folder, 'silent.wav'), [new Float32Array(32_000)], 16_000);
    const { result, warnings, srt } = await align('And so my fellow Americans', { input });
    expect(result).toMatchObject({ words: 5, matchedWords: 0, seemsOtherRecording: false });
    expect(warnings.map(({ code }) => code)).toEqual(['no_speech']);
    expect(srt).toBe('');
  });

  it('takes the language of a script from its letters', slower, async () => {
    const { result } = await align('ケネディさんは こう いいました。');
    expect(result).toMatchObject({ language: 'ja', matchedWords: 0 });
  });

  it('works without a recogniser, and says what it then cannot know', async () => {
    vi.stubEnv('EARSHOT_RECOGNISER', 'hf:nobody/nothing');
    const text =
      'And so my fellow Americans ask not what your country can do for you. Ask what you can do for your country.';
    const { transcript, result, warnings } = await align(text);
    expect(result).toMatchObject({ language: 'en', matchedWords: null, recogniser: null });
    expect(warnings.map(({ code }) => code)).toEqual(['matched_not_decided']);
    expect(Math.abs(start(transcript, 'what') - 5.39)).toBeLessThan(0.1);
  });

  it('keeps the cues of subtitles, their lines and who says them, with times from the recording', slower, async () => {
    const file = join(folder, 'late.vtt');
    writeFileSync(
      file,
      'WEBVTT\n\n00:04.000 --> 00:06.000\n<v Jack>And so,\nmy fellow Americans\n\n' +
        '00:07.000 --> 00:09.000\nask <i>not</i>\n\n00:09.500 --> 00:12.000\nNobody says this line at all.\n\n' +
        '00:13.000 --> 00:15.000\nwhat your country can do for you\n',
    );
    const { transcript, vtt, srt } = await align({ file });
    const cues = readScript(vtt);
    if (cues.format === 'txt') throw new Error('no cues');
    expect(cues.cues.map(({ lines, voice }) => ({ lines, voice }))).toEqual([
      { lines: ['And so,', 'my fellow Americans'], voice: 'Jack' },
      { lines: ['ask not'], voice: null },
      { lines: ['what your country can do for you'], voice: null },
    ]);
    for (const [index, seconds] of [0.32, 3.27, 5.39].entries())
      expect(Math.abs(cues.cues[index]!.startSeconds - seconds)).toBeLessThan(0.12);
    expect(srt).toContain('And so,\nmy fellow Americans');
    expect(transcript.sentences).toHaveLength(4);
    expect(transcript.sentences[2]!.words.every(({ matched }) => matched === false)).toBe(true);
  });
});
