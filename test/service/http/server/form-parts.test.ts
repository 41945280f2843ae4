// A value of a form is held to its field's own limit while it arrives.
import multipart from '@fastify/multipart';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { afterAll, expect, it } from 'vitest';
import { mostBytesOf } from '../../../../src/library/core/checks/schema.ts';
import { offeredTools } from '../../../../src/service/offers/offers.ts';
import { formParts } from '../../../../src/service/http/server/form-parts.ts';
import { createFormReader } from '../../../../src/service/http/try/form.ts';
import { passageName } from '../../../../src/library/contract/passage-order.ts';
import { formOf } from '../../../../src/service/http/interface/tool-form.ts';

const app: FastifyInstance = fastify();
void app.register(multipart);
app.setErrorHandler((error: Error, _request, reply) => void reply.code(400).send({ message: error.message }));
const listParts = async (request: FastifyRequest): Promise<object[]> => {
  const parts: object[] = [];
  for await (const part of formParts(
    request,
    { parts: 10, valueBytes: (name) => (name === 'text' ? 1_000_000 : 4096) },
    new AbortController().signal,
  )) {
    if (part.kind === 'value') {
      const { name, value, truncated } = part;
      parts.push({ name, truncated, length: String(value).length });
    } else {
      let bytes = 0;
      for await (const chunk of part.body) bytes += (chunk as Buffer).length;
      parts.push({ name: part.name, filename: part.filename, bytes });
    }
  }
  return parts;
};
app.post('/', (request) => listParts(request));
afterAll(() => app.close());

const send = async (...parts: readonly (readonly [heads: string, body: string])[]) => {
  const whole = parts.map(([heads, body]) => `--b\r\nContent-Disposition: form-data; ${heads}\r\n\r\n${body}\r\n`);
  const answer = await app.inject({
    method: 'POST',
    url: '/',
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    payload: `${whole.join('')}--b--\r\n`,
  });
  return answer.json() as unknown;
};

it('keeps values within their limits, and reads on behind one that is too long', async () => {
  expect(
    await send(
      ['name="number"', '1'.repeat(4096)],
      ['name="long"', '1'.repeat(5000)],
      ['name="text"', 'a'.repeat(1_000_000)],
      ['name="file"; filename="a.wav"', 'abc'],
      ['name="empty"', ''],
    ),
  ).toEqual([
    { name: 'number', truncated: false, length: 4096 },
    { name: 'long', truncated: true, length: 0 },
    { name: 'text', truncated: false, length: 1_000_000 },
    { name: 'file', filename: 'a.wav', bytes: 3 },
    { name: 'empty', truncated: false, length: 0 },
  ]);
});

it('parses JSON parts and refuses what is no JSON', async () => {
  expect(await send(['name="list"\r\nContent-Type: application/json', '[1,2]'])).toEqual([
    { name: 'list', truncated: false, length: 3 },
  ]);
  for (const body of ['{', '{"__proto__":1}'])
    expect(await send(['name="list"\r\nContent-Type: application/json', body])).toMatchObject({
      message: expect.stringContaining('is no valid JSON'),
    });
});

it('a number, a choice and a switch of every tool have at most 4 KiB, and unknown names none', () => {
  for (const tool of offeredTools) {
    const form = formOf(tool);
    const reader = createFormReader(form, 'text', true);
    const { properties = {} } = tool.options as { properties?: Record<string, { type?: string }> };
    for (const [name, schema] of Object.entries(properties)) {
      // A preview is a job of an account: visitors have the free part.
      if (name === passageName) {
        expect(() => reader.mostBytes(name)).toThrow(/Unknown field/);
        continue;
      }
      if (!form.options.includes(name)) {
        expect(`${tool.id} ${name}`).toBe('level_speakers track');
        expect(reader.takesLinks(name) || reader.fileField(name, false).name).toBe('track');
        continue;
      }
      if (['number', 'integer', 'boolean'].includes(schema.type ?? '')) expect(reader.mostBytes(name)).toBe(4096);
      expect(reader.mostBytes(name)).toBe(mostBytesOf(schema));
    }
    expect(() => reader.mostBytes('unknown_name')).toThrow(/Unknown field unknown_name/);
  }
});
