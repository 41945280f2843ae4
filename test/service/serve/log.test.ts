import { expect, it } from 'vitest';
import { createLog } from '../../../src/service/serve/log.ts';

function logged(isTTY: boolean): string {
  let text = '';
  const log = createLog('info', 'worker', { isTTY, write: (line) => (text += line) });
  log.info({ jobId: 'job_1', ms: 12 }, 'A job succeeded');
  log.debug({}, 'Nobody asked');
  log.error({ err: new Error('The disk is gone') }, 'A job failed');
  return text;
}

it('a pipe gets JSON, a line for each event', () => {
  const lines = logged(false).trim().split('\n');
  expect(lines).toHaveLength(2);
  expect(JSON.parse(lines[0]!)).toMatchObject({
    level: 'info',
    part: 'worker',
    jobId: 'job_1',
    msg: 'A job succeeded',
  });
  expect(JSON.parse(lines[1]!)).toMatchObject({ level: 'error', err: { message: 'The disk is gone' } });
});

it('a terminal gets lines for people', () => {
  // oxlint-disable-next-line no-control-regex -- colours
  const text = logged(true).replaceAll(/\u001B\[\d+m/g, '');
  expect(text).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: worker: A job succeeded \{"jobId":"job_1","ms":12\}\n/);
  expect(text).toContain('ERROR: worker: A job failed');
  expect(text).toContain('The disk is gone');
  expect(text).not.toContain('Nobody asked');
});

it('errors of idle connections are logged without the client of pg', () => {
  let text = '';
  const log = createLog('info', 'api', { isTTY: false, write: (line) => (text += line) });
  const client = { connectionParameters: { password: 'secret' }, self: {} };
  client.self = client;
  log.warn({ err: Object.assign(new Error('terminated'), { code: '57P01', client }) }, 'Lost a connection');
  expect(text).not.toContain('secret');
  expect(JSON.parse(text)).toMatchObject({
    msg: 'Lost a connection',
    err: { type: 'Error', message: 'terminated', code: '57P01', stack: expect.stringContaining('log.test.ts') },
  });
  expect(JSON.parse(text).err).not.toHaveProperty('client');
});
