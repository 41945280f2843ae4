// What a model does around the tools: an episode in one call, its labels, captions, a passage to hear.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allowedFolders } from '../../../src/cli/mcp/calls/allowed-folders.ts';
import { localCalls } from '../../../src/cli/mcp/calls/all.ts';
import type { LocalCall } from '../../../src/cli/mcp/calls/call.ts';
import { LocalJobs } from '../../../src/cli/mcp/jobs/local-jobs.ts';
import type { AssistantAnswer } from '../../../src/library/contract/assistant-answers.ts';
import { probe } from '../../../src/library/media/read/probe.ts';
import { createUntypedEngine } from '../../../src/library/runtime/engine/engine.ts';
import { tone } from '../../fixtures/media/signals.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { slower } from '../../fixtures/rounds.ts';

const folder = mkdtempSync(join(tmpdir(), 'earshot-test-episode-'));
const engine = createUntypedEngine({ concurrency: 1 });
let calls: readonly LocalCall[];
const call = (name: string, given: object): Promise<AssistantAnswer> => {
  const found = calls.find((each) => each.name === name);
  if (found === undefined) throw new TypeError(`There is no ${name}`);
  const context = { signal: new AbortController().signal, onProgress: () => undefined };
  return found.run(given as Record<string, unknown>, context);
};

/** As `call`, until its job has ended: on a busy machine that takes longer than a call waits. */
async function ended(name: string, given: object): Promise<AssistantAnswer> {
  for (let answer = await call(name, given); ;) {
    const { status, job_id: id } = answer.data as { status?: string; job_id?: string };
    if (status !== 'running') return answer;
    answer = await call('get_job', { job_id: id });
  }
}

beforeAll(async () => {
  copyFileSync(new URL('../../../docs/samples/talk.opus', import.meta.url), join(folder, 'talk.opus'));
  writeWav(join(folder, 'tone.wav'), [tone(16_000, 16_000, 440, 0.05)], 16_000);
  execFileSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', 'color=red:s=64x64', '-frames:v', '1', 'cover.png'], {
    cwd: folder,
  });
  execFileSync('ffmpeg', ['-v', 'error', '-i', 'tone.wav', 'tone.mp3'], { cwd: folder });
  calls = localCalls({ engine, folders: await allowedFolders([folder], null), jobs: new LocalJobs(null) });
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

/** As another program reads it. */
const read = (file: string) => {
  const entries = 'format=duration:format_tags=title,album:chapter=start_time:chapter_tags=title:stream=codec_type';
  const args = ['-v', 'error', '-show_chapters', '-show_entries', entries, '-of', 'json', join(folder, file)];
  return JSON.parse(execFileSync('ffprobe', args, { encoding: 'utf8' })) as {
    format: { tags?: { title?: string; album?: string } };
    streams: { codec_type: string }[];
    chapters: { start_time: string; tags: { title: string } }[];
  };
};

it('makes an episode with chapters in two calls, in which a third reads what was said', slower, async () => {
  const made = await ended('make_episode', {
    tracks: 'talk.opus',
    title: 'On walking',
    show: 'Long talks',
    cover: 'cover.png',
    captions: 'yes',
    target: -19,
  });
  expect(made.quoted).toContain('talking really slow');
  const { outputs } = made.data as { outputs: { filename: string }[] };
  expect(outputs.map(({ filename }) => filename)).toEqual(
    ['mp3', 'json', 'srt', 'vtt', 'txt'].map((extension) => `talk.episode.${extension}`),
  );
  const measured = execFileSync('sh', ['-c', 'ffmpeg -nostats -i talk.episode.mp3 -af ebur128 -f null - 2>&1'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const loudness = /Summary:[^]*?I:\s+(-[\d.]+)/.exec(measured)?.[1];
  expect(Math.abs(Number(loudness) + 19)).toBeLessThan(0.5);
  const chapters = [
    { at: '0:00', title: 'Errors' },
    { at: '0:03', title: 'Slowly' },
  ];
  await call('label_file', { file: 'talk.episode.mp3', chapters, in_place: true });
  const { format, streams, chapters: written } = read('talk.episode.mp3');
  expect(format.tags).toMatchObject({ title: 'On walking', album: 'Long talks' });
  expect(streams.map(({ codec_type: type }) => type)).toEqual(['audio', 'video']);
  expect(written.map(({ start_time: at, tags }) => [Number(at), tags.title])).toEqual([
    [0, 'Errors'],
    [3, 'Slowly'],
  ]);
  const again = call('make_episode', { tracks: ['talk.opus'], title: 'On walking' });
  await expect(again).rejects.toMatchObject({ code: 'conflict' });
});

it('moves chapters with the pauses that are cut out', slower, async () => {
  // 1.5 s of sound, 6 s of nothing, sound.
  const words = probe(join(folder, 'talk.opus')).durationSeconds ?? 0;
  execFileSync('ffmpeg', ['-v', 'error', '-i', 'talk.opus', '-af', 'apad=pad_dur=6', '-ar', '48000', 'padded.wav'], {
    cwd: folder,
  });
  execFileSync('sh', ['-c', 'ffmpeg -v error -i padded.wav -i talk.opus -filter_complex concat=v=0:a=1 twice.wav'], {
    cwd: folder,
  });
  const at = words + 6;
  const steps = [{ tool: 'remove_silence' }];
  const { data } = await ended('run_chain', { files: 'twice.wav', steps, format: 'flac' });
  const removed = (data as { steps: { results: { cuts: [number, number][] }[] }[] }).steps[0]!.results[0]!.cuts.filter(
    ([start]) => start < at,
  ).reduce((sum, [start, end]) => sum + end - start, 0);
  expect(removed).toBeGreaterThan(3);
  await ended('make_episode', { tracks: [{ file: 'twice.wav' }], chapters: [{ at, title: 'Again' }], format: 'm4a' });
  const [chapter] = read('twice.episode.m4a').chapters.slice(-1);
  expect(chapter?.tags.title).toBe('Again');
  // The episode is shortened after its noise is gone: its pauses are not cut to the millisecond as the chain's.
  expect(Math.abs(Number(chapter?.start_time) - (at - removed))).toBeLessThan(0.5);
});

describe('labels', () => {
  it('are written into a copy, and read', async () => {
    const given = {
      file: 'tone.mp3',
      title: 'A tone',
      tags: { genre: 'Test' },
      chapters: '[{"at":"0:00.5","title":"B"}]',
    };
    const { data, text } = await call('label_file', given);
    expect(data).toMatchObject({ outputs: [{ path: join(folder, 'tone.labelled.mp3') }], tags: { genre: 'Test' } });
    expect(text).toBe('The file has 2 tags and 1 chapters.');
    const facts = await call('probe_file', { file: 'tone.labelled.mp3' });
    expect(facts.text).toMatch(/^mp3, 1(?:\.\d+)? s, mp3, 16000 Hz, mono\. Cover: none\.$/);
    expect(facts.quoted).toContain('title: A tone');
    expect(facts.quoted).toContain('Chapter at 0.5 s: B');
    await expect(call('label_file', given)).rejects.toMatchObject({ code: 'conflict' });
    await expect(call('label_file', { file: 'tone.mp3' })).rejects.toMatchObject({ code: 'bad_request' });
  });

  it('leave a file as it was where one of them cannot be stored', async () => {
    const before = readFileSync(join(folder, 'tone.wav'));
    writeFileSync(join(folder, 'cover.txt'), 'no picture');
    const given = { file: 'tone.wav', title: 'A tone', cover: 'cover.txt', in_place: true };
    await expect(call('label_file', given)).rejects.toMatchObject({ code: 'bad_request' });
    await expect(call('label_file', { ...given, file: 'tone.mp3' })).rejects.toMatchObject({ code: 'bad_request' });
    expect(readFileSync(join(folder, 'tone.wav'))).toEqual(before);
    expect(probe(join(folder, 'tone.mp3')).tags['title']).toBeUndefined();
  });
});

it('captions are written of a transcript, with names', async () => {
  const sentence = { startSeconds: 0, endSeconds: 1, text: 'Hello there.', speaker: 1, words: [] };
  const transcript = { format: 'earshot-transcript', version: 1, language: 'en', durationSeconds: 3, speakerCount: 1 };
  writeFileSync(join(folder, 'words.json'), JSON.stringify({ ...transcript, sentences: [sentence] }));
  await call('write_captions', { transcript: 'words.json', formats: 'srt, txt', speakers: ['Ann'] });
  expect(readFileSync(join(folder, 'words.txt'), 'utf8')).toContain('Ann: Hello there.');
  expect(readFileSync(join(folder, 'words.srt'), 'utf8')).toContain('00:00:00,000 --> ');
});

it('a passage is written before and after a tool', async () => {
  const given = { tool: 'adjust_loudness', file: 'tone.wav', options: '{"target": -20}', seconds: '1' };
  const { data } = await call('preview_tool', given);
  const { outputs } = data as { outputs: { filename: string }[] };
  expect(outputs.map(({ filename }) => filename)).toEqual(['tone.loudness.before.wav', 'tone.loudness.after.wav']);
});
