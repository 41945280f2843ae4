import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { wholeLines } from '../../../src/cli/mcp/whole-lines.ts';

async function pass(given: string, most: number, chunkBytes: number): Promise<{ passed: string; refused: unknown[] }> {
  const refused: unknown[] = [];
  const bytes = Buffer.from(given);
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, index) =>
    bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes),
  );
  const passed = await text(Readable.from(chunks).pipe(wholeLines(most, (id) => void refused.push(id))));
  return { passed, refused };
}

const long = 'x'.repeat(5000);
it.each([1, 7, 1000, 1e6])('passes whole lines, drops the longer ones, in pieces of %i bytes', async (chunkBytes) => {
  const most = 'y'.repeat(100);
  const lines = [
    '{"id":1}',
    '',
    `${most}`,
    `${most}z`,
    '{"id":2}',
    `{"jsonrpc":"2.0","id":3,"method":"${long}"}`,
    'end',
  ];
  const { passed, refused } = await pass(`${lines.join('\n')}\nhalf a line`, 100, chunkBytes);
  expect(passed).toBe(`{"id":1}\n\n${most}\n{"id":2}\nend\n`);
  expect(refused).toEqual([null, 3]);
});

it.each<[string, unknown]>([
  [`{"jsonrpc":"2.0","id":"seven","method":"a","params":{"text":"${long}"}}`, 'seven'],
  [`{"method":"tools/call","params":{"text":"${long}"},"jsonrpc":"2.0","id":12}`, 12],
  [`{"method":"tools/call","params":{"text":"${long}"},"id":12,"jsonrpc":"2.0"} `, 12],
  // Not the id of the message.
  [`{"method":"tools/call","params":{"text":"${long}","id":12}}`, null],
  [`{"method":"tools/call","params":{"text":"\\"id\\":12}${long}"}}`, null],
  [`{"jsonrpc":"2.0","method":"notify","params":{"id":5,"text":"${long}"}}`, null],
  [long, null],
])('finds the id of a message that is too long: %.60s', async (line, id) => {
  expect((await pass(`${line}\n`, 100, 600)).refused).toEqual([id]);
});
