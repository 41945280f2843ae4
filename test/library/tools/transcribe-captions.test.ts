// Captions of further kinds that a transcript brings along.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readTyped } from '../../../src/cli/tool/typed-values.ts';
import { createEngine, formatTranscript } from '../../../src/index.ts';
import { requireTool } from '../../../src/library/tools/registry.ts';
import { recording } from '../../fixtures/recordings.ts';
import { slow } from '../../fixtures/rounds.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const folder = temporaryFolder('earshot-captions-kinds-');
const engine = createEngine({ tempDir: folder });
afterAll(() => engine.close());
const jfk = recording('jfk.wav');

it('are what is written of its JSON, beside the format that was asked for', slow, async () => {
  const options = { language: 'en', speaker_labels: false, caption_profile: 'shorts', karaoke: true } as const;
  const run = await engine.run(
    'transcribe_audio',
    jfk,
    { ...options, captions: ['ass', 'docx'] },
    { outputDir: folder, formats: ['json', 'vtt'] },
  );
  const names = run.outputs.map(({ filename }) => filename);
  expect(names.toSorted()).toEqual(['jfk.ass', 'jfk.docx', 'jfk.json', 'jfk.vtt']);
  const of = (name: string): Buffer => readFileSync(join(folder, name));
  const json = of('jfk.json').toString();
  for (const format of ['ass', 'vtt', 'docx'] as const) {
    const written = await formatTranscript(json, format, { profile: 'shorts', karaoke: true, recording: 'jfk' });
    expect([format, of(`jfk.${format}`).equals(Buffer.from(written))]).toEqual([format, true]);
  }
});

it('do not replace a file, and are told before the work', async () => {
  writeFileSync(join(folder, 'jfk.ttml'), 'mine');
  const run = engine.run('transcribe_audio', jfk, { captions: ['ttml'] }, { outputDir: folder, formats: ['txt'] });
  await expect(run).rejects.toMatchObject({ code: 'conflict' });
  expect(existsSync(join(folder, 'jfk.txt'))).toBe(false);
});

it('are typed with commas between them', () => {
  const tool = requireTool('transcribe_audio');
  const read = (captions: string): unknown =>
    tool.parseOptions(readTyped({ captions }, tool.options.properties ?? {}), 'text')['captions'];
  expect(read('ttml, DOCX')).toEqual(['ttml', 'docx']);
  expect(read('["ass"]')).toEqual(['ass']);
  for (const wrong of ['doc', 'srt', '', 'ass,ass,ass,ass,ass']) expect(() => read(wrong)).toThrow(/captions/);
});
