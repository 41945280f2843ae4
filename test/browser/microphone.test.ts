// @module-tag slow
// The AudioWorklet of docs/sound.md in Chromium, with a file as its microphone: its blocks go over a websocket to the
// server of that page, and what is clean comes back.
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium, type Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { noiseRemoval } from '../../src/sound.ts';
import { hasChromium, launchOptions } from '../fixtures/browser/chromium.ts';
import { scratch } from '../fixtures/media/media.ts';
import { writeWav } from '../fixtures/media/pcm-files.ts';
import { tone } from '../fixtures/media/signals.ts';
import { until } from '../fixtures/until.ts';

const rate = 48_000;
const hertz = 1000;
const at = scratch();

/** The two scripts of the page, as they stand there. */
function sampleOf(address: string): { readonly worklet: string; readonly page: string } {
  const docs = readFileSync(new URL('../../docs/sound.md', import.meta.url), 'utf8');
  const block = /```js\n(\/\/ microphone\.js[^]*?)```/.exec(docs)?.[1] ?? '';
  const [worklet = '', page = ''] = block.split('// the page\n');
  expect(page).toContain('wss://example.com/sound');
  return { worklet, page: page.replace('wss://example.com/sound', address) };
}

/** How much of a sound is a tone of that frequency: 1 where it is nothing else. */
function shareOf(sound: Float32Array): number {
  let [real, imaginary, power] = [0, 0, 0];
  for (const [frame, sample] of sound.entries()) {
    const angle = (2 * Math.PI * hertz * frame) / rate;
    real += sample * Math.cos(angle);
    imaginary += sample * Math.sin(angle);
    power += sample * sample;
  }
  return (2 * (real * real + imaginary * imaginary)) / sound.length / power;
}

describe.skipIf(!hasChromium)('a microphone in a browser', () => {
  let browser: Browser;
  let pages: Server;
  let sockets: WebSocketServer;
  const blocks: Float32Array[] = [];
  let cleaned = 0;

  async function serve(socket: WebSocket): Promise<void> {
    const { readable, writable } = new TransformStream<Float32Array, Float32Array>();
    const writer = writable.getWriter();
    socket.on('message', (bytes: Buffer) => {
      const block = new Float32Array(Uint8Array.from(bytes).buffer);
      blocks.push(block);
      writer.write(block).catch(() => socket.close());
    });
    socket.on('close', () => void writer.close().catch(() => undefined));
    const clean = readable.pipeThrough(await noiseRemoval({ sampleRate: rate }, { engine: 'rnnoise' }));
    for await (const [mono] of clean) {
      cleaned += mono?.length ?? 0;
      socket.send(mono as Float32Array);
    }
  }

  beforeAll(async () => {
    writeWav(at('microphone.wav'), [tone(10 * rate, rate, hertz, 0.25)], rate);
    sockets = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    sockets.on('connection', (socket) => void serve(socket));
    await new Promise((resolve) => sockets.once('listening', resolve));
    const { worklet, page } = sampleOf(`ws://127.0.0.1:${(sockets.address() as AddressInfo).port}/sound`);
    const files: Record<string, [type: string, text: string]> = {
      '/': ['text/html', '<!doctype html><script type="module" src="page.js"></script>'],
      '/page.js': [
        'text/javascript',
        `${page}\nglobalThis.back = 0;\nsocket.addEventListener('message', ({ data }) => {` +
          'globalThis.back += data.byteLength / 4; });',
      ],
      '/microphone.js': ['text/javascript', worklet],
    };
    pages = createServer((request, response) => {
      const [type, text] = files[request.url ?? ''] ?? ['text/plain', ''];
      response.writeHead(text === '' ? 404 : 200, { 'content-type': type }).end(text);
    });
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    browser = await chromium.launch({
      ...launchOptions,
      args: [
        ...(launchOptions.args ?? []),
        '--use-fake-device-for-media-stream',
        '--use-fake-ui-for-media-stream',
        `--use-file-for-fake-audio-capture=${at('microphone.wav')}`,
        '--autoplay-policy=no-user-gesture-required',
      ],
    });
  }, 60_000);

  afterAll(async () => {
    await browser.close();
    for (const socket of sockets.clients) socket.terminate();
    sockets.close();
    pages.close();
  });

  it('sends what it hears in blocks of 128 frames, and gets it back clean', async () => {
    const page = await browser.newPage();
    const said: string[] = [];
    page.on('pageerror', ({ message }) => said.push(message));
    await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
    await until('two seconds are clean', () => cleaned >= 2 * rate);
    const back = (await page.evaluate('globalThis.back')) as number;
    await page.close();
    expect(said).toEqual([]);
    expect(new Set(blocks.map(({ length }) => length))).toEqual(new Set([128]));
    expect(back).toBeGreaterThan(rate);
    // What was heard is what the file plays: a second of it, behind the first half, in which a browser fades in.
    const heard = Float32Array.from(blocks.slice(rate / 256, rate / 256 + rate / 128).flatMap((block) => [...block]));
    expect(shareOf(heard)).toBeGreaterThan(0.98);
    // As much as went in, but for what the network holds back.
    expect(blocks.length * 128 - cleaned).toBeLessThan(rate);
  });
});
