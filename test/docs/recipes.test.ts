// @module-tag nightly
// Every command and program of docs/recipes.md is run, but Docker's, which test/deploy reads.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { probe } from '../../src/library/media/read/probe.ts';
import { skipForMissing } from '../fixtures/missing-part.ts';
import { ffmpeg, hasFfmpeg } from '../fixtures/media/media.ts';
import { recording } from '../fixtures/recordings.ts';
import { until } from '../fixtures/until.ts';
import { blocksOf, makePrograms, root, shell } from './pages.ts';

const folder = mkdtempSync(join(tmpdir(), 'earshot-recipes-'));
const programs = makePrograms(folder);
const blocks = blocksOf('docs/recipes.md');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(() => {
  if (!hasFfmpeg) return;
  const talk = ['-i', join(root, 'docs/samples/talk.opus')];
  ffmpeg(...talk, join(folder, 'interview.wav'));
  const pictures = ['-f', 'lavfi', '-i', 'testsrc=size=160x120:rate=15:duration=14'];
  ffmpeg(...pictures, ...talk, '-shortest', '-pix_fmt', 'yuv420p', join(folder, 'film.mp4'));
  ffmpeg('-f', 'lavfi', '-i', 'aevalsrc=0.2*sin(2*PI*220*t)*(0.6+0.4*sin(2*PI*t)):d=14', join(folder, 'music.wav'));
  cpSync(join(folder, 'interview.wav'), join(folder, 'host.wav'));
  cpSync(recording('jfk.wav'), join(folder, 'guest.wav'));
  writeFileSync(join(folder, 'script.txt'), 'This is me talking really slow and slightly lower in intensity.');
  mkdirSync(join(folder, 'recordings'));
  cpSync(recording('jfk.wav'), join(folder, 'recordings/a.wav'));
  cpSync(recording('austen-0870.wav'), join(folder, 'recordings/b.wav'));
});

const scripts = blocks.filter(({ language, code }) => language === 'sh' && !code.includes('docker'));
const codeOf = (language: string): string => blocks.find((block) => block.language === language)?.code ?? '';

/** The commands in order: later ones take what earlier ones made. */
it.each(scripts.map(({ heading, code }) => [heading, code] as const))('%s', async (_, code) => {
  if (!hasFfmpeg) return;
  const { code: status, output } = await shell(code, { cwd: folder, programs });
  expect(`${status} ${status === 0 ? '' : output}`).toBe('0 ');
  const places = [...code.matchAll(/ (?:-o|--png|--spectrogram|--report) ([\w./-]+)/g)].map(([, place = '']) => place);
  const written = readdirSync(folder);
  // A preview's files begin with the name.
  const isThere = (place: string): boolean =>
    existsSync(join(folder, place)) || written.includes(`${place}.before.wav`);
  for (const place of places) expect(isThere(place), place).toBe(true);
});

it('commands make what they say', async (context) => {
  if (!hasFfmpeg) skipForMissing(context, 'ffmpeg');
  const { chapters } = JSON.parse(readFileSync(join(folder, 'chapters.json'), 'utf8')) as { chapters: object[] };
  expect(chapters).toMatchObject([{ title: 'Intro' }, { startTime: 4 }, { startTime: 9.5, title: 'Thanks' }]);
  expect(readFileSync(join(folder, 'film.srt'), 'utf8')).toMatch(/talking really slow/);
  expect((await probe(join(folder, 'film-new.mp4'))).hasVideo).toBe(true);
  expect((await probe(join(folder, 'ready/a.loudness.mp3'))).audio?.codec).toBe('mp3');
});

it('the player draws every bin of its peaks', async (context) => {
  if (!hasFfmpeg) skipForMissing(context, 'ffmpeg');
  const script = /<script type="module">([\s\S]*?)<\/script>/.exec(codeOf('html'))?.[1] ?? '';
  // What the script takes of a browser.
  const browser = `
    import { readFileSync } from 'node:fs';
    const drawn = [];
    const context = { clearRect() {}, fillRect: (x, y, width, height) => drawn.push([x, y, width, height]) };
    const elements = { canvas: { width: 1200, height: 160, getContext: () => context }, audio: { currentTime: 0 } };
    globalThis.document = { querySelector: (name) => elements[name] };
    globalThis.fetch = (name) => Promise.resolve({ json: () => JSON.parse(readFileSync(name, 'utf8')) });`;
  writeFileSync(join(folder, 'player.mjs'), `${browser}${script}console.log(JSON.stringify(drawn));`);
  const { output } = await shell('node player.mjs', { cwd: folder, programs });
  const bars = JSON.parse(output) as [x: number, y: number, width: number, height: number][];
  expect(bars.length).toBe(Math.ceil(50 * 14));
  for (const [x, y, width, height] of bars) {
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThan(1202);
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y + height).toBeLessThanOrEqual(160);
  }
  // The loudest sample of the sample is at -3.7 dBFS: a bar of about two thirds of half the height.
  expect(Math.min(...bars.map(([, y]) => y))).toBeCloseTo(80 - 78 * 10 ** (-3.7 / 20), -0.7);
});

it('the Node service answers, says what is wrong with a file, and ends', async (context) => {
  if (!hasFfmpeg) skipForMissing(context, 'ffmpeg');
  writeFileSync(
    join(folder, 'server.ts'),
    codeOf('ts').replace("'earshot'", JSON.stringify(join(root, 'src/index.ts'))),
  );
  const environment = { ...process.env, PORT: '0', FORCE_COLOR: '0' };
  const server = spawn(process.execPath, ['server.ts'], { cwd: folder, env: environment });
  onTestFinished(() => void server.kill('SIGKILL'));
  let said = '';
  for (const stream of [server.stdout, server.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = once(server, 'close');
  await until('the service listens', () => said.includes('port:'));
  const port = /port: (\d+)/.exec(said)?.[1] ?? '';
  const send = (body: Uint8Array | string, name: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}/?name=${name}`, { method: 'POST', body });
  const answer = await send(readFileSync(join(folder, 'interview.wav')), 'interview.wav');
  expect(answer.headers.get('content-type')).toBe('audio/mpeg');
  writeFileSync(join(folder, 'answer.mp3'), Buffer.from(await answer.arrayBuffer()));
  expect((await probe(join(folder, 'answer.mp3'))).durationSeconds).toBeCloseTo(14, 1);
  expect(said).toMatch(/interview\.wav \S.* 100 %/);
  const refused = await send('no sound', 'text.wav');
  expect({ status: refused.status, ...((await refused.json()) as object) }).toMatchObject({
    status: 422,
    code: expect.stringMatching(/file_invalid|unsupported_format/),
  });
  // A client that hangs up in the middle of its upload.
  const upload = request({ port, host: '127.0.0.1', method: 'POST', path: '/?name=gone.wav' });
  upload.on('error', () => {});
  upload.write('RIFF');
  await until('the upload has begun', () => said.includes('gone.wav queued'));
  upload.destroy();
  await until('the run has ended', () => said.includes('gone.wav hung up'));
  server.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});
