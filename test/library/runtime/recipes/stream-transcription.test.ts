// A recording as a stream that says nothing of its length, in small pieces, as programs pipe it.
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { transcribeStream } from '../../../../src/library/runtime/recipes/stream-transcription.ts';
import { recording } from '../../../fixtures/recordings.ts';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';
import { slow, slower } from '../../../fixtures/rounds.ts';

/** Without its lengths, then for ever silent until it is ended. */
async function* endless(path: string, onSilence: () => void): AsyncGenerator<Uint8Array> {
  const bytes = readFileSync(path);
  bytes.writeUInt32LE(0xffffffff, 4);
  bytes.writeUInt32LE(0xffffffff, bytes.indexOf('data') + 4);
  for (let at = 0; at < bytes.length; at += 3001) yield bytes.subarray(at, at + 3001);
  for (let second = 0; second < 3; second += 1) yield new Uint8Array(32_000);
  onSilence();
  await new Promise(() => undefined);
}

it('a stream without an end is written down, and ends well when it is stopped', slower, async () => {
  const folder = join(temporaryFolder('earshot-stream-'), 'work');
  mkdirSync(folder);
  const stop = new AbortController();
  let fall = (): void => undefined;
  const silent = new Promise<void>((resolve) => (fall = resolve));
  const stream = endless(recording('jfk.wav'), () => fall());
  const said: { readonly text: string; readonly startSeconds: number; readonly endSeconds: number }[] = [];
  const options = { language: 'en', verbatim: false };
  for await (const sentence of transcribeStream(stream, options, {
    stop: stop.signal,
    tempDir: folder,
    cores: 1,
    early: false,
  })) {
    said.push(sentence);
    // All of it comes although the stream goes on.
    if (
      /country\W*$/.test(sentence.text) &&
      said
        .map(({ text }) => text)
        .join(' ')
        .match(/country/g)?.length === 2
    ) {
      await silent;
      stop.abort();
    }
  }
  expect(said.map(({ text }) => text).join(' ')).toMatch(
    /fellow Americans\W+ask\W+not\W+what your country can do for you/i,
  );
  let last = 0;
  for (const { startSeconds, endSeconds } of said) {
    expect(startSeconds).toBeGreaterThanOrEqual(last - 0.01);
    expect(endSeconds).toBeLessThan(11.1);
    last = endSeconds;
  }
  expect(last).toBeGreaterThan(10);
  expect(existsSync(folder)).toBe(true);
  expect(readdirSync(folder)).toEqual([]);
});

it.each([
  ['text', ['no sound at all, only words. '.repeat(2000)], 'unsupported_format'],
  ['nothing', [], 'unsupported_format'],
])('%s is refused', async (_, pieces, code) => {
  const stream = (async function* () {
    for (const piece of pieces) yield Buffer.from(piece);
  })();
  await expect(transcribeStream(stream).next()).rejects.toMatchObject({ code });
});

it('a stream that fails says why, and one that is aborted stops', slow, async () => {
  const failing = (async function* () {
    yield readFileSync(recording('jfk.wav')).subarray(0, 8000);
    throw new Error('the microphone is gone');
  })();
  const all = async (): Promise<void> => {
    for await (const { text } of transcribeStream(failing, { language: 'en' })) expect(text).toMatch(/\w/);
  };
  await expect(all()).rejects.toThrow(/microphone is gone/);
  const aborted = transcribeStream(
    endless(recording('jfk.wav'), () => undefined),
    {},
    { signal: AbortSignal.abort() },
  );
  await expect(aborted.next()).rejects.toMatchObject({ name: 'AbortError' });
});
