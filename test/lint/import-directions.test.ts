import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import configuration from '../../oxlint.config.ts';

/** oxlint is run on a tree laid out like ours, where every file holds one import that is or is not allowed. */
const root = fileURLToPath(new URL('../../', import.meta.url));
const oxlint = join(root, 'node_modules/.bin/oxlint');

type Case = readonly [file: string, specifier: string];

const forbidden: readonly Case[] = [
  ['library/core/x.ts', '../pcm/block.ts'],
  ['library/core/x.ts', '../media/probe.ts'],
  ['library/pcm/x.ts', '../kernels/peaks.ts'],
  ['library/pcm/x.ts', '../media/decode.ts'],
  ['library/kernels/x.ts', '../pcm/block.ts'],
  ['library/models/x.ts', '../media/decode.ts'],
  ['library/media/x.ts', '../dsp/limit.ts'],
  ['library/media/x.ts', '../models/manifest.ts'],
  ['library/media/chapters/x.ts', '../../dsp/limit.ts'],
  ['library/dsp/x.ts', '../media/decode.ts'],
  ['library/dsp/x.ts', '../speech/vad.ts'],
  ['library/speech/x.ts', '../edit/edit-list.ts'],
  ['library/speech/x.ts', '../tools/registry.ts'],
  ['library/waveform/x.ts', '../dsp/limit.ts'],
  ['library/edit/x.ts', '../tools/registry.ts'],
  ['library/tools/registry.ts', './cut_audio/run.ts'],
  ['library/tools/registry.ts', '../media/probe.ts'],
  ['library/tools/cut_audio/tool.ts', '../../media/probe.ts'],
  ['library/tools/cut_audio/tool.ts', '../../runtime/engine.ts'],
  ['library/tools/cut_audio/tool.ts', '../registry.ts'],
  ['library/tools/cut_audio/tool.ts', './plan.ts'],
  ['library/tools/cut_audio/options.ts', './run.ts'],
  ['library/tools/cut_audio/options.ts', './tool.ts'],
  ['library/tools/cut_audio/options.ts', '../../media/probe.ts'],
  ['library/tools/declare/inputs.ts', '../cut_audio/options.ts'],
  ['library/tools/declare/inputs.ts', '../registry.ts'],
  ['library/tools/declare/inputs.ts', '../../media/probe.ts'],
  ['library/contract/x.ts', '../tools/declare/define.ts'],
  ['library/tools/cut_audio/tool.ts', '../join_audio/tool.ts'],
  ['library/tools/cut_audio/run.ts', '../join_audio/run.ts'],
  ['library/tools/cut_audio/run.ts', '../../runtime/engine.ts'],
  ['library/tools/cut_audio/run.ts', '../../../service/http/server/app.ts'],
  ['library/runtime/x.ts', '../../cli/terminal/exit.ts'],
  ['library/runtime/x.ts', '../../service/http/server/app.ts'],
  ['service/rules/x.ts', '../../library/tools/registry.ts'],
  ['service/rules/x.ts', '../adapters/disk/store.ts'],
  ['service/rules/files/x.ts', '../jobs/job-store.ts'],
  ['service/rules/files/tasks/x.ts', '../../jobs/job-store.ts'],
  ['service/rules/settings/x.ts', '../shared/log.ts'],
  ['service/rules/jobs/x.ts', '../legacy-jobs/tasks.ts'],
  ['service/adapters/disk/x.ts', '../../http/server/app.ts'],
  ['service/adapters/disk/x.ts', '../../../library/media/probe.ts'],
  ['service/adapters/queue/x.ts', '../postgres/database.ts'],
  ['service/adapters/runner/x.ts', '../s3/bucket.ts'],
  ['service/adapters/oauth/x.ts', '../passkeys/webauthn.ts'],
  ['service/adapters/traces/x.ts', '../queue/boss.ts'],
  ['service/adapters/postgres/x.ts', '../stripe/cards.ts'],
  ['service/adapters/postgres/jobs/x.ts', '../files/files.ts'],
  ['service/adapters/postgres/database/x.ts', '../jobs/sharing.ts'],
  ['service/adapters/postgres/files/x.ts', '../../disk/keys.ts'],
  ['service/adapters/x.ts', './disk/keys.ts'],
  ['service/serve/x.ts', '../../cli/terminal/exit.ts'],
  ['service/http/x.ts', '../../library/media/probe.ts'],
  ['service/http/x.ts', '../../library/tools/cut_audio/run.ts'],
  ['service/http/v1/x.ts', '../../adapters/postgres/db.ts'],
  ['service/http/v1/x.ts', '../legacy/errors.ts'],
  ['service/http/legacy/x.ts', '../v1/files.ts'],
  ['service/http/site/frame/x.ts', '../../v1/files.ts'],
  ['service/http/v1/x.ts', '../site/upload/upload-page.ts'],
  ['site/x.ts', '../service/http/site/frame/icon.ts'],
  ['site/islands/x.ts', '../../library/core/errors/errors.ts'],
  ['site/editor/x.ts', '../../library/speech/speech-sound.ts'],
  ['site/editor/x.ts', '../../cli/main.ts'],
  ['client/x.ts', '../site/ui.tsx'],
  ['service/http/legacy/files/x.ts', '../../v1/files.ts'],
  ['service/http/server/x.ts', '../v1/files.ts'],
  ['service/http/server/x.ts', '../legacy/errors.ts'],
  ['service/http/server/x.ts', '../dialects.ts'],
  ['service/http/server/x.ts', '../../../library/media/probe.ts'],
  ['service/http/interface/x.ts', '../v1/files.ts'],
  ['cli/x.ts', '../index.ts'],
  ['client/x.ts', '../library/core/errors.ts'],
  ['library/runtime/x.ts', '../../service/rules/jobs.ts'],
  ['service/rules/x.ts', '../../library/runtime/engine/engine.ts'],
  ['service/http/v1/x.ts', '../../../library/runtime/engine/media-work.ts'],
  ['service/serve/x.ts', '../../library/media/probe.ts'],
  ['service/commands/x.ts', '../../cli/tool/command.ts'],
  ['cli/x.ts', '../service/serve/launch.ts'],
  ['client/x.ts', '../service/rules/prices.ts'],
  ['client/x.ts', 'node:fs'],
  ['client/x.ts', 'typebox/type'],
  ['library/tools/cut_audio/run.ts', 'node-av/lib'],
  ['library/waveform/x.ts', 'node-av'],
  ['cli/x.ts', 'node-av/constants'],
  ['index.ts', 'node-av'],
  ['library/speech/x.ts', 'onnxruntime-node'],
  ['library/media/x.ts', 'sherpa-onnx-node'],
];

const allowed: readonly Case[] = [
  ['site/editor/x.ts', '../../library/speech/word-edit/spans.ts'],
  ['site/editor/x.ts', '../../library/edit/edit-list.ts'],
  ['client/x.ts', './errors.ts'],
  ['site/account/x.ts', '../../client/request.ts'],
  ['client.ts', './client/client.ts'],
  ['library/pcm/x.ts', '../core/errors.ts'],
  ['library/media/x.ts', '../kernels/peaks.ts'],
  ['library/media/x.ts', 'node-av/lib'],
  ['library/media/chapters/x.ts', '../facts.ts'],
  ['library/models/x.ts', 'onnxruntime-node'],
  ['library/dsp/x.ts', '../models/manifest.ts'],
  ['library/speech/x.ts', '../dsp/denoise.ts'],
  ['library/waveform/x.ts', '../media/decode.ts'],
  ['library/edit/x.ts', '../media/decode.ts'],
  ['library/tools/registry.ts', './cut_audio/tool.ts'],
  ['library/tools/registry.ts', '../core/errors.ts'],
  ['library/tools/registry.ts', './declare/define.ts'],
  ['library/tools/results.ts', './cut_audio/result.ts'],
  ['library/tools/declare/define.ts', '../../contract/tool-facts.ts'],
  ['library/tools/declare/define.ts', './inputs.ts'],
  ['library/tools/cut_audio/options.ts', '../declare/inputs.ts'],
  ['library/tools/cut_audio/tool.ts', '../declare/define.ts'],
  ['library/tools/cut_audio/tool.ts', './options.ts'],
  ['library/tools/cut_audio/tool.ts', 'typebox/type'],
  ['library/tools/cut_audio/run.ts', '../declare/run.ts'],
  ['library/tools/cut_audio/run.ts', './options.ts'],
  ['library/tools/cut_audio/run.ts', './plan.ts'],
  ['library/tools/cut_audio/run.ts', '../../waveform/peaks.ts'],
  ['library/runtime/x.ts', '../tools/registry.ts'],
  ['service/adapters/disk/x.ts', '../../../library/contract/tool-ids.ts'],
  ['service/serve/x.ts', '../../library/runtime/engine/media-work.ts'],
  ['service/commands/x.ts', '../../cli/terminal/exit.ts'],
  ['cli/x.ts', '../service/commands/serve-command.ts'],
  ['service/rules/files/x.ts', '../../../library/core/errors/errors.ts'],
  ['service/rules/files/tasks/x.ts', '../guards.ts'],
  ['service/rules/jobs/x.ts', '../files/guards.ts'],
  ['service/rules/service.ts', './jobs/jobs.ts'],
  ['service/adapters/disk/x.ts', '../../rules/files/object-store.ts'],
  ['service/adapters/postgres/x.ts', '../queue/boss.ts'],
  ['service/adapters/postgres/files/x.ts', '../../queue/boss.ts'],
  ['service/adapters/postgres/files/x.ts', '../jobs/sharing.ts'],
  ['service/adapters/s3/x.ts', '../local-copies.ts'],
  ['service/http/x.ts', '../rules/jobs.ts'],
  ['service/http/dialects.ts', './v1/dialect.ts'],
  ['service/http/legacy/x.ts', '../server/dialect.ts'],
  ['service/http/legacy/x.ts', './errors.ts'],
  ['service/http/legacy/x.ts', '../../rules/service.ts'],
  ['service/http/legacy/files/x.ts', '../../server/dialect.ts'],
  ['service/http/legacy/files/x.ts', '../errors.ts'],
  ['service/http/legacy/files/x.ts', '../../../rules/service.ts'],
  ['service/http/v1/x.ts', '../interface/errors.ts'],
  ['service/http/server/x.ts', '../../../library/core/errors/errors.ts'],
  ['service/http/server/x.ts', './errors.ts'],
  ['service/http/x.ts', '../../library/tools/registry.ts'],
  ['cli/x.ts', '../library/runtime/engine.ts'],
  ['index.ts', './library/runtime/engine/engine.ts'],
];

interface Diagnostic {
  readonly code: string;
  readonly filename: string;
}

let folder = '';
const found = new Map<string, string[]>();

/** Cases with the same file lie in trees of their own, the others together: each tree costs a configuration. */
const treeOf = (cases: readonly Case[], index: number, kind: string): string =>
  join(kind, String(cases.slice(0, index).filter(([file]) => file === cases[index]?.[0]).length));
const pathOf = (cases: readonly Case[], index: number, kind: string): string =>
  join(treeOf(cases, index, kind), 'src', cases[index]?.[0] ?? '');

function writeTree(cases: readonly Case[], kind: string, importing: (specifier: string) => string): void {
  for (const [index, [, specifier]] of cases.entries()) {
    const path = join(folder, pathOf(cases, index, kind));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, importing(specifier));
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
  // The patterns of the configuration start at src: every tree carries it, as the project's root does.
  const asJson = JSON.stringify(configuration);
  for (const [kind, cases] of [
    ...Object.keys(forms).map((form) => [`forbidden-${form}`, forbidden] as const),
    ['allowed', allowed] as const,
  ]) {
    for (const tree of new Set([...cases.keys()].map((index) => treeOf(cases, index, kind))))
      writeFileSync(join(folder, tree, '.oxlintrc.json'), asJson);
  }
  const { stdout } = await lint(folder, ['-f', 'json', '.']);
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: Diagnostic[] };
  for (const { code, filename } of diagnostics) {
    const path = normalize(filename);
    found.set(path, [...(found.get(path) ?? []), code]);
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const rule = 'eslint(no-restricted-imports)';

describe.each(['value', 'type', 'reexport', 'lazy'])('a forbidden %s import fails the lint', (form) => {
  it.each(forbidden.map(([file, specifier], index) => [file, specifier, index] as const))(
    'src/%s <- %s',
    (_file, _specifier, index) => {
      expect(found.get(pathOf(forbidden, index, `forbidden-${form}`)) ?? []).toContain(rule);
    },
  );
});

describe('an allowed import passes', () => {
  it.each(allowed.map(([file, specifier], index) => [file, specifier, index] as const))(
    'src/%s <- %s',
    (_file, _specifier, index) => {
      expect((found.get(pathOf(allowed, index, 'allowed')) ?? []).filter((code) => code === rule)).toEqual([]);
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
    const covered = configuration.overrides.flatMap(({ files }) => files);
    for (const house of ['library', 'service'])
      for (const room of readdirSync(join(root, 'src', house)))
        expect(covered).toContain(`src/${house}/${room}/${room === 'tools' ? '*/' : ''}**`);
    for (const room of ['adapters', 'rules', 'adapters/postgres'])
      for (const entry of readdirSync(join(root, 'src/service', room), { withFileTypes: true }))
        if (entry.isDirectory()) expect(covered).toContain(`src/service/${room}/${entry.name}/**`);
    expect(covered).toContain('src/cli/**');
    expect(covered).toContain('src/client/**');
    expect(covered).toContain('src/site/**');
  });
});
