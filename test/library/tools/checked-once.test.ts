// Options and files are checked where they come in, and there alone: a call of the library is refused as a request is.
import { writeFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { createUntypedEngine } from '../../../src/library/runtime/engine/engine.ts';
import { throwIfRefused } from '../../../src/library/tools/declare/refusals.ts';
import { requireTool, tools } from '../../../src/library/tools/registry.ts';
import { scratch, thrownBy } from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { tone } from '../../fixtures/media/signals.ts';

const at = scratch();
const engine = createUntypedEngine({ tempDir: at('.') });
afterAll(() => engine.close());

const facts = { format: 'wav', durationSeconds: 1, hasAudio: true, hasVideo: false };

it('what was checked is not checked again', () => {
  for (const { id, parseOptions } of tools) {
    const once = parseOptions(id === 'convert_audio' ? { format: 'wav' } : {});
    expect(parseOptions(once)).toBe(once);
  }
});

it.each([
  ['cut_audio', { file_id: 1 }, {}, 'Expected exactly one of ranges, by_text_file_id but received none'],
  ['cut_audio', { file_id: 1, by_text_file_id: 1 }, { mode: 'keep' }, 'Expected mode keep only with ranges'],
  ['mix_tracks', { tracks: 3 }, { tracks: [{ role: 'voice' }, {}] }, 'Expected settings for each of the 3 files'],
  ['level_speakers', { track_file_ids: 1 }, {}, 'Expected 2 to 10 files for track_file_ids but received 1'],
  ['align_script', { file_id: 1 }, {}, 'Expected exactly one of text, script_file_id but received none'],
  ['remove_fillers', { file_id: 1 }, { cut_ids: ['c1'] }, 'Expected transcript_file_id together with cut_ids'],
  ['transcribe_audio', { file_id: 1 }, { speaker_labels: false, speakers: 2 }, 'Expected speaker_labels with speakers'],
  ['remove_noise', { file_id: 1 }, { room_db: -20, noise_reduction: 50 }, 'Expected either noise_reduction or room_db'],
] as const)('%s %j %j is refused before anything starts', async (id, counts, options, message) => {
  const tool = requireTool(id);
  const sound = writeWav(at('sound.wav'), [tone(8000, 8000, 200)], 8000);
  const text = at('text.txt');
  writeFileSync(text, 'words');
  const files = Object.entries(counts).map(([field, count]) => {
    const path = field.includes('text') ? text : sound;
    return [field, Array<string>(count).fill(path)] as const;
  });
  const refused = await thrownBy(() => engine.run(id, Object.fromEntries(files), options));
  expect(refused).toMatchObject({ code: 'bad_request', message: expect.stringContaining(message) as string });
  const planned = (): void => {
    const given = Object.fromEntries(files.map(([field, paths]) => [field, paths.map(() => facts)]));
    throwIfRefused(tool.plan(given, tool.parseOptions(options)).refusals);
  };
  expect((await thrownBy(planned)).message).toBe(refused.message);
});
