// @module-tag slow
// Tools in a tab of Chromium, beside the same tools in Node over the same kernels.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildBrowser } from '../../scripts/build-browser.mjs';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import { createEngine } from '../../src/index.ts';
import { hasChromium, launchOptions } from '../fixtures/browser/chromium.ts';
import { serveTab, type TabServer } from '../fixtures/browser/tab-server.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const folder = temporaryFolder('earshot-tab-');
const modelsFolder = fileURLToPath(new URL('../../models', import.meta.url));
const recording = (name: string): string => fileURLToPath(new URL(`../recordings/${name}`, import.meta.url));

/** A recording as WAV of another form. */
function wave(name: string, from: string, ...options: readonly string[]): string {
  const path = join(folder, name);
  execFileSync('ffmpeg', ['-v', 'error', '-y', '-i', recording(from), ...options, path]);
  return path;
}

/** A file as it is on the disk, and as it is after an accident. */
function spoilt(name: string, path: string, spoil: (bytes: Buffer) => Buffer): string {
  const to = join(folder, name);
  writeFileSync(to, spoil(readFileSync(path)));
  return to;
}

/** With a number of four bytes in the head of a WAV file. */
const stating = (at: number, value: number) => (bytes: Buffer) => {
  bytes.writeUInt32LE(value, at);
  return bytes;
};

/** What a WAV file holds behind its head. */
const soundOf = (bytes: Buffer): Buffer => bytes.subarray(bytes.indexOf('data') + 8);

/** The script of a page may be complete after the page is. */
async function open(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.evaluate(`(async () => {
    while (!globalThis.abortRun) await new Promise((resolve) => setTimeout(resolve, 10));
  })()`);
}

/** What a run in the tab answers. */
interface Ran {
  readonly outputs: readonly { readonly filename: string; readonly format: string; readonly sizeBytes: number }[];
  readonly result: object;
  readonly warnings: readonly unknown[];
  readonly processedSeconds: number;
  readonly progress: readonly { readonly progress: number; readonly stage: string }[];
}

interface Failed {
  readonly name: string;
  readonly code?: string;
  readonly message: string;
  readonly nextAction?: string;
}

describe.skipIf(!hasChromium)('earshot/browser', () => {
  let server: TabServer;
  let browser: Browser;
  let page: Page;
  const asked: string[] = [];
  const said: string[] = [];
  const files = [
    wave('float.wav', 'sonnet001.mp3', '-t', '12', '-c:a', 'pcm_f32le', '-metadata', 'title=Sonnet'),
    wave('deep.wav', 'jfk.flac', '-t', '8', '-ac', '2', '-c:a', 'pcm_s24le'),
    wave('usual.wav', 'clean_speech_48k.flac', '-t', '8', '-c:a', 'pcm_s16le'),
    recording('jfk.flac'),
    recording('sonnet001.mp3'),
    wave('spoken.wav', 'jfk.flac', '-t', '4.5'),
  ] as const;
  const [float, deep, usual, flac, mp3, spoken] = files;
  /** Whole milliseconds of one channel: file, frames, and how far it may be from FFmpeg's decoder, in steps. */
  const lossy = (
    [
      ['aac.m4a', 44_100, 0, '-c:a', 'aac'],
      ['aac.mov', 48_000, 0, '-c:a', 'aac'],
      ['vorbis.ogg', 44_100, 1, '-c:a', 'libvorbis'],
      ['opus.opus', 48_000, 60, '-c:a', 'libopus'],
      ['opus.mp4', 48_000, 60, '-c:a', 'libopus'],
      ['opus.webm', 48_000, 60, '-c:a', 'libopus'],
      ['flac.mkv', 48_000, 0, '-c:a', 'flac', '-sample_fmt', 's16'],
    ] as const
  ).map(
    ([name, rate, most, ...codec]) =>
      [
        name,
        wave(name, 'clean_speech_48k.flac', '-t', '2.13', '-ac', '1', '-ar', String(rate), ...codec),
        Math.round(2.13 * rate),
        most,
      ] as const,
  );

  const half = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.length / 2);
  const cutOff = [
    spoilt('cut.wav', usual, half),
    spoilt('cut.flac', flac, half),
    spoilt('cut.mp3', mp3, half),
  ] as const;
  const broken = [
    spoilt('head.wav', usual, (bytes) => bytes.subarray(0, 30)),
    spoilt('rate.wav', usual, stating(24, 0xffff_ffff)),
    spoilt('still.wav', usual, stating(24, 0)),
    spoilt('lie.flac', flac, (bytes) => bytes.fill(0xff, 18, 26)),
    // Its list of tracks lies at the end.
    spoilt('cut.m4a', join(folder, 'aac.m4a'), half),
  ] as const;

  beforeAll(async () => {
    await buildWasm();
    await buildBrowser(folder);
    server = await serveTab(folder, [...files, ...lossy.map(([, path]) => path), ...cutOff, ...broken]);
    browser = await chromium.launch(launchOptions);
    page = await browser.newPage();
    page.on('request', (request) => asked.push(request.url()));
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', ({ message }) => said.push(message));
    await open(page, server.url);
  }, 120_000);

  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  /** Runs a tool on a file in the tab; its outputs are in `server.sent`. */
  const run = (
    tool: string,
    path: string | readonly string[],
    options: object = {},
    models?: string,
  ): Promise<Ran | { readonly failed: Failed }> => {
    const names = [path].flat().map((one) => basename(one));
    return page.evaluate(`runTool(${JSON.stringify({ tool, names, options, models })})`);
  };

  /** The same in Node, over the same kernels. */
  async function inNode(
    tool: string,
    path: string | readonly string[],
    options: object,
    // Without models, as in the tab.
    modelsDir = folder,
  ): Promise<{ bytes: Buffer[]; answer: object }> {
    Object.assign(process.env, { EARSHOT_KERNELS: 'wasm', EARSHOT_MODELS_PACKAGE: '' });
    const engine = createEngine({ modelsDir });
    try {
      const outputDir = temporaryFolder('earshot-tab-node-');
      const { outputs, result, warnings, processedSeconds } = await engine.run(tool as 'cut_audio', path, options, {
        outputDir,
      });
      return {
        bytes: outputs.map((output) => readFileSync(output.path)),
        answer: { result, warnings, processedSeconds, names: outputs.map(({ filename }) => filename) },
      };
    } finally {
      await engine.close();
      delete process.env['EARSHOT_KERNELS'];
      delete process.env['EARSHOT_MODELS_PACKAGE'];
    }
  }

  /** Holds what a run in the tab has answered and written against Node. */
  async function check(
    tool: string,
    path: string | readonly string[],
    options: object,
    ran: Ran | { readonly failed: Failed },
    modelsDir = folder,
  ): Promise<void> {
    if ('failed' in ran) throw new Error(`${tool}: ${ran.failed.message}`);
    const { bytes, answer } = await inNode(tool, path, options, modelsDir);
    const { outputs, result, warnings, processedSeconds } = ran;
    expect({ result, warnings, processedSeconds, names: outputs.map(({ filename }) => filename) }).toEqual(answer);
    expect(outputs.length).toBe(bytes.length);
    for (const [index, { filename }] of outputs.entries())
      expect(server.sent.get(`${tool}.${filename}`)?.equals(bytes[index] as Buffer), filename).toBe(true);
  }

  it.each([
    ['analyze_audio', float, {}],
    ['analyze_audio', usual, {}],
    ['adjust_loudness', float, {}],
    ['adjust_loudness', deep, { target: 'streaming' }],
    ['adjust_loudness', usual, {}],
    ['convert_audio', deep, { format: 'wav', channels: 'mono' }],
    ['convert_audio', usual, { format: 'wav', sample_rate: 44_100 }],
    ['convert_audio', flac, { format: 'wav' }],
    [
      'cut_audio',
      usual,
      {
        ranges: [
          [1, 3.3],
          [5, 7],
        ],
      },
    ],
    ['cut_audio', float, { ranges: [[0.5, 4]], mode: 'remove' }],
    ['remove_silence', float, {}],
    ['remove_silence', usual, {}],
    ['check_audio', usual, {}],
    ['remove_noise', float, {}],
    ['remove_noise', usual, { method: 'steady' }],
    ['level_speakers', deep, {}],
    ['join_audio', [deep, float], { output_format: 'wav' }],
    ['mix_tracks', [float, usual], {}],
    ['enhance_voice', usual, {}],
  ] as const)('%s writes and answers in the tab what it does in Node: %s', async (tool, path, options) => {
    await check(tool, path, options, await run(tool, path, options));
  });

  it('reads MP3 from its first sample to its last, without what its encoder added', async () => {
    const ran = (await run('convert_audio', mp3, { format: 'wav' })) as Ran;
    const {
      bytes: [node = Buffer.alloc(0)],
    } = await inNode('convert_audio', mp3, { format: 'wav' });
    const tab = server.sent.get(`convert_audio.${ran.outputs[0]?.filename}`) as Buffer;
    expect(tab.length).toBe(node.length);
    const dataAt = node.indexOf('data') + 8;
    let most = 0;
    for (let at = dataAt; at + 1 < node.length; at += 2)
      most = Math.max(most, Math.abs(node.readInt16LE(at) - tab.readInt16LE(at)));
    // Another decoder, which rounds elsewhere.
    expect(most).toBeLessThanOrEqual(1);
  });

  it.each(lossy)('reads %s from its first sample to its last', async (_, file, frames, most) => {
    const ran = (await run('convert_audio', file, { format: 'wav' })) as Ran;
    const tab = server.sent.get(`convert_audio.${ran.outputs[0]?.filename}`) as Buffer;
    const { bytes } = await inNode('convert_audio', file, { format: 'wav' });
    const [here, node] = [soundOf(tab), soundOf(bytes[0] as Buffer)];
    expect(here.length / 2).toBe(frames);
    let largest = 0;
    for (let at = 0; at < 2 * frames; at += 2)
      largest = Math.max(largest, Math.abs(here.readInt16LE(at) - node.readInt16LE(at)));
    expect(largest).toBeLessThanOrEqual(most);
  });

  it.each(cutOff)('reads what there is of %s, and says that it is cut off', async (file) => {
    expect(await run('convert_audio', file, { format: 'wav' })).toMatchObject({
      warnings: [{ code: 'truncated' }],
      outputs: [{ format: 'wav' }],
    });
  });

  it.each(broken)('refuses %s as damaged', async (file) => {
    expect(await run('convert_audio', file, { format: 'wav' })).toMatchObject({ failed: { code: 'file_invalid' } });
  });

  it('keeps outputs on the disk, also when another page begins, until they are discarded', async () => {
    expect(await page.evaluate(`keepOutput(${JSON.stringify(basename(usual))})`)).toMatchObject({
      kept: 1,
      read: 'NotFoundError',
      left: [],
      other: 8,
    });
    const { bytes } = await inNode('adjust_loudness', usual, {});
    expect(server.sent.get('kept.wav')?.equals(bytes[0] as Buffer)).toBe(true);
  });

  it('tells progress that never falls and ends with 1', async () => {
    const { progress } = (await run('adjust_loudness', deep)) as Ran;
    const values = progress.map((each) => each.progress);
    expect(values).toEqual(values.toSorted((a, b) => a - b));
    expect(progress[0]).toMatchObject({ progress: 0, stage: 'queued' });
    expect(progress.at(-1)).toMatchObject({ progress: 1, stage: 'done' });
    expect(new Set(progress.map(({ stage }) => stage)).size).toBeGreaterThan(2);
  });

  it('says what it cannot do here, and who can', async () => {
    const { failed } = (await run('adjust_loudness', mp3)) as { failed: Failed };
    expect(failed).toMatchObject({ code: 'unsupported_format', message: expect.stringContaining('mp3') as string });
    expect(failed.nextAction).toContain('service');
    expect(await run('convert_audio', deep, { format: 'wav', channels: 'all' })).toMatchObject({
      failed: { code: 'bad_request', message: expect.stringContaining('channels') as string },
    });
    expect(await run('change_speed', deep)).toMatchObject({
      failed: { code: 'bad_request', message: expect.stringContaining("browser's tab") as string },
    });
    expect(await run('transcribe_audio', deep, { speaker_labels: false })).toMatchObject({
      failed: { code: 'tool_unavailable', nextAction: expect.stringContaining('docs/browser.md') as string },
    });
    expect(await run('transcribe_audio', deep, {}, '/models')).toMatchObject({
      failed: { code: 'tool_unavailable', nextAction: expect.stringContaining('speaker_labels') as string },
    });
  });

  it('keeps no model that is damaged, too long or cut short', async () => {
    const whole = readFileSync(join(modelsFolder, 'silero-vad/silero_vad.onnx'));
    const damaged = Buffer.from(whole);
    damaged[1_000_000] = (damaged[1_000_000] as number) ^ 1;
    for (const bytes of [damaged, whole.subarray(1), Buffer.concat([whole, Buffer.from([0])])]) {
      server.instead.set('silero_vad.onnx', bytes);
      expect(await page.evaluate(`fetchModel('silero-vad')`)).toMatchObject({
        code: 'tool_unavailable',
        isKept: false,
      });
    }
    server.instead.clear();
    expect(await page.evaluate(`fetchModel('whisper-huge')`)).toMatchObject({ code: 'bad_request' });
  });

  it('transcribes as Node does to the byte, with models that are fetched once and can be removed', async () => {
    const fetched = (): number => asked.filter((url) => url.includes('/models/')).length;
    expect(await page.evaluate(`fetchModel('silero-vad')`)).toMatchObject({
      told: expect.arrayContaining([1]) as number[],
    });
    const options = { speaker_labels: false, captions: ['ass'] };
    await check(
      'transcribe_audio',
      spoken,
      options,
      await run('transcribe_audio', spoken, options, '/models'),
      modelsFolder,
    );
    expect(server.sent.get('transcribe_audio.spoken.txt')?.toString()).toContain('my fellow Americans');
    const before = fetched();
    expect(await page.evaluate(`fetchModel('whisper-base')`)).toMatchObject({
      told: expect.arrayContaining([1]) as number[],
    });
    expect(fetched()).toBe(before);
    const kept: { before: { isKept: boolean }[]; after: { id: string; isKept: boolean }[] } =
      await page.evaluate(`removeModel('whisper-base')`);
    expect(kept.before.map(({ isKept }) => isKept)).toEqual([true, true, true]);
    expect(kept.after.filter(({ isKept }) => !isKept).map(({ id }) => id)).toEqual(['whisper-base']);
  }, 120_000);

  it.each([
    ['align_script', { text: 'And so, my fellow Americans: ask not' }],
    ['remove_fillers', {}],
  ] as const)(
    '%s writes and answers what it does in Node with the same models',
    async (tool, options) => {
      await check(tool, spoken, options, await run(tool, spoken, options, '/models'), modelsFolder);
    },
    120_000,
  );

  it('ends a run at once when its signal fires, and leaves no file behind', async () => {
    const ended: { readonly milliseconds: number } = await page.evaluate(
      `abortRun(${JSON.stringify(basename(float))})`,
    );
    expect(ended).toMatchObject({ error: 'AbortError', left: [] });
    expect(ended.milliseconds).toBeLessThan(5000);
  });

  it('runs the page of docs/browser.md as it is written there', async () => {
    const guide = await browser.newPage();
    await guide.goto(`${server.url}docs`);
    await guide.setInputFiles('#file', usual);
    const link = guide.locator('#said a');
    await link.waitFor({ timeout: 60_000 });
    expect(await link.textContent()).toMatch(/^usual\.loudness\.wav: -16(?:\.0\d)? LUFS$/);
    await guide.close();
  });

  it('asks no host but the page of its own, and breaks no rule of its policy', () => {
    const others = asked.filter((url) => !url.startsWith(server.url) && !url.startsWith('blob:'));
    expect(others).toEqual([]);
    expect(said).toEqual([]);
  });

  it('stays within its sizes: 100 kB for the kernels, 75 for measuring a WAV', async () => {
    const size = (path: string): number => brotliCompressSync(readFileSync(join(folder, path))).length;
    expect(size('browser/earshot.wasm')).toBeLessThan(100_000);
    const fresh = await browser.newPage();
    const loaded = new Set<string>();
    fresh.on('request', (request) => loaded.add(new URL(request.url()).pathname));
    await open(fresh, server.url);
    await fresh.evaluate(
      `runTool(${JSON.stringify({ tool: 'analyze_audio', names: [basename(usual)], options: {} })})`,
    );
    await fresh.close();
    const scripts = [...loaded].filter((path) => path.endsWith('.js') && path !== '/page.js');
    expect(scripts.length).toBeGreaterThan(5);
    expect(scripts.reduce((sum, path) => sum + size(path), 0)).toBeLessThan(75_000);
  });
});
