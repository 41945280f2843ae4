// @module-tag slow
// Real recordings through the whole tool, with the weights of the house.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseTranscript } from '../../../src/library/contract/parse-transcript.ts';
import { createEngine, transcribeLive } from '../../../src/index.ts';
import { cutWindow } from '../../../src/library/contract/transcript-window.ts';
import { readScript } from '../../../src/library/speech/transcript/read/script.ts';
import { transcribeAudio } from '../../../src/library/tools/transcribe_audio/tool.ts';
import type { TestInput } from '../../fixtures/media/input-files.ts';
import { needFfmpeg, scratch } from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { runTool } from '../../fixtures/media/run-context.ts';
import { recording } from '../../fixtures/recordings.ts';
import { pieces } from '../../fixtures/sounds/music.ts';
import { speechRun } from '../../fixtures/speech.ts';
import { slower } from '../../fixtures/rounds.ts';

const path = scratch();
const said =
  'And so, my fellow Americans, ask not what your country can do for you, ask what you can do for your country.';
const bare = (text: string): string => text.toLowerCase().replaceAll(/[^a-z ]/g, '');

async function transcribe(file: TestInput, options: object = {}) {
  const { fanOut, signal } = speechRun(2);
  const done = await runTool(transcribeAudio, file, options, path('run-'), signal, undefined, fanOut);
  const text = (format: string): string =>
    readFileSync(done.outputs.find((output) => output.format === format)?.path ?? '', 'utf8');
  return { ...done, text };
}

describe('transcribe_audio', () => {
  it('tells the music before a talk where it is asked to', async (context) => {
    needFfmpeg(context);
    const mixed = path('music-then-talk.wav');
    const pop = (pieces['pop'] as (seconds: number) => Float32Array)(5);
    execFileSync(
      'ffmpeg',
      `-v error -f f32le -ar 48000 -ac 1 -i pipe:0 -i ${recording('jfk.wav')} -filter_complex`
        .split(' ')
        .concat('[0]aresample=16000[a];[1]aresample=16000[b];[a][b]concat=n=2:v=0:a=1', mixed),
      { input: Buffer.from(pop.buffer) },
    );
    const { text, result, progress } = await transcribe({ path: mixed, name: 'show.wav' }, { sound_events: true });
    expect(result.soundEvents).toBe(1);
    expect(parseTranscript(text('json')).events).toMatchObject([{ sound: 'music', startSeconds: 0 }]);
    expect(text('srt').split('\n').slice(0, 3)).toEqual(['1', '00:00:00,000 --> 00:00:03,000', '[music]']);
    expect(text('txt').startsWith('[music]\n\nAnd so')).toBe(true);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
  });

  it('writes the speech down as JSON, SubRip, WebVTT and text', async (context) => {
    const jfk = { path: recording('jfk.wav'), name: 'JFK: 1961.wav' };
    const { outputs, result, text, partials, progress, processedSeconds } = await transcribe(jfk);
    expect(outputs.map(({ filename, contentType }) => [filename, contentType])).toEqual([
      ['JFK: 1961.json', 'application/json'],
      ['JFK: 1961.srt', 'application/x-subrip'],
      ['JFK: 1961.vtt', 'text/vtt'],
      ['JFK: 1961.txt', 'text/plain'],
    ]);
    const transcript = parseTranscript(text('json'));
    expect(bare(transcript.sentences.map((sentence) => sentence.text).join(' '))).toBe(bare(said));
    expect(result).toMatchObject({
      language: 'en',
      recogniser: { id: 'whisper-base' },
      speakerCount: 1,
      words: 22,
      sentences: transcript.sentences.length,
      durationSeconds: 11,
    });
    expect(processedSeconds).toBeCloseTo(11, 1);
    // Starts that were read off the waveform.
    const words = transcript.sentences.flatMap((sentence) => sentence.words);
    for (const [word, at] of [
      ['ask', 3.3],
      ['country', 5.76],
      ['country.', 9.95],
    ] as const)
      expect(Math.abs(words.find((one) => one.text === word)!.startSeconds - at), word).toBeLessThan(0.25);
    for (const { confidence, speaker } of words) {
      expect(confidence).toBeGreaterThan(0);
      expect(speaker).toBe(1);
    }
    // What was handed out on the way is what is written.
    const live = partials.flatMap((part) => part['sentences'] as { text: string }[]);
    expect(live.map((sentence) => sentence.text)).toEqual(transcript.sentences.map((sentence) => sentence.text));
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(bare(text('txt').trim())).toBe(bare(said));
    for (const format of ['srt', 'vtt']) {
      const script = readScript(text(format));
      const cues = script.format === 'txt' ? [] : script.cues;
      expect(script.format).toBe(format);
      expect(bare(cues.flatMap(({ lines }) => lines).join(' '))).toBe(bare(said));
      for (const { lines } of cues) for (const line of lines) expect(line.length).toBeLessThanOrEqual(42);
    }
    expect(text('vtt')).toContain('<v Speaker 1>');
    // The service's window of it.
    const window = cutWindow(transcript, 5, 8, 'full');
    expect(window.sentences.length).toBeGreaterThan(0);
    expect(window).toMatchObject({ language: 'en', speakerCount: 1, durationSeconds: 11 });
    needFfmpeg(context);
    const vtt = outputs.find(({ format }) => format === 'vtt')?.path ?? '';
    const through = execFileSync('ffmpeg', ['-v', 'error', '-i', vtt, '-f', 'srt', '-'], { encoding: 'utf8' });
    // What is neither a number nor a time is what people read.
    const read = through.split('\n').filter((line) => !/^\d+$|-->|^\s*$/.test(line));
    expect(bare(read.join(' ').replaceAll(/<[^>]*>/g, '')).trim()).toBe(bare(said));
  });

  it('keeps fillers, or drops them and moves nothing else', slower, async () => {
    const corpus = recording('acoustic_corpus.wav');
    const fillers = /^(?:um|uh)\P{L}*$/iu;
    const verbatim = parseTranscript((await transcribe(corpus, { speaker_labels: false })).text('json'));
    const all = verbatim.sentences.flatMap(({ words }) => words);
    expect(all.filter(({ text }) => fillers.test(text))).toHaveLength(3);
    expect(verbatim.speakerCount).toBeNull();
    expect(verbatim.sentences.every(({ speaker }) => speaker === null)).toBe(true);
    const clean = parseTranscript((await transcribe(corpus, { verbatim: false, speaker_labels: false })).text('json'));
    const kept = clean.sentences.flatMap(({ words }) => words);
    expect(kept.filter(({ text }) => fillers.test(text))).toEqual([]);
    expect(kept.length).toBeGreaterThan(40);
  });

  it('says that a recording ends early', slower, async () => {
    const whole = readFileSync(recording('jfk.wav'));
    // The header still promises eleven seconds.
    writeFileSync(path('cut.flac'), whole.subarray(0, whole.length >> 1));
    const { warnings } = await transcribe(path('cut.flac'), { speaker_labels: false });
    expect(warnings.map(({ code }) => code)).toContain('truncated');
  });

  it('says that nobody speaks', async () => {
    const hum = Float32Array.from({ length: 16_000 * 4 }, (_, at) => 0.1 * Math.sin(at * 0.02));
    const { result, text, warnings } = await transcribe(writeWav(path('hum.wav'), [hum], 16_000));
    expect(warnings.map(({ code }) => code)).toEqual(['no_speech']);
    expect(result).toMatchObject({ words: 0, sentences: 0, speakerCount: 0 });
    expect(parseTranscript(text('json')).sentences).toEqual([]);
    expect(text('vtt')).toBe('WEBVTT\n');
  });

  it('in a process of its own: a window, one format, and sentences as they come', slower, async () => {
    await using engine = createEngine({ concurrency: 1, tempDir: path('') });
    const output = join(path(''), 'first.srt');
    const live = transcribeLive(
      engine,
      recording('jfk.wav'),
      { speaker_labels: false, language: 'en' },
      { output, windowSeconds: 8 },
    );
    const texts: string[] = [];
    for await (const { text } of live) texts.push(text);
    const run = await live.done;
    expect(bare(texts.join(' '))).toMatch(/^and so my fellow americans ask not what your country can do for you/);
    expect(texts.join(' ')).not.toContain('ask what you can do');
    expect(run.outputs.map((file) => file.path)).toEqual([output]);
    expect(run.processedSeconds).toBeCloseTo(8, 1);
  });
});
