// @module-tag slow
// Every tool through its free API, once with its defaults, over real HTTP, on a real service.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toolSlugs } from '../../../../src/library/contract/tool-ids.ts';
import { readAll } from '../../../fixtures/media/media.ts';
import { writeWav } from '../../../fixtures/media/pcm-files.ts';
import { makeAvi } from '../../../fixtures/media/videos.ts';
import { tone as toneSamples } from '../../../fixtures/media/signals.ts';
import { recording } from '../../../fixtures/recordings.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { ended, type Fields, tone, tryTool } from './support.ts';

const services = useServices();
let service: TestService;
const folder = mkdtempSync(join(tmpdir(), 'earshot-test-try-'));
beforeAll(async () => {
  service = await services.start({ config: { freeWaitSeconds: '100', trustProxy: 'true' } });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sound = tone(3);
const video = async (): Promise<File> => {
  const path = await makeAvi(join(folder, 'clip.avi'), [toneSamples(48_000, 16_000, 300)], 16_000);
  return new File([new Uint8Array(readFileSync(path))], 'clip.avi');
};

/** Four and a half seconds: ask not what your country can do for you. */
const speechPath = join(folder, 'speech.wav');
const rate = 16_000;
writeWav(speechPath, [(readAll(recording('jfk.wav')).planes[0] as Float32Array).slice(3.1 * rate, 7.6 * rate)], rate);
const speech = new File([new Uint8Array(readFileSync(speechPath))], 'speech.wav');

const subtitles = new File(['1\n00:00:00,500 --> 00:00:02,000\nAsk not\n'], 'clip.srt');

const forms: Readonly<Partial<Record<keyof typeof toolSlugs, () => Fields | Promise<Fields>>>> = {
  remove_noise: () => [['file', sound]],
  enhance_voice: () => [['file', sound]],
  cut_audio: () => [
    ['ranges', '[[0.5, 1]]'],
    ['file', sound],
  ],
  remove_silence: () => [['file', sound]],
  adjust_loudness: () => [['file', sound]],
  convert_audio: () => [
    ['format', 'flac'],
    ['file', sound],
  ],
  join_audio: () => [
    ['file', sound],
    ['file', tone(2)],
  ],
  replace_audio: async () => [
    ['audio', sound],
    ['video', await video()],
  ],
  align_recordings: () => [
    ['file', speech],
    ['file', speech],
    ['find_only', 'true'],
  ],
  analyze_audio: () => [['file', sound]],
  check_audio: () => [
    ['file', sound],
    ['captions', subtitles],
  ],
  transcribe_audio: () => [['file', speech]],
  align_script: () => [
    ['text', 'Ask not what your country can do for you.'],
    ['file', speech],
  ],
  burn_captions: async () => [
    ['captions', subtitles],
    ['file', await video()],
  ],
  redact_audio: () => [
    ['file', speech],
    ['words', '["country"]'],
  ],
  remove_fillers: () => [['file', speech]],
  change_speed: () => [['file', speech]],
  label_audio: () => [
    ['title', 'Ask not'],
    ['file', speech],
  ],
  level_speakers: () => [['file', sound]],
  mix_tracks: () => [
    ['file', sound],
    ['tracks', '[{"role":"voice"},{"role":"music","volume_db":-6}]'],
    ['file', tone(3, 16_000, 700)],
    ['duck', 'true'],
  ],
};

const magic: Readonly<Record<string, RegExp>> = {
  'audio/wav': /^RIFF/,
  'audio/flac': /^fLaC/,
  'text/plain': /./,
  'video/x-msvideo': /^RIFF....AVI /s,
  'application/json': /^\{/,
};

it('every tool has a form here', () => expect(new Set(Object.keys(forms))).toEqual(new Set(Object.keys(toolSlugs))));

it.each(Object.keys(forms) as (keyof typeof toolSlugs)[])('%s answers with its result', async (id) => {
  const first = await tryTool(service, toolSlugs[id], (await forms[id]?.()) ?? []);
  // A recogniser on a busy machine may take longer than a request waits.
  if (first.status === 202) {
    const run = await ended(first.json.statusUrl as string);
    expect(run).toMatchObject({ tool: id, status: 'succeeded', free: true, error: null });
    expect(run.outputs.length).toBeGreaterThan(0);
    return;
  }
  const { status, headers, bytes, json } = first;
  expect(status, bytes.toString('latin1').slice(0, 500)).toBe(200);
  const type = headers.get('content-type')?.split(';')[0] ?? '';
  expect(bytes.toString('latin1', 0, 12)).toMatch(magic[type] ?? /nothing/);
  expect(Number(headers.get('content-length'))).toBe(bytes.length);
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename=\S+\.(?:wav|flac|avi|json)$/);
  const isFree = id === 'analyze_audio' || id === 'check_audio';
  const most = isFree ? 20 : 3;
  expect(headers.get('ratelimit-policy')).toBe(`"${id}-daily";q=${most};w=86400`);
  expect(headers.get('ratelimit')).toMatch(new RegExp(`^"${id}-daily";r=${most - 1};t=\\d+$`));
  expect(Number(headers.get('svc-processed-seconds'))).toBeGreaterThan(1.9);
  expect(headers.get('svc-full-price-credits')).toBe(isFree ? '0' : '1');
  expect(headers.get('svc-finish-url')).toBeNull();
  if (id === 'analyze_audio') expect(json).toMatchObject({ format: 'wav' });
  if (id === 'transcribe_audio' || id === 'align_script') {
    expect(json).toMatchObject({ format: 'earshot-transcript', language: 'en' });
    expect(JSON.stringify(json)).toMatch(/country/);
    // The other formats are links beside it.
    expect(headers.get('link')).toMatch(/\.srt>; rel="related"/);
  }
});
