// @module-tag slow
// An episode with chapters in three calls through a service, by the official client, on real sound.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ffmpeg, ffprobe, loudnessByFfmpeg, needFfmpeg } from '../../../fixtures/media/media.ts';
import { createLinkFetcher } from '../../../../src/service/adapters/links/link-fetcher.ts';
import { startLinkServer, type LinkServer } from '../../../fixtures/links/server.ts';
import { wavBytes } from '../../../fixtures/media/pcm-files.ts';
import { tone } from '../../../fixtures/media/signals.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';

const services = useServices();
const folder = mkdtempSync(join(tmpdir(), 'earshot-test-episode-'));
let service: TestService;
let client: Client;
let world: LinkServer;
/** What the link to a cover leads to. */
let picture: Buffer = Buffer.from('no picture');

/** A picture, in the form of the name's extension. */
function drawn(name: string): Buffer {
  ffmpeg('-f', 'lavfi', '-i', 'testsrc=s=96x96', '-frames:v', '1', join(folder, name));
  return readFileSync(join(folder, name));
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests read whatever was answered
type Answer = any;
const call = async (name: string, given: object): Promise<Answer> =>
  client.callTool({ name, arguments: given as never });

beforeAll(async () => {
  world = await startLinkServer((_, response) =>
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': picture.length }).end(picture),
  );
  service = await services.start({ links: createLinkFetcher({ network: world.network }) });
  const { key } = await service.account(1000);
  client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const headers = { authorization: `Bearer ${key}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service.base}/mcp`), { requestInit: { headers } }));
});
afterAll(async () => {
  await client.close();
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

it('comes with title, show, cover, loudness, and chapters that moved with the pauses that were cut', async (context) => {
  needFfmpeg(context);
  // Five seconds of speech, four of nothing, speech.
  const talk = join(folder, 'talk.wav');
  const filter = '[0:a]apad=pad_dur=4[a];[a][1:a]concat=v=0:a=1';
  const source = ['-t', '5', '-i', 'docs/samples/talk.opus', '-t', '5', '-i', 'docs/samples/talk.opus'];
  ffmpeg(...source, '-filter_complex', filter, '-ar', '16000', talk);
  const body = readFileSync(talk);
  picture = drawn('a.png');

  // One: a place for the recording, which the program fills.
  const { structuredContent: made } = await call('create_upload', { filename: 'talk.wav', size_bytes: body.length });
  expect((await fetch(made.upload.url, { method: 'PUT', headers: made.upload.headers, body })).ok).toBe(true);
  // Two: the episode.
  let answer = await call('make_episode', {
    tracks: [{ file_id: made.file.id }],
    title: 'On walking',
    show: 'Long talks',
    cover: 'https://media.example.com/cover',
    target: -19,
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
  expect(links.map(({ name }) => extname(name)).toSorted()).toEqual(['.json', '.mp3', '.srt', '.txt', '.vtt']);
  const episode = join(folder, 'episode.mp3');
  const sound = links.find(({ name }) => name.endsWith('.mp3'));
  writeFileSync(episode, new Uint8Array(await (await fetch(sound?.uri ?? '')).arrayBuffer()));
  const read = ffprobe(episode);
  expect(read.format.tags).toMatchObject({ title: 'On walking', album: 'Long talks' });
  expect(read.chapters.map(({ tags }) => tags?.['title'])).toEqual(['Errors', 'Again']);
  expect(Math.abs(loudnessByFfmpeg(episode).lufs + 19)).toBeLessThan(0.3);
  expect(ffmpeg('-i', episode, '-map', '0:v', '-c', 'copy', '-f', 'image2pipe', '-').equals(picture)).toBe(true);
  // As much later as was cut out before it.
  const steps: { tool: string; results: { cuts?: [number, number][] }[] }[] = answer.structuredContent.steps;
  const cuts = steps.flatMap(({ results }) => results.flatMap(({ cuts: made = [] }) => made));
  const removed = cuts.reduce((sum, [start, end]) => sum + Math.max(0, Math.min(9, end) - Math.min(9, start)), 0);
  expect(removed).toBeGreaterThan(2);
  expect(Math.abs(Number(read.chapters[1]?.start_time) - (9 - removed))).toBeLessThan(0.05);
});

it('is not begun with a cover that is none, that is cut off or that is a recording', async (context) => {
  needFfmpeg(context);
  const whole = drawn('b.jpg');
  const body = wavBytes([tone(16_000, 16_000, 440, 0.1)], 16_000);
  const { structuredContent: made } = await call('create_upload', { filename: 'talk.wav', size_bytes: body.length });
  await fetch(made.upload.url, { method: 'PUT', headers: made.upload.headers, body: new Uint8Array(body) });
  await call('get_file', { file_id: made.file.id });
  const tracks = [{ file_id: made.file.id }];
  const refusalOf = async (cover: string): Promise<string> => {
    const { isError, structuredContent } = await call('make_episode', { tracks, cover });
    return isError === true ? `${structuredContent.error.code}: ${structuredContent.error.message}` : 'none';
  };
  picture = whole.subarray(0, whole.length / 2);
  expect(await refusalOf('https://media.example.com/half')).toMatch(/^file_invalid: .*is cut off/);
  picture = Buffer.from('%PDF-1.7 and so on');
  expect(await refusalOf('https://media.example.com/paper')).toMatch(/^file_invalid: .*cannot be used/);
  expect(await refusalOf(tracks[0]!.file_id)).toMatch(/^bad_request: .*Expected a JPEG or PNG for cover/);
  expect(await refusalOf('https://10.0.0.1/cover.png')).toMatch(/^bad_request: /);
  expect(await refusalOf('file:///etc/passwd')).toMatch(/^bad_request: /);
  expect(await refusalOf('file_0')).toMatch(/^not_found: .*file_0/);
});
