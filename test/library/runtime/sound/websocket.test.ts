// @module-tag slow
// A microphone over a websocket: blocks of 128 frames at the clock of a sound card, which is not the computer's,
// and a server that answers them clean. The server is that of docs/sound.md.
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type WebSocket, WebSocket as Client, WebSocketServer } from 'ws';
import { noiseRemoval } from '../../../../src/sound.ts';
import { differenceOf } from '../../../fixtures/media/difference.ts';
import { noise, voice } from '../../../fixtures/media/signals.ts';

const rate = 48_000;
/** A usual card is off by some 30 millionths; this one by 300. */
const cardRate = rate * 1.0003;
const blockFrames = 128;
const seconds = 2;
const speech = voice(seconds * rate, rate, 5, 0.3);
const hiss = noise(speech.length, 6, 0.03);
const heard = speech.map((sample, at) => sample + (hiss[at] as number));

async function serve(socket: WebSocket): Promise<void> {
  // Listening from the first message on, also while the network is loaded.
  const { readable, writable } = new TransformStream<Float32Array, Float32Array>();
  const writer = writable.getWriter();
  socket.on('message', (bytes: Buffer) => {
    if (bytes.length === 0) writer.close().catch(() => socket.close());
    else writer.write(new Float32Array(Uint8Array.from(bytes).buffer)).catch(() => socket.close());
  });
  const stage = await noiseRemoval({ sampleRate: rate }, { engine: 'rnnoise' });
  for await (const [mono] of readable.pipeThrough(stage)) socket.send(mono as Float32Array);
  socket.close();
}

it("a microphone's blocks come back over a websocket as the whole sound does", async () => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await new Promise((resolve) => server.once('listening', resolve));
  server.on('connection', (socket) => void serve(socket));
  const client = new Client(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  try {
    await new Promise((resolve) => client.once('open', resolve));
    // The network is loaded once in a process.
    await noiseRemoval({ sampleRate: rate }, { engine: 'rnnoise' });
    const parts: Float32Array[] = [];
    let [sent, back] = [0, 0];
    const waits: number[] = [];
    const begin = performance.now();
    client.on('message', (bytes: Buffer) => {
      const part = new Float32Array(Uint8Array.from(bytes).buffer);
      parts.push(part);
      back += part.length;
      // When the first of these frames was spoken.
      waits.push(performance.now() - begin - ((back - part.length) / cardRate) * 1000);
    });
    const closed = new Promise((resolve) => client.once('close', resolve));
    while (sent < heard.length) {
      // What the card has by now: timers are coarser than its blocks.
      const due = ((performance.now() - begin) / 1000) * cardRate;
      while (sent + blockFrames <= due && sent < heard.length) {
        client.send(heard.slice(sent, sent + blockFrames));
        sent += blockFrames;
      }
      await delay(2);
    }
    client.send(new Uint8Array());
    await closed;
    const received = Float32Array.from(parts.flatMap((part) => [...part]));
    const whole = await noiseRemoval({ sampleRate: rate }, { engine: 'rnnoise' });
    const writer = whole.writable.getWriter();
    void writer.write(heard).then(() => writer.close());
    const expected: number[] = [];
    for await (const [mono] of whole.readable) expected.push(...(mono as Float32Array));
    expect(differenceOf([received], [Float32Array.from(expected)])).toBeNull();
    const usual = waits.toSorted((a, b) => a - b)[Math.floor(waits.length / 2)] as number;
    console.log(
      `a block comes back after ${usual.toFixed(0)} ms in the middle, ${Math.max(...waits).toFixed(0)} ms at most`,
    );
    // By the network's own delay at least; how much more is the machine's.
    expect(usual).toBeGreaterThan(20);
  } finally {
    client.terminate();
    server.close();
  }
});
