import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { removeFolder } from '../../../src/library/core/files/remove-folder.ts';
import { createEngineWith } from '../../../src/library/runtime/engine/engine.ts';
import type { UntypedEngine, EngineOptions } from '../../../src/library/runtime/engine/engine-types.ts';
import { fixtureTools } from '../../fixtures/tools/source.ts';

export { isAlive } from '../../../src/library/core/machine/is-alive.ts';

/** A fresh folder and engines that go with each test. */
export function useEngines(): { folder(): string; engine(options?: EngineOptions): UntypedEngine } {
  const folders: string[] = [];
  const engines: UntypedEngine[] = [];
  afterEach(async () => {
    for (const engine of engines.splice(0)) await engine.close();
    for (const folder of folders.splice(0)) await removeFolder(folder);
  });
  const folder = (): string => {
    const made = mkdtempSync(join(tmpdir(), 'earshot-test-'));
    folders.push(made);
    return made;
  };
  return {
    folder,
    engine(options = {}) {
      const engine = createEngineWith(fixtureTools, { tempDir: folder(), ...options });
      engines.push(engine);
      return engine;
    },
  };
}

/** Everything in a folder, hidden files too. */
export const listing = (folder: string): string[] => readdirSync(folder).sort();

/** What a promise was rejected with; fails when it was not. */
export async function rejection(
  promise: Promise<unknown>,
): Promise<Error & { readonly code?: string; readonly details?: Record<string, unknown> }> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('value' in outcome) throw new Error(`expected a rejection but it resolved with ${JSON.stringify(outcome.value)}`);
  return outcome.error as Error;
}
