import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** oxlint is run on a tree laid out like ours, where every file holds one import that is or is not allowed. */
const root = fileURLToPath(new URL('../../', import.meta.url));
const oxlint = join(root, 'node_modules/.bin/oxlint');

type Case = readonly [file: string, specifier: string];

const forbidden: readonly Case[] = [
  ['core/x.ts', '../pcm/block.ts'],
  ['core/x.ts', '../media/probe.ts'],
  ['pcm/x.ts', '../kernels/peaks.ts'],
  ['pcm/x.ts', '../media/decode.ts'],
  ['kernels/x.ts', '../pcm/block.ts'],
  ['models/x.ts', '../media/decode.ts'],
  ['media/x.ts', '../dsp/limit.ts'],
  ['media/x.ts', '../models/manifest.ts'],
  ['media/chapters/x.ts', '../../dsp/limit.ts'],
  ['dsp/x.ts', '../media/decode.ts'],
  ['dsp/x.ts', '../speech/vad.ts'],
  ['speech/x.ts', '../edit/edit-list.ts'],
  ['speech/x.ts', '../tools/registry.ts'],
  ['waveform/x.ts', '../dsp/limit.ts'],
  ['edit/x.ts', '../tools/registry.ts'],
  ['tools/registry.ts', './cut_audio/run.ts'],
  ['tools/registry.ts', '../media/probe.ts'],
  ['tools/cut_audio/tool.ts', '../../media/probe.ts'],
  ['tools/cut_audio/tool.ts', '../../runtime/engine.ts'],
  ['tools/cut_audio/tool.ts', '../registry.ts'],
  ['tools/cut_audio/tool.ts', './plan.ts'],
  ['tools/cut_audio/options.ts', './run.ts'],
  ['tools/cut_audio/options.ts', './tool.ts'],
  ['tools/cut_audio/options.ts', '../../media/probe.ts'],
  ['tools/declare/inputs.ts', '../cut_audio/options.ts'],
  ['tools/declare/inputs.ts', '../registry.ts'],
  ['tools/declare/inputs.ts', '../../media/probe.ts'],
  ['contract/x.ts', '../tools/declare/define.ts'],
  ['tools/cut_audio/tool.ts', '../join_audio/tool.ts'],
  ['tools/cut_audio/run.ts', '../join_audio/run.ts'],
  ['tools/cut_audio/run.ts', '../../runtime/engine.ts'],
  ['tools/cut_audio/run.ts', '../../http/server/app.ts'],
  ['runtime/x.ts', '../cli/terminal/exit.ts'],
  ['runtime/x.ts', '../http/server/app.ts'],
  ['service/x.ts', '../tools/registry.ts'],
  ['service/x.ts', '../adapters/disk/store.ts'],
  ['adapters/disk/x.ts', '../../http/server/app.ts'],
  ['adapters/disk/x.ts', '../../media/probe.ts'],
  ['adapters/queue/x.ts', '../postgres/database.ts'],
  ['serve/x.ts', '../cli/terminal/exit.ts'],
  ['http/x.ts', '../media/probe.ts'],
  ['http/x.ts', '../tools/cut_audio/run.ts'],
  ['http/v1/x.ts', '../../adapters/postgres/db.ts'],
  ['http/v1/x.ts', '../legacy/errors.ts'],
  ['http/legacy/x.ts', '../v1/auth.ts'],
  ['http/legacy/files/x.ts', '../../v1/auth.ts'],
  ['http/server/x.ts', '../v1/auth.ts'],
  ['http/server/x.ts', '../legacy/errors.ts'],
  ['http/server/x.ts', '../dialects.ts'],
  ['http/server/x.ts', '../../media/probe.ts'],
  ['http/pages/x.ts', '../v1/auth.ts'],
  ['http/interface/x.ts', '../v1/auth.ts'],
  ['cli/x.ts', '../index.ts'],
  ['client/x.ts', '../core/errors.ts'],
  ['client/x.ts', 'node:fs'],
  ['client/x.ts', 'typebox/type'],
  ['tools/cut_audio/run.ts', 'node-av/lib'],
  ['waveform/x.ts', 'node-av'],
  ['cli/x.ts', 'node-av/constants'],
  ['index.ts', 'node-av'],
  ['speech/x.ts', 'onnxruntime-node'],
  ['media/x.ts', 'sherpa-onnx-node'],
];

const allowed: readonly Case[] = [
  ['client/x.ts', './errors.ts'],
  ['client.ts', './client/client.ts'],
  ['pcm/x.ts', '../core/errors.ts'],
  ['media/x.ts', '../kernels/peaks.ts'],
  ['media/x.ts', 'node-av/lib'],
  ['media/chapters/x.ts', '../facts.ts'],
  ['models/x.ts', 'onnxruntime-node'],
  ['dsp/x.ts', '../models/manifest.ts'],
  ['speech/x.ts', '../dsp/denoise.ts'],
  ['waveform/x.ts', '../media/decode.ts'],
  ['edit/x.ts', '../media/decode.ts'],
  ['tools/registry.ts', './cut_audio/tool.ts'],
  ['tools/registry.ts', '../core/errors.ts'],
  ['tools/registry.ts', './declare/define.ts'],
  ['tools/results.ts', './cut_audio/result.ts'],
  ['tools/declare/define.ts', '../../contract/tool-facts.ts'],
  ['tools/declare/define.ts', './inputs.ts'],
  ['tools/cut_audio/options.ts', '../declare/inputs.ts'],
  ['tools/cut_audio/tool.ts', '../declare/define.ts'],
  ['tools/cut_audio/tool.ts', './options.ts'],
  ['tools/cut_audio/tool.ts', 'typebox/type'],
  ['tools/cut_audio/run.ts', '../declare/run.ts'],
  ['tools/cut_audio/run.ts', './options.ts'],
  ['tools/cut_audio/run.ts', './plan.ts'],
  ['tools/cut_audio/run.ts', '../../waveform/peaks.ts'],
  ['runtime/x.ts', '../tools/registry.ts'],
  ['service/ports/x.ts', '../../core/errors.ts'],
  ['adapters/disk/x.ts', '../../service/ports/objects.ts'],
  ['http/x.ts', '../service/jobs.ts'],
  ['http/dialects.ts', './v1/dialect.ts'],
  ['http/legacy/x.ts', '../server/dialect.ts'],
  ['http/legacy/x.ts', './errors.ts'],
  ['http/legacy/x.ts', '../../service/service.ts'],
  ['http/legacy/files/x.ts', '../../server/dialect.ts'],
  ['http/legacy/files/x.ts', '../errors.ts'],
  ['http/legacy/files/x.ts', '../../../service/service.ts'],
  ['http/v1/x.ts', '../pages/upload-page.ts'],
  ['http/v1/x.ts', '../interface/errors.ts'],
  ['http/server/x.ts', '../../core/errors.ts'],
  ['http/server/x.ts', './errors.ts'],
  ['http/pages/x.ts', '../server/errors.ts'],
  ['http/x.ts', '../tools/registry.ts'],
  ['cli/x.ts', '../runtime/engine.ts'],
  ['index.ts', './runtime/engine.ts'],
];

interface Diagnostic {
  readonly code: string;
  readonly filename: string;
}

let folder = '';
const found = new Map<string, string[]>();

/** Each case gets a tree of its own, so that one file name can be used by many. */
const treeOf = (index: number, kind: string): string => join(kind, String(index));

function writeTree(cases: readonly Case[], kind: string, importing: (specifier: string) => string): void {
  for (const [index, [file, specifier]] of cases.entries()) {
    const tree = join(folder, treeOf(index, kind));
    mkdirSync(dirname(join(tree, 'src', file)), { recursive: true });
    writeFileSync(join(tree, 'src', file), importing(specifier));
  }
}

function lint(cwd: string, args: readonly string[]): Promise<{ stdout: string; failed: boolean }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [oxlint, ...args], { cwd, maxBuffer: 2 ** 26 }, (error, stdout) =>
      resolve({ stdout, failed: error !== null }),
    );
  });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'earshot-lint-'));
  const forms: Record<string, (specifier: string) => string> = {
    value: (specifier) => `import { thing } from '${specifier}';\nexport const other = thing;\n`,
    type: (specifier) => `import type { Thing } from '${specifier}';\nexport type Other = Thing;\n`,
    reexport: (specifier) => `export { thing } from '${specifier}';\n`,
    lazy: (specifier) => `export const load = (): Promise<unknown> => import('${specifier}');\n`,
  };
  for (const [form, importing] of Object.entries(forms)) writeTree(forbidden, `forbidden-${form}`, importing);
  writeTree(allowed, 'allowed', forms['value'] as (specifier: string) => string);
  // The patterns of the configuration start at src: every tree carries its copy, as the project's root does.
  for (const [kind, cases] of [
    ...Object.keys(forms).map((form) => [`forbidden-${form}`, forbidden] as const),
    ['allowed', allowed] as const,
  ]) {
    for (const index of cases.keys())
      copyFileSync(join(root, '.oxlintrc.json'), join(folder, treeOf(index, kind), '.oxlintrc.json'));
  }
  const { stdout } = await lint(folder, ['-f', 'json', '.']);
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: Diagnostic[] };
  for (const { code, filename } of diagnostics) {
    const [kind = '', index = ''] = filename.split('/');
    const key = `${kind}/${index}`;
    found.set(key, [...(found.get(key) ?? []), code]);
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const rule = 'eslint(no-restricted-imports)';

describe.each(['value', 'type', 'reexport', 'lazy'])('a forbidden %s import fails the lint', (form) => {
  it.each(forbidden.map(([file, specifier], index) => [file, specifier, index] as const))(
    'src/%s <- %s',
    (_file, _specifier, index) => {
      expect(found.get(`forbidden-${form}/${index}`) ?? []).toContain(rule);
    },
  );
});

describe('an allowed import passes', () => {
  it.each(allowed.map(([file, specifier], index) => [file, specifier, index] as const))(
    'src/%s <- %s',
    (_file, _specifier, index) => {
      expect((found.get(`allowed/${index}`) ?? []).filter((code) => code === rule)).toEqual([]);
    },
  );
});

describe('the real tree', () => {
  it('has no import against the directions and no cycle', async () => {
    const { stdout } = await lint(root, ['-f', 'json', 'src']);
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: Diagnostic[] };
    const wrong = diagnostics
      .filter(({ code }) => code === rule || code === 'import(no-cycle)')
      .map(({ code, filename }) => `${filename}: ${code}`);
    expect(wrong).toEqual([]);
  });

  it('has one override per folder of the design', () => {
    const { overrides } = JSON.parse(readFileSync(join(root, '.oxlintrc.json'), 'utf8')) as {
      overrides: { files: string[] }[];
    };
    const covered = overrides.flatMap(({ files }) => files);
    for (const name of [
      'core',
      'pcm',
      'kernels',
      'models',
      'media',
      'dsp',
      'speech',
      'waveform',
      'runtime',
      'service',
      'adapters',
      'http',
      'cli',
      'client',
    ]) {
      expect(covered).toContain(`src/${name}/**`);
    }
  });
});
