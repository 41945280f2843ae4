// @module-tag slow
// `npm test` starts processes from what was built; here they start from the sources, as `vitest run` and a checkout do.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { moduleUrl } from '../../../src/library/core/running-files.ts';
import { createEngine } from '../../../src/library/runtime/engine/engine.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { tone } from '../../fixtures/media/signals.ts';

it('a checkout that was never built runs a job', async () => {
  expect(moduleUrl('library/runtime/job/job-process')).toMatch(/\/src\/library\/runtime\/job\/job-process\.ts$/);
  const folder = mkdtempSync(join(tmpdir(), 'earshot-test-sources-'));
  try {
    const path = join(folder, 'tone.wav');
    writeWav(path, [tone(16_000, 16_000, 440, 0.1)], 16_000);
    await using engine = createEngine();
    const { result } = await engine.run('analyze_audio', path);
    expect(result.durationSeconds).toBe(1);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
