import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { storedFile, useApps } from '../support.ts';

const start = useApps();

async function get(content: string, range: string) {
  const whole = Buffer.from(content);
  const { base } = await start({
    files: {
      openDownload: async () => ({
        file: storedFile(),
        sizeBytes: whole.length,
        read: async (part) => Readable.from([part ? whole.subarray(part.start, part.end + 1) : whole]),
      }),
    },
  });
  const response = await fetch(`${base}/f/tok/talk.wav`, { headers: { range } });
  return [response.status, response.headers.get('content-range'), await response.text()];
}

// RFC 9110, 14.1.2: a suffix longer than the file is the whole file.
it.each([
  ['bytes=-10', 'bytes 0-9/10', '0123456789'],
  ['bytes=-11', 'bytes 0-9/10', '0123456789'],
  ['bytes= -200000 ', 'bytes 0-9/10', '0123456789'],
  [`bytes=-${'9'.repeat(400)}`, 'bytes 0-9/10', '0123456789'],
  ['bytes=0-1, -11', 'bytes 0-9/10', '0123456789'],
  ['bytes=-3', 'bytes 7-9/10', '789'],
])('%s of ten bytes is %s', async (range, contentRange, body) => {
  expect(await get('0123456789', range)).toEqual([206, contentRange, body]);
});

it.each([
  ['bytes=-0', '0123456789'],
  ['bytes=-5', ''],
])('%s of %j has no byte', async (range, content) => {
  const [status, contentRange] = await get(content, range);
  expect([status, contentRange]).toEqual([416, `bytes */${content.length}`]);
});
