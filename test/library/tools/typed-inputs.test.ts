// A tool reads its files in the shape that its declaration says. What the compiler must refuse is marked as an error
// that is expected: the type check of the tests fails when it is taken.
import * as Type from 'typebox/type';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { EarshotError } from '../../../src/library/core/errors/errors.ts';
import { type InputFacts, type InputsOf, shapeInputs } from '../../../src/library/contract/tool-inputs.ts';
import { defineTool } from '../../../src/library/tools/declare/define.ts';
import { mediaFile, mediaFiles, mediaTracks, textFile } from '../../../src/library/tools/declare/inputs.ts';
import type { ContextOf, RunResult } from '../../../src/library/tools/declare/run.ts';
import { requireTool } from '../../../src/library/tools/registry.ts';

const inputs = {
  file_id: mediaFile(),
  track_file_ids: mediaFiles({ min: 2, max: 10, optional: true }),
  tracks: mediaTracks({ min: 2, max: 3 }),
  script_file_id: textFile({ optional: true }),
  picture_file_id: mediaFile({ needs: 'video', optional: true }),
};
const options = Type.Object({ level: Type.Number() }, { additionalProperties: false });
type Paths = InputsOf<typeof inputs, string>;

const sound: InputFacts = { format: 'wav', durationSeconds: 10, hasAudio: true, hasVideo: false };

function refusal(call: () => unknown): EarshotError {
  try {
    call();
  } catch (thrown) {
    if (thrown instanceof EarshotError) return thrown;
  }
  throw new Error('nothing was refused');
}

/** Never called: the compiler alone reads it. */
export function reads({ inputs: files, options: parsed }: ContextOf<typeof inputs, typeof options>): void {
  files.file_id.path.endsWith('.wav');
  files.tracks.map(({ name }) => name.length);
  parsed.level.toFixed(1);
  files.script_file_id?.name.endsWith('.srt');
  // @ts-expect-error -- a required file is one file
  files.file_id.map(({ path }) => path);
  // @ts-expect-error -- an optional file may be missing
  files.script_file_id.name.endsWith('.srt');
  // @ts-expect-error -- a list is no file
  files.tracks.path.endsWith('.wav');
  // @ts-expect-error -- no such input
  void files.video_file_id;
  // @ts-expect-error -- no such option
  void parsed.volume;
}

/** Never called. */
export const declares = (): unknown =>
  defineTool({
    id: 'cut_audio',
    title: '',
    description: '',
    inputs: { file_id: mediaFile() },
    options,
    examples: [],
    plan: (facts) => ({ steps: [facts.file_id.format], notes: [], refusals: [] }),
    run: () =>
      // @ts-expect-error -- the work reads a list where the declaration has one file
      Promise.resolve({
        run: (context: ContextOf<{ file_id: ReturnType<typeof mediaFiles> }, typeof options>): Promise<RunResult> =>
          Promise.resolve({ outputs: [], result: {}, processedSeconds: context.inputs.file_id.length }),
      }),
  });

describe('the shape of inputs', () => {
  it('is one path, a path or nothing, or a list', () => {
    expectTypeOf<Paths>().toEqualTypeOf<{
      readonly file_id: string;
      readonly track_file_ids: readonly string[];
      readonly tracks: readonly string[];
      readonly script_file_id: string | undefined;
      readonly picture_file_id: string | undefined;
    }>();
    expect(shapeInputs(inputs, { file_id: ['a.wav'], tracks: ['b.wav'], script_file_id: ['c.srt'] })).toEqual({
      file_id: 'a.wav',
      track_file_ids: [],
      tracks: ['b.wav'],
      script_file_id: 'c.srt',
      picture_file_id: undefined,
    });
  });

  it.each([
    [{}, 'Expected one file for file_id but received 0'],
    [{ file_id: ['a', 'b'] }, 'Expected one file for file_id but received 2'],
    [{ file_id: ['a'], script_file_id: ['b', 'c'] }, 'Expected at most one file for script_file_id but received 2'],
    [{ file_id: ['a'], other: ['b'] }, /^Expected one of file_id, .* but received files for other/],
  ])('is refused for %j', (files: Record<string, string[]>, message) => {
    const thrown = refusal(() => shapeInputs(inputs, files));
    expect(thrown.code).toBe('bad_request');
    expect(thrown.message).toMatch(message);
  });
});

it('a plan of the registry takes lists by field and refuses what has no file', () => {
  const tool = requireTool('convert_audio');
  expect(tool.plan({ file_id: [sound] }, tool.parseOptions({})).steps).toEqual(['Encode as mp3']);
  expect(refusal(() => tool.plan({}, tool.parseOptions({}))).details).toMatchObject({ field: 'file_id' });
});
