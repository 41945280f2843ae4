// Bodies whose length nobody names beforehand are bodies like others.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { key, type Running, storedJob, useApps } from '../support.ts';

const start = useApps();

function open({ base }: Running): ReturnType<typeof request> {
  const sent = request(`${base}/api/v1/jobs`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'transfer-encoding': 'chunked',
    },
  });
  return sent.on('error', () => undefined);
}

async function answerTo(sent: ReturnType<typeof request>): Promise<{ answer: IncomingMessage; body: unknown }> {
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { answer, body: await json(answer) };
}

describe('a chunked JSON body', () => {
  it('is read like one of a known length', async () => {
    const made: unknown[] = [];
    const running = await start({
      jobs: {
        create: async (...what) => {
          made.push(what);
          return { job: storedJob(), outputs: [] };
        },
      },
    });
    const sent = open(running);
    sent.write('{"tool":"adjust_loudness","file_id":');
    sent.end('"file_1","idempotency_key":"k"}');
    const { answer } = await answerTo(sent);
    expect(answer.statusCode).toBe(201);
    expect(made).toHaveLength(1);
    expect(JSON.stringify(made)).toContain('file_1');
  });

  it('may take as long as any, and no longer', async () => {
    const sent = open(await start({}, { patience: { jsonBodyMs: 200 } }));
    sent.write('{"tool":');
    const { answer, body } = await answerTo(sent);
    expect(answer.statusCode).toBe(400);
    expect(body).toMatchObject({ error: { code: 'bad_request', message: expect.stringContaining('within 0.2 s') } });
    sent.destroy();
  });

  it('that nobody wants ends its connection with the answer', async () => {
    const running = await start();
    const sent = open(running).setHeader('authorization', 'Bearer wrong');
    sent.write('{');
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(401);
    expect(answer.headers.connection).toBe('close');
    sent.end('}');
    expect(await json(answer)).toMatchObject({ error: { code: 'unauthorized' } });
  });
});
