// Machines that run jobs with nothing but an address and a token: what they may do, and what they may not.
import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { readRunnerAnswer, readRunnerError } from '../../../../src/service/serve/runner-answers.ts';
import type { Host } from '../host.ts';
import type { RunnerFile } from '../../../../src/service/rules/runners/runner-store.ts';
import type { RunnerOrder } from '../../../../src/service/rules/runners/order.ts';
import { answerWith, type Bench, fileOf, plainMachine, sha256, soundOf, useDesks } from './bench.ts';
import { slow } from '../../../fixtures/rounds.ts';

const withDesk = useDesks();

const statusOf = async (host: Host, id: string) => (await host.stores.jobs.get(id))?.status;

test('an honest runner: the job succeeds, is charged, its outputs are files', slow, () =>
  withDesk(async (host, { desk, ask, send, accept }) => {
    const account = await host.account(100);
    const { token } = await host.operator.addRunner('honest');
    expect(await ask(token)).toBe(null);
    const file = await host.file(account);
    const job = await host.job(account, file, ['succeed']);
    const order = await ask(token);
    expect(order).toMatchObject({ tool: 'remove_noise', alone: false, windowSeconds: null, leaseSeconds: 30 });
    expect(order?.inputs).toMatchObject([{ field: 'file_id', name: 'talk.wav', sha256: file.sha256 }]);
    expect(order?.inputs[0]?.url).toMatch(/^https:\/\/earshot\.example\/api\/runner\/inputs\/[\w.-]+$/);
    // It learns nothing of whose the job is.
    expect(JSON.stringify(order)).not.toContain(account.id);
    const jobToken = order?.token ?? '';
    expect(await desk.report(jobToken, { progress: 0.4, stage: 'encoding', estimatedSecondsLeft: 3 })).toEqual({
      current: true,
      cancelRequested: false,
    });
    expect(await host.jobs.get(account, job.id)).toMatchObject({ job: { status: 'running', progress: 0.4 } });
    const bytes = soundOf('clean');
    const output = await send(jobToken, bytes);
    // What it sent and did not name is not kept.
    await send(jobToken, soundOf('rubbish'));
    expect(await desk.handOver(jobToken, answerWith(fileOf(output, bytes)))).toBe(true);
    expect(await desk.handOver(jobToken, answerWith(fileOf(output, bytes)))).toBe(true);
    expect(await statusOf(host, job.id)).toBe('running');
    await accept(job.id);
    const { outputs } = await host.jobs.get(account, job.id);
    expect(outputs).toMatchObject([{ filename: 'out.wav', sha256: sha256(bytes), durationSeconds: 12.5 }]);
    expect(await host.outputKeys()).toEqual([outputs[0]?.objectKey]);
    await host.expectExact(account, 100);
    expect(await host.operator.listRunners()).toMatchObject([{ name: 'honest', accepted: 1, refused: 0 }]);
  }),
);

describe('a lying runner', () => {
  const bytes = soundOf('clean');
  const lies: Readonly<Record<string, (output: number) => RunnerFile[]>> = {
    'a wrong hash': (output) => [fileOf(output, bytes, { sha256: sha256(soundOf('other')) })],
    'a video that is none': (output) => [fileOf(output, bytes, { hasVideo: true })],
    'sound that is said to be text': (output) => [fileOf(output, bytes, { hasAudio: false, media: null })],
  };

  test('a wrong answer is refused, and the job runs again elsewhere; after three it gets no more', slow, () =>
    withDesk(async (host, { ask, desk, send, accept }) => {
      const account = await host.account(100);
      const { token } = await host.operator.addRunner('liar');
      const file = await host.file(account);
      const [first, ...others] = Object.values(lies);
      const jobs: string[] = [];
      for (const lie of [first, ...others].slice(0, 2)) {
        const job = await host.job(account, file, ['succeed']);
        jobs.push(job.id);
        const order = await ask(token);
        const output = await send(order?.token ?? '', bytes);
        expect(await desk.handOver(order?.token ?? '', answerWith(...(lie?.(output) ?? [])))).toBe(true);
        await accept(job.id);
        expect(await statusOf(host, job.id)).toBe('running');
        expect(await host.outputKeys()).toEqual([]);
        // Another machine takes it, and this attempt counts.
        await host.jobs.cancel(account, job.id);
      }
      const job = await host.job(account, file, ['succeed']);
      // The cancelled ones are ended when they are taken.
      const order = await ask(token);
      const text = Buffer.from('no media at all');
      const output = await send(order?.token ?? '', text);
      await desk.handOver(order?.token ?? '', answerWith(fileOf(output, text)));
      await accept(job.id);
      await expect(ask(token)).rejects.toMatchObject({ code: 'forbidden' });
      expect(host.log.entries.filter(({ message }) => message.includes('is refused'))).toHaveLength(3);
      const { token: other } = await host.operator.addRunner('other');
      expect(await ask(other)).toMatchObject({ tool: 'remove_noise' });
      expect(await host.stores.jobs.get(job.id)).toMatchObject({ status: 'running', attempt: 2 });
      await host.expectExact(account, 100);
    }),
  );

  test('more than a job may write, other sizes, outputs that are not there', () =>
    withDesk(async (host, { desk, ask, send }) => {
      const account = await host.account(100);
      const { token } = await host.operator.addRunner('greedy');
      await host.job(account, await host.file(account), ['succeed']);
      const order = await ask(token);
      const job = order?.token ?? '';
      const most = order?.maxOutputBytes ?? 0;
      await expect(desk.addOutput(job, most + 1)).rejects.toMatchObject({ code: 'file_too_large' });
      await desk.addOutput(job, most - 10);
      await expect(desk.addOutput(job, 11)).rejects.toMatchObject({ code: 'file_too_large' });
      const output = await send(job, Buffer.from('sound'));
      await expect(desk.completeOutput(job, output, [{ number: 1, sizeBytes: 4, etag: 'x' }])).rejects.toMatchObject({
        code: 'conflict',
      });
      await expect(desk.handOver(job, answerWith(fileOf(7, bytes)))).rejects.toMatchObject({ code: 'not_found' });
      const again = (await ask(token))?.token ?? '';
      const sent = await send(again, bytes);
      await expect(desk.handOver(again, answerWith(fileOf(sent, bytes), fileOf(sent, bytes)))).rejects.toMatchObject({
        code: 'bad_request',
      });
    }));

  test('answers that a job process or the tool could not give are refused', () => {
    const good = { ...answerWith(fileOf(0, bytes)) };
    expect(readRunnerAnswer(structuredClone(good), 'remove_noise')).toEqual(good);
    const bad: unknown[] = [null, [], {}, { ...good, processedSeconds: -1 }, { ...good, processedSeconds: 'all' }];
    bad.push({ ...good, result: [] }, { ...good, warnings: [{ code: 'x' }] }, { ...good, files: 'none' });
    for (const change of [{ sha256: 'x' }, { output: -1 }, { output: 0.5 }, { hasAudio: 1 }, { media: { codec: {} } }])
      bad.push({ ...good, files: [{ ...good.files[0], ...change }] });
    bad.push({ ...good, result: { ...good.result, engine: 7 } }, { ...good, result: { engine: 'rnnoise' } });
    bad.push({ ...good, result: { ...good.result, page: '<script>' } }, { ...good, result: {} });
    bad.push({ ...good, warnings: [{ code: '<b>', message: 'x' }] });
    for (const each of bad) expect(() => readRunnerAnswer(each, 'remove_noise')).toThrow(/^Expected /);
    expect(() => readRunnerAnswer({ ...good, result: { ...good.result, engine: 7 } }, 'remove_noise')).toThrow(
      'Expected a result as remove_noise gives it but engine must be string',
    );
    expect(() => readRunnerAnswer(good, 'cut_audio')).toThrow('Expected a result as cut_audio gives it');
    // Fields that it made up do not come through.
    const more = { ...good, files: [{ ...good.files[0], accountId: 'acc_1' }], credits: 0 };
    expect(readRunnerAnswer(more, 'remove_noise')).toEqual(good);
    expect(readRunnerError({ code: 'made_up', message: 'x', nextAction: 'x', retryable: false })).toBe(null);
  });

  const invented: readonly [string, (output: number) => object][] = [
    ['an invented result', (output) => ({ ...answerWith(fileOf(output, bytes)), result: { engine: '<script>' } })],
    [
      'an invented warning',
      (output) => ({ ...answerWith(fileOf(output, bytes)), warnings: [{ code: '<b>x</b>', message: 'x' }] }),
    ],
    ['no file', () => answerWith()],
  ];
  test.each(invented)('%s: refused at once, the job goes to another machine, and it is counted', (_, lie) =>
    withDesk(async (host, { desk, ask, send }) => {
      const account = await host.account(100);
      const { token } = await host.operator.addRunner('liar');
      const job = await host.job(account, await host.file(account), ['succeed']);
      const mine = (await ask(token))?.token ?? '';
      const answer = lie(await send(mine, bytes));
      const both = await Promise.allSettled([desk.handOver(mine, answer), desk.handOver(mine, answer)]);
      expect(both.map(({ status }) => status)).toContain('rejected');
      expect(await host.operator.listRunners()).toMatchObject([{ accepted: 0, refused: 1 }]);
      expect(await host.outputKeys()).toEqual([]);
      // What it had is over, a better answer as well.
      expect(await desk.handOver(mine, answerWith(fileOf(0, bytes)))).toBe(false);
      const { token: second } = await host.operator.addRunner('second');
      expect(await ask(second)).toMatchObject({ tool: 'remove_noise' });
      expect(await ask(second)).toBe(null);
      expect(await host.stores.jobs.get(job.id)).toMatchObject({ status: 'running', attempt: 2 });
    }),
  );

  test('a text tool whose answer is a recording', () =>
    withDesk(
      async (host, { desk, ask, send }) => {
        const account = await host.account(100);
        const { token } = await host.operator.addRunner('liar');
        await host.job(account, await host.file(account), ['succeed']);
        const mine = (await ask(token))?.token ?? '';
        const answer = answerWith(fileOf(await send(mine, bytes), bytes));
        await expect(desk.handOver(mine, answer)).rejects.toThrow(
          'Expected files of text, as remove_noise writes them',
        );
      },
      {},
      { remove_noise: { writesText: true } },
    ));

  test('an unknown word for a stage is left out, and the progress counts', () =>
    withDesk(async (host, { desk, ask }) => {
      const account = await host.account(100);
      const { token } = await host.operator.addRunner('talker');
      const { id } = await host.job(account, await host.file(account), ['succeed']);
      const mine = (await ask(token))?.token ?? '';
      await desk.report(mine, { progress: 0.2, stage: 'denoising', estimatedSecondsLeft: 9 });
      for (const stage of ['<img src=x>', 'pay at evil.example', '', 'x'.repeat(300)])
        expect(await desk.report(mine, { progress: 0.4, stage, estimatedSecondsLeft: 9 })).toMatchObject({
          current: true,
        });
      expect(await host.stores.jobs.get(id)).toMatchObject({ progress: 0.4, stage: 'denoising' });
    }));

  test('a job that no client wants cancelled is handed back', () =>
    withDesk(async (host, { desk, ask }) => {
      const account = await host.account(100);
      const { token } = await host.operator.addRunner('lazy');
      const { id } = await host.job(account, await host.file(account), ['succeed']);
      expect(await desk.giveUp((await ask(token))?.token ?? '', 'cancelled')).toBe(true);
      expect(await statusOf(host, id)).not.toBe('cancelled');
      expect(await ask(token)).toMatchObject({ tool: 'remove_noise' });
      await host.expectExact(account, 100);
    }));
});

describe('links to inputs', () => {
  const linkOf = (order: RunnerOrder | null): string => order?.inputs[0]?.url.split('/').at(-1) ?? '';
  const ends: readonly [string, (host: Host, bench: Bench, order: RunnerOrder) => Promise<unknown>][] = [
    [
      'the hand-over',
      async (_, { desk, send }, { token }) => {
        const bytes = soundOf('clean');
        return await desk.handOver(token, answerWith(fileOf(await send(token, bytes), bytes)));
      },
    ],
    ['a hand-back', (_, { desk }, { token }) => desk.giveUp(token, 'back')],
    ['the lease', (_, { lapse }, order) => lapse(order)],
    ['the next claim', (_, { expire }, order) => expire(order)],
    ['the removal of the runner', (host) => host.operator.removeRunner('one')],
  ];
  test.each(ends)('end with %s', (_, end) =>
    withDesk(async (host, bench) => {
      const account = await host.account(100);
      const { token } = await host.operator.addRunner('one');
      const file = await host.file(account);
      await host.job(account, file, ['succeed']);
      const order = await bench.ask(token);
      const opened = await bench.desk.openInput(linkOf(order));
      expect(opened).toMatchObject({ file: { id: file.id } });
      if (order !== null) await end(host, bench, order);
      await expect(bench.desk.openInput(linkOf(order))).rejects.toMatchObject({ details: { lost: true } });
    }),
  );

  test('are no links of others, and no other token is one', () =>
    withDesk(async (host, { ask, desk }) => {
      const account = await host.account(100);
      const { token } = await host.operator.addRunner('one');
      await host.job(account, await host.file(account), ['succeed']);
      const order = await ask(token);
      for (const wrong of [order?.token ?? '', token, '', `${linkOf(order)}x`])
        await expect(desk.openInput(wrong)).rejects.toMatchObject({ code: 'unauthorized' });
    }));

  test('lead to the object store for the length of a lease where it offers links', () =>
    withDesk(async (host, { ask, desk }) => {
      const account = await host.account(100);
      const { token } = await host.operator.addRunner('one');
      await host.job(account, await host.file(account), ['succeed']);
      const link = linkOf(await ask(token));
      const asked: Date[] = [];
      const get = (key: string, _shown: object, until: Date) => {
        asked.push(until);
        return Promise.resolve(`https://bucket.example/${key}`);
      };
      const direct = { get, putPart: () => Promise.reject(new Error('no')), parts: () => Promise.resolve(null) };
      Object.assign(host.objects, { direct });
      const before = Date.now();
      expect(await desk.openInput(link)).toEqual({ url: expect.stringMatching(/^https:\/\/bucket\.example\/./) });
      const ms = asked.map((until) => until.getTime() - 30_000)[0] ?? 0;
      expect(ms >= before && ms <= Date.now()).toBe(true);
      await host.operator.removeRunner('one');
      await expect(desk.openInput(link)).rejects.toMatchObject({ details: { lost: true } });
    }));
});

test('tokens open one job, and nothing else; a removed runner has none', () =>
  withDesk(async (host, { desk, ask, expire }) => {
    const account = await host.account(100);
    const { token, runner } = await host.operator.addRunner('one');
    const { token: second } = await host.operator.addRunner('two');
    const file = await host.file(account);
    await host.job(account, file, ['succeed']);
    await host.job(account, file, ['succeed']);
    const [mine, theirs] = [await ask(token), await ask(second)];
    const progress = { progress: 0, stage: 'x', estimatedSecondsLeft: null };
    for (const wrong of [token, 'x', `${mine?.token}x`, '', theirs?.inputs[0]?.url.split('/').at(-1) ?? ''])
      await expect(desk.report(wrong, progress)).rejects.toMatchObject({ code: 'unauthorized' });
    for (const wrong of [mine?.token ?? '', 'svc_rt_x', account.id])
      await expect(ask(wrong)).rejects.toMatchObject({ code: 'unauthorized' });
    const { secret } = await host.operator.addKey(account.id, 'key');
    await expect(ask(secret)).rejects.toMatchObject({ code: 'unauthorized' });
    await expect(
      desk.ask(token, { ...plainMachine, version: '0.0.1', session: 's', waitSeconds: 0 }),
    ).rejects.toMatchObject({
      code: 'conflict',
      nextAction: 'Install Earshot 1.2.3 on the runner.',
    });
    await host.operator.removeRunner(runner.name);
    await expect(ask(token)).rejects.toMatchObject({ code: 'unauthorized' });
    expect(await desk.report(mine?.token ?? '', progress)).toEqual({ current: false, cancelRequested: false });
    expect(await desk.handOver(mine?.token ?? '', answerWith())).toBe(false);
    expect(await desk.report(theirs?.token ?? '', progress)).toMatchObject({ current: true });
    if (mine !== null) await expire(mine);
    expect(await ask(second)).toMatchObject({ tool: 'remove_noise' });
  }));

test('no more jobs at a time than the operator allows', () =>
  withDesk(
    async (host, { ask }) => {
      const account = await host.account(100);
      const { token } = await host.operator.addRunner('one');
      const file = await host.file(account);
      for (let n = 0; n < 3; n += 1) await host.job(account, file, ['succeed']);
      expect([await ask(token), await ask(token)]).not.toContain(null);
      await expect(ask(token)).rejects.toMatchObject({ code: 'limit_exceeded' });
    },
    { EARSHOT_RUNNER_JOBS: '2' },
  ));

test('cut off for longer than its lease: another one has the job, and the late answer changes nothing', () =>
  withDesk(async (host, { desk, ask, send, expire, accept }) => {
    const account = await host.account(100);
    const { token } = await host.operator.addRunner('late');
    const { token: second } = await host.operator.addRunner('second');
    const job = await host.job(account, await host.file(account), ['succeed']);
    const late = await ask(token);
    const bytes = soundOf('late');
    const output = await send(late?.token ?? '', bytes);
    if (late !== null) await expire(late);
    const order = await ask(second);
    expect(order).not.toBe(null);
    expect(await desk.handOver(late?.token ?? '', answerWith(fileOf(output, bytes)))).toBe(false);
    expect(await desk.giveUp(late?.token ?? '', 'cancelled')).toBe(false);
    await expect(desk.addOutput(late?.token ?? '', 5)).rejects.toMatchObject({ details: { lost: true } });
    const right = soundOf('in time');
    const sent = await send(order?.token ?? '', right);
    await desk.handOver(order?.token ?? '', answerWith(fileOf(sent, right)));
    await accept(job.id);
    const { outputs } = await host.jobs.get(account, job.id);
    expect(outputs).toMatchObject([{ sha256: sha256(right) }]);
    await host.expectExact(account, 100);
  }));

test('handing back costs no attempt, a crash does; failures and cancels are settled', () =>
  withDesk(async (host, { desk, ask }) => {
    const account = await host.account(100);
    const { token } = await host.operator.addRunner('one');
    const file = await host.file(account);
    const job = await host.job(account, file, ['succeed']);
    for (let n = 0; n < 5; n += 1) expect(await desk.giveUp((await ask(token))?.token ?? '', 'back')).toBe(true);
    for (const session of ['a', 'b', 'c'])
      expect(await desk.giveUp((await ask(token, session))?.token ?? '', 'again')).toBe(true);
    expect(await ask(token, 'd')).toBe(null);
    expect(await host.stores.jobs.get(job.id)).toMatchObject({ status: 'failed', attempt: 8 });

    const failing = await host.job(account, file, ['succeed']);
    const error = readRunnerError({ code: 'no_audio', message: 'silent', nextAction: 'x', retryable: false });
    await desk.giveUp((await ask(token))?.token ?? '', error ?? 'again');
    expect(await host.stores.jobs.get(failing.id)).toMatchObject({ status: 'failed', error: { code: 'no_audio' } });
    const cancelled = await host.job(account, file, ['succeed']);
    const order = await ask(token);
    await host.jobs.cancel(account, cancelled.id);
    const said = await desk.report(order?.token ?? '', { progress: 0.1, stage: 'x', estimatedSecondsLeft: null });
    expect(said).toEqual({ current: true, cancelRequested: true });
    expect(await desk.giveUp(order?.token ?? '', 'cancelled')).toBe(true);
    expect(await statusOf(host, cancelled.id)).toBe('cancelled');
    await host.expectExact(account, 100);
  }));

test('whatever runners do, each job is settled once and the books are exact', slow, async () => {
  await withDesk(async (host, { desk, ask, send, expire, accept }) => {
    const tokens = [(await host.operator.addRunner('a')).token, (await host.operator.addRunner('b')).token];
    const step = fc.record({
      what: fc.constantFrom('job', 'ask', 'answer', 'lie', 'accept', 'expire', 'back', 'again', 'fail', 'cancel'),
      who: fc.nat(1),
      which: fc.nat(5),
    });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        round += 1;
        const account = await host.account(1000);
        const file = await host.file(account);
        const jobs: string[] = [];
        const orders: NonNullable<Awaited<ReturnType<typeof ask>>>[] = [];
        for (const { what, who, which } of steps) {
          const order = orders[which % Math.max(1, orders.length)];
          const job = jobs[which % Math.max(1, jobs.length)];
          if (what === 'job') jobs.push((await host.job(account, file, ['succeed'])).id);
          else if (what === 'ask') {
            const taken = await ask(tokens[who] ?? '', `r${round}`).catch(() => null);
            if (taken !== null) orders.push(taken);
          } else if (what === 'accept' && job !== undefined) await accept(job);
          else if (what === 'cancel' && job !== undefined) await host.jobs.cancel(account, job).catch(() => undefined);
          else if (order === undefined) continue;
          else if (what === 'expire') await expire(order);
          else if (what === 'back' || what === 'again') await desk.giveUp(order.token, what);
          else if (what === 'fail')
            await desk.giveUp(order.token, { code: 'no_audio', message: 'x', nextAction: 'x', retryable: false });
          else if (what === 'answer' || what === 'lie') {
            const bytes = soundOf(`${round}`);
            const output = await send(order.token, bytes).catch(() => null);
            const said = what === 'lie' && which === 0 ? { hasVideo: true } : {};
            if (output !== null) await desk.handOver(order.token, answerWith(fileOf(output, bytes, said)));
          }
        }
        for (const job of jobs) await accept(job);
        await host.expectExact(account, 1000);
        for (const job of jobs) {
          const { job: now, outputs } = await host.jobs.get(account, job);
          expect(outputs.length).toBe(now.status === 'succeeded' ? 1 : 0);
          for (const { objectKey } of outputs) expect(await host.objects.stat(objectKey ?? '')).not.toBe(null);
          await host.jobs.cancel(account, job).catch(() => undefined);
        }
        // Those that were left running are taken over, and end as cancelled.
        for (const order of orders) await expire(order);
        for (const token of tokens) while ((await ask(token, 'end').catch(() => null)) !== null);
        await host.expectExact(account, 1000);
      }),
      { numRuns: 12 },
    );
  });
});
