import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { aliveFile } from '../../../src/service/serve/alive-file.ts';
import { until } from '../../fixtures/until.ts';

test('answers of the worker keep its file young, with one write in five seconds', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: new Date('2026-01-01T00:00:00Z') });
  const folder = mkdtempSync(join(tmpdir(), 'earshot-alive-'));
  onTestFinished(() => {
    vi.useRealTimers();
    rmSync(folder, { recursive: true });
  });
  const written = (): string => {
    try {
      return readFileSync(join(folder, 'alive'), 'utf8');
    } catch {
      return '';
    }
  };
  const onAnswer = aliveFile(folder);
  expect(written()).toBe('');
  onAnswer();
  await until('it is written', () => written() === '2026-01-01T00:00:00.000Z\n');
  vi.advanceTimersByTime(4000);
  onAnswer();
  vi.advanceTimersByTime(1000);
  onAnswer();
  await until('it is written again', () => written() === '2026-01-01T00:00:05.000Z\n');
});
