// @module-tag slow
// An episode with chapters in three calls through a service, by the official client, on real sound.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { needFfmpeg } from '../../../fixtures/media/media.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { eventually } from '../../../fixtures/until.ts';

const services = useServices();
const folder = mkdtempSync(join(tmpdir(), 'earshot-test-episode-'));
let service: TestService;
let client: Client;

// oxlint-disable-next-line typescript/no-explicit-any -- tests read whatever was answered
type Answer = any;
const call = async (name: string, given: object): Promise<Answer> =>
  client.callTool({ name, arguments: given as never });

beforeAll(async () => {
  service = await services.start();
  const { key } = await service.account(1000);
  client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const headers = { authorization: `Bearer ${key}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service.base}/mcp`), { requestInit: { headers } }));
});
afterAll(async () => {
  await client.close();
  rmSync(folder, { recursive: true, force: true });
});

it('comes with title, show, and chapters that moved with the pauses that were cut', async (context) => {
  needFfmpeg(context);
  // Five seconds of speech, four of nothing, speech.
  const talk = join(folder, 'talk.wav');
  const filter = '[0:a]apad=pad_dur=4[a];[a][1:a]concat=v=0:a=1';
  const source = ['-t', '5', '-i', 'docs/samples/talk.opus', '-t', '5', '-i', 'docs/samples/talk.opus'];
  execFileSync('ffmpeg', ['-v', 'error', ...source, '-filter_complex', filter, '-ar', '16000', talk]);
  const body = readFileSync(talk);

  // One: a place for the recording, which the program fills.
  const { structuredContent: made } = await call('create_upload', { filename: 'talk.wav', size_bytes: body.length });
  expect((await fetch(made.upload.url, { method: 'PUT', headers: made.upload.headers, body })).ok).toBe(true);
  await eventually(async () =>
    expect((await call('get_file', { file_id: made.file.id })).structuredContent.status).toBe('ready'),
  );
  // Two: the episode.
  let answer = await call('make_episode', {
    tracks: [{ file_id: made.file.id }],
    title: 'On walking',
    show: 'Long talks',
    chapters: [
      { start_seconds: 0, title: 'Errors' },
      { start_seconds: '0:09', title: 'Again' },
    ],
  });
  expect(answer.isError).toBeUndefined();
  // Three: its end.
  while (['queued', 'running'].includes(answer.structuredContent.status))
    answer = await call('get_job', { job_id: answer.structuredContent.id, wait: 40 });
  expect(answer.structuredContent).toMatchObject({ status: 'succeeded', error: null });

  const links: { uri: string; name: string }[] = answer.content.filter(({ type }: Answer) => type === 'resource_link');
  expect(links.map(({ name }) => name.split('.').at(-1)).toSorted()).toEqual(['json', 'mp3', 'srt', 'txt', 'vtt']);
  const episode = join(folder, 'episode.mp3');
  const sound = links.find(({ name }) => name.endsWith('.mp3'));
  writeFileSync(episode, new Uint8Array(await (await fetch(sound?.uri ?? '')).arrayBuffer()));
  const asked = [
    '-v',
    'error',
    '-show_chapters',
    '-show_entries',
    'format=duration:format_tags',
    '-of',
    'json',
    episode,
  ];
  const read = JSON.parse(execFileSync('ffprobe', asked, { encoding: 'utf8' })) as {
    format: { duration: string; tags: Record<string, string> };
    chapters: { start_time: string; tags: { title: string } }[];
  };
  expect(read.format.tags).toMatchObject({ title: 'On walking', album: 'Long talks' });
  expect(read.chapters.map(({ tags }) => tags.title)).toEqual(['Errors', 'Again']);
  // As much later as was cut out before it.
  const steps: { tool: string; results: { cuts?: [number, number][] }[] }[] = answer.structuredContent.steps;
  const cuts = steps.flatMap(({ results }) => results.flatMap(({ cuts: made = [] }) => made));
  const removed = cuts.reduce((sum, [start, end]) => sum + Math.max(0, Math.min(9, end) - Math.min(9, start)), 0);
  expect(removed).toBeGreaterThan(2);
  expect(Math.abs(Number(read.chapters[1]?.start_time) - (9 - removed))).toBeLessThan(0.05);
});
