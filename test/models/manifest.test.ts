import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { skipForMissing } from '../fixtures/missing-part.ts';
import { mirrorFolders, modelsFolder } from '../../src/models/folders.ts';
import { checkModel } from '../../src/models/installed.ts';
import { knownModels, modelSlots, plannedModels, requireModel } from '../../src/models/manifest.ts';
import { thrownBy } from '../fixtures/media/media.ts';

describe.each(knownModels().map((model) => [model.id, model] as const))('%s', (id, model) => {
  it('is described in full', () => {
    expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    for (const text of [model.title, model.purpose, model.licence]) expect(text).toBeTruthy();
    expect(model.homepage).toMatch(/^https:/);
    expect(model.sampleRatesHz.length).toBeGreaterThan(0);
    expect(model.files.length).toBeGreaterThan(0);
    for (const file of model.files) {
      expect(file.name).toMatch(/^[a-z0-9_-]+\.onnx$/);
      expect(Number.isInteger(file.bytes) && file.bytes > 0).toBe(true);
      expect(file.sha256).toMatch(/^[0-9a-f]{64}$/);
      expect(file.url).toMatch(/^https:\/\//);
      expect(file.archive !== undefined).toBe(file.url.endsWith('.tar.gz'));
    }
  });

  it('agrees with the copy in the development mirror', async (context) => {
    const mirror = fileURLToPath(new URL('../../../shared/models', import.meta.url));
    if (!existsSync(join(mirror, id))) skipForMissing(context, `${join(mirror, id)} is not there`);
    expect(await checkModel(model, mirror, 'hash')).toEqual({ state: 'installed', problems: [] });
  });
});

describe.each(plannedModels().map((model) => [model.id, model] as const))('%s, which is planned', (id, model) => {
  it('is described, is no installable one as well, and is refused with the reason', async () => {
    expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(knownModels().map((known) => known.id)).not.toContain(id);
    for (const text of [model.title, model.purpose, model.wanting]) expect(text).toBeTruthy();
    expect(model).not.toHaveProperty('files');
    const refused = await thrownBy(() => requireModel(id));
    expect(refused).toMatchObject({ code: 'tool_unavailable', details: { model: id } });
    expect(refused.message).toContain(model.wanting);
  });
});

it('docs/models.md names every model and its state', () => {
  const guide = readFileSync(new URL('../../docs/models.md', import.meta.url), 'utf8');
  for (const { id } of knownModels()) expect(guide).toMatch(new RegExp(`^\\| ${id} \\| .+ \\| installable`, 'm'));
  for (const { id } of plannedModels()) expect(guide).toMatch(new RegExp(`^\\| ${id} \\| .* \\| planned`, 'm'));
  for (const { id } of modelSlots()) {
    expect(guide).toMatch(new RegExp(`^\\| ${id} \\| .* \\| a place for a network of your own`, 'm'));
    expect(guide).toContain(`earshot models add ${id} `);
  }
});

describe('folders', () => {
  it('are those that are given, then the environment, then the user data', () => {
    expect(modelsFolder('/given', { EARSHOT_MODELS: '/env' })).toBe('/given');
    expect(modelsFolder(undefined, { EARSHOT_MODELS: '/env' })).toBe('/env');
    if (process.platform === 'linux')
      expect(modelsFolder(undefined, { XDG_DATA_HOME: '/data' })).toBe('/data/earshot/models');
    expect(mirrorFolders({ EARSHOT_MODELS_MIRROR: '' })).toEqual([]);
    if (process.platform !== 'win32') expect(mirrorFolders({ EARSHOT_MODELS_MIRROR: '/a:/b' })).toEqual(['/a', '/b']);
  });

  it('an unknown model is refused with a hint', async () => {
    expect((await thrownBy(() => requireModel('deepfilternet'))).message).toBe(
      'Unknown model deepfilternet; did you mean deepfilternet3?',
    );
  });
});
