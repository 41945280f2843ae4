import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mirrorFolders, modelsFolder, packageFolder, searchFolders } from '../../../src/library/models/folders.ts';
import { checkModel } from '../../../src/library/models/installed.ts';
import { knownModels, modelSlots, requireModel } from '../../../src/library/models/manifest.ts';
import { thrownBy } from '../../fixtures/media/media.ts';

describe.each(knownModels().map((model) => [model.id, model] as const))('%s', (id, model) => {
  it('is described in full', () => {
    expect(id).toMatch(/^[a-z0-9]+([-.][a-z0-9]+)*$/);
    for (const text of [model.title, model.purpose, model.licence]) expect(text).toBeTruthy();
    expect(model.homepage).toMatch(/^https:/);
    expect(model.sampleRatesHz.length).toBeGreaterThan(0);
    expect(model.files.length).toBeGreaterThan(0);
    expect(model.made).toBeTruthy();
    for (const file of model.files) {
      expect(file.name).toMatch(/^(onnx\/)?[a-z0-9_-]+\.(onnx|json)$/);
      expect(Number.isInteger(file.bytes) && file.bytes > 0).toBe(true);
      expect(file.sha256).toMatch(/^[0-9a-f]{64}$/);
      if (file.url === undefined) continue;
      expect(file.url).toMatch(/^https:\/\//);
      expect(file.archive !== undefined).toBe(file.url.endsWith('.tar.gz'));
    }
  });

  it('lies in the house, byte for byte, with its licence', async () => {
    const house = packageFolder({});
    expect(house).not.toBeNull();
    expect(await checkModel(model, house ?? '', 'hash')).toEqual({ state: 'installed', problems: [] });
    expect(readFileSync(join(house ?? '', id, 'LICENSE'), 'utf8')).toMatch(/MIT License|Apache License/);
  });
});

it('docs/models.md names every model and its state', () => {
  const guide = readFileSync(new URL('../../../docs/models.md', import.meta.url), 'utf8');
  for (const { id } of knownModels())
    expect(guide).toMatch(new RegExp(`^\\| ${id} \\| .+ \\| (installable|in earshot-models)`, 'm'));
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

  it('are searched in the order: given, installed, package', () => {
    const environment = { XDG_DATA_HOME: '/data', LOCALAPPDATA: '/data', EARSHOT_MODELS_PACKAGE: '/package' };
    const own = modelsFolder(undefined, environment);
    expect(searchFolders('/given', environment)).toEqual(['/given', own, '/package']);
    expect(searchFolders(undefined, { ...environment, EARSHOT_MODELS_PACKAGE: '' })).toEqual([own]);
    expect(packageFolder({})).toMatch(/models$/);
  });

  it('an unknown model is refused with a hint', async () => {
    expect((await thrownBy(() => requireModel('deepfilternet'))).message).toBe(
      'Unknown model deepfilternet; did you mean deepfilternet3?',
    );
  });
});
