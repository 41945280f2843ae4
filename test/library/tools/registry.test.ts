import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { EarshotError } from '../../../src/library/core/errors/errors.ts';
import { optionFlag } from '../../../src/cli/terminal/flag-names.ts';
import { toolIds, toolSlugs } from '../../../src/library/contract/tool-ids.ts';
import { publicTools } from '../../../src/library/runtime/engine/engine.ts';
import { inputName } from '../../../src/library/tools/declare/inputs.ts';
import { throwIfRefused } from '../../../src/library/tools/declare/refusals.ts';
import type { InputFacts } from '../../../src/library/contract/tool-inputs.ts';
import { findTool, requireTool, tools } from '../../../src/library/tools/registry.ts';
import { slow } from '../../fixtures/rounds.ts';

const sound: InputFacts = { format: 'wav', durationSeconds: 10, hasAudio: true, hasVideo: false };
const silentVideo: InputFacts = { format: 'mp4', durationSeconds: 10, hasAudio: false, hasVideo: true };

function refusal(call: () => unknown): EarshotError {
  try {
    call();
  } catch (thrown) {
    if (thrown instanceof EarshotError) return thrown;
  }
  throw new Error('nothing was refused');
}

describe('the ids of the interface', () => {
  it('have one declaration and one slug each', () => {
    expect(tools.map(({ id }) => id).toSorted()).toEqual(toolIds.toSorted());
    expect(new Set(Object.values(toolSlugs)).size).toBe(toolIds.length);
  });

  it('have an underscore, by which the lint tells the folder of a tool from others', () => {
    for (const id of toolIds) expect(id).toMatch(/^[a-z]+_[a-z_]+$/);
  });
});

describe.each(tools.map((tool) => [tool.id, tool] as const))('%s', (id, tool) => {
  const properties = Object.entries(tool.options.properties ?? {});

  it('carries the id and slug of the interface and is found by both', () => {
    expect(toolSlugs[id]).toBe(tool.slug);
    expect(findTool(tool.id)).toBe(tool);
    expect(findTool(tool.slug)).toBe(tool);
  });

  it('rejects unknown options, names the rest in snake_case and describes each', () => {
    expect((tool.options as { additionalProperties?: unknown }).additionalProperties).toBe(false);
    for (const [name, schema] of properties) {
      expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(schema.description, name).toBeTruthy();
    }
    expect(refusal(() => tool.parseOptions({ no_such_option: 1 })).message).toMatch(/^Unknown option no_such_option/);
  });

  it('has examples whose flags are options of the tool', () => {
    const known = [
      ...properties.map(([name]) => optionFlag(name)),
      ...Object.keys(tool.inputs).map((name) => optionFlag(inputName(name))),
      '--jobs',
      '--json',
      '--output',
      '--overwrite',
      ...(tool.formats === undefined ? [] : ['--formats']),
      ...(tool.live === undefined ? [] : ['--live']),
      ...(tool.changesLevelOnly === true ? ['--album'] : []),
    ];
    expect(tool.examples.length).toBeGreaterThan(0);
    for (const { command } of tool.examples) {
      expect(command.split(' ')[0]).toBe(tool.slug);
      for (const [, name] of command.matchAll(/ --(?:no-)?([a-z-]+)/g)) expect(known).toContain(`--${name}`);
    }
  });

  it('has a run.ts where the job process looks for it, and loads it only lazily', slow, async () => {
    const url = publicTools.runModuleUrl(id);
    const own = await tool.run();
    const found = (await import(url)) as unknown;
    expect(found).toBe(own);
    const declaration = readFileSync(
      fileURLToPath(new URL(`../../../src/library/tools/${id}/tool.ts`, import.meta.url)),
      'utf8',
    );
    expect(declaration).not.toMatch(/^import [^;]*'\.\/run\.ts'/m);
  });
});

describe('analyze_audio', () => {
  const tool = requireTool('media-info');

  it('has the options of the interface', () => {
    expect(tool.parseOptions({})).toEqual({ detail: 'concise' });
    expect(refusal(() => tool.parseOptions({ detail: 'all' })).message).toBe(
      'Expected one of concise, full for detail but received all of type string',
    );
  });

  it('refuses a file without sound', () => {
    const plan = tool.plan({ file_id: [silentVideo] }, tool.parseOptions({}));
    expect(plan.refusals.map(({ code }) => code)).toEqual(['no_audio']);
    expect(refusal(() => throwIfRefused(plan.refusals)).code).toBe('no_audio');
    expect(tool.plan({ file_id: [sound] }, tool.parseOptions({})).refusals).toEqual([]);
  });
});

describe('adjust_loudness', () => {
  const tool = requireTool('loudness');

  it('has the options of the interface', () => {
    expect(tool.parseOptions({})).toEqual({ target: 'podcast', output_format: 'same' });
    expect(tool.parseOptions({ target: 'custom', custom_lufs: -19.5 })).toEqual({
      target: 'custom',
      custom_lufs: -19.5,
      output_format: 'same',
    });
  });

  it.each([
    [{ target: 'custom' }, 'custom_lufs'],
    [{ custom_lufs: -16 }, 'target'],
    [{ target: 'custom', custom_lufs: -31 }, 'custom_lufs'],
    [{ target: 'custom', custom_lufs: -4.9 }, 'custom_lufs'],
    [{ output_format: 'ogg' }, 'output_format'],
  ])('refuses %j', (options, field) => {
    const thrown = refusal(() => tool.parseOptions(options));
    expect(thrown.code).toBe('bad_request');
    expect(thrown.details?.['field']).toBe(field);
  });

  it('says when the picture goes', () => {
    const film = { ...sound, format: 'mp4', hasVideo: true };
    expect(tool.plan({ file_id: [film] }, tool.parseOptions({})).notes).toEqual([]);
    expect(tool.plan({ file_id: [film] }, tool.parseOptions({ output_format: 'mp3' })).notes).toEqual([
      'The picture is dropped: mp3 holds sound only',
    ]);
  });
});

describe('convert_audio', () => {
  const tool = requireTool('convert');

  it('has the options of the interface', () => {
    expect(tool.parseOptions({})).toEqual({ fit_peaks: false, fix_phase: false, format: 'mp3' });
    expect(tool.parseOptions({ format: 'opus', bitrate_kbps: 16, sample_rate: 48000, channels: 'mono' })).toMatchObject(
      { bitrate_kbps: 16 },
    );
    for (const sample_rate of [8000, 16000, 22050, 24000, 32000, 44100, 48000])
      expect(tool.parseOptions({ sample_rate })).toMatchObject({ sample_rate });
  });

  it.each([
    [{ format: 'aac' }, 'format'],
    [{ bitrate_kbps: 15 }, 'bitrate_kbps'],
    [{ bitrate_kbps: 321 }, 'bitrate_kbps'],
    [{ bitrate_kbps: 128.5 }, 'bitrate_kbps'],
    [{ format: 'wav', bitrate_kbps: 128 }, 'bitrate_kbps'],
    [{ sample_rate: 96000 }, 'sample_rate'],
    [{ channels: 2 }, 'channels'],
  ])('refuses %j', (options, field) => {
    const thrown = refusal(() => tool.parseOptions(options));
    expect(thrown.code).toBe('bad_request');
    expect(thrown.details?.['field']).toBe(field);
  });
});

describe('requireTool', () => {
  it('suggests the near one', () => {
    expect(refusal(() => requireTool('lodness')).message).toBe('Unknown tool lodness; did you mean loudness?');
    expect(refusal(() => requireTool('')).message).toMatch(/^Unknown tool ; expected one of analyze_audio/);
  });
});
