// Timelines of real runs: their lengths are those of the files that were rendered.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runTimeline } from '../../../../src/library/runtime/recipes/timeline-of-run.ts';
import { requireTool } from '../../../../src/library/tools/registry.ts';
import { readAll, scratch } from '../../../fixtures/media/media.ts';
import { writeWav } from '../../../fixtures/media/pcm-files.ts';
import { runTool } from '../../../fixtures/media/run-context.ts';
import { noise } from '../../../fixtures/media/signals.ts';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';

const path = scratch();
const rate = 48_000;
const sound = (name: string, seconds: number): string =>
  writeWav(path(name), [noise(seconds * rate, 0.1)], rate, 's16');

interface Otio {
  readonly tracks: {
    readonly children: readonly {
      readonly children: readonly { readonly source_range: { readonly duration: { readonly value: number } } }[];
    }[];
  };
}
const framesIn = (text: string): number[] =>
  (JSON.parse(text) as Otio).tracks.children.map(({ children }) =>
    children.reduce((sum, { source_range: range }) => sum + range.duration.value, 0),
  );

async function run(id: string, inputs: Record<string, string[]>, options: object) {
  const tool = requireTool(id);
  const prefix = join(temporaryFolder('earshot-timelines-'), 'run-');
  const done = await runTool(tool as never, inputs as never, options, prefix);
  return { tool: id, ...done } as unknown as Parameters<typeof runTimeline>[0] & { path: string };
}

it('of a cut is as long as the file, to the sample', async () => {
  const input = sound('cut.wav', 5);
  const done = await run(
    'cut_audio',
    { file_id: [input] },
    {
      ranges: [
        [0.50001, 1.23456],
        [3, 3.7],
      ],
    },
  );
  const { text, leftOut } = runTimeline(done, [input], 'otio');
  expect(framesIn(text)).toEqual([readAll(done.path).frames]);
  expect(text).toContain('cut.wav');
  expect(leftOut).toEqual([]);
});

it('of shortened silences is as long as the file, to the sample', async () => {
  const half = noise(rate, 0.2);
  const plane = Float32Array.from([...half, ...new Float32Array(3 * rate), ...half]);
  const input = writeWav(path('pause.wav'), [plane], rate, 's16');
  const done = await run('remove_silence', { file_id: [input] }, {});
  const frames = readAll(done.path).frames;
  expect(frames).toBeLessThan(plane.length);
  expect(framesIn(runTimeline(done, [input], 'otio').text)).toEqual([frames]);
});

it('of joined files with a crossfade has two tracks that fade into each other', async () => {
  const inputs = [sound('a.wav', 2), sound('b.wav', 3)];
  const done = await run('join_audio', { file_ids: inputs }, { crossfade_ms: 500, match_loudness: false });
  const { text } = runTimeline(done, inputs, 'reaper');
  const items = [...text.matchAll(/POSITION (\S+)\n\s+LENGTH (\S+)[^]*?FADEIN 1 (\S+)[^]*?FADEOUT 1 (\S+)/g)];
  expect(items.map((found) => found.slice(1, 5).map(Number))).toEqual([
    [0, 2, 0, 0.5],
    [1.5, 3, 0.5, 0],
  ]);
  expect(framesIn(runTimeline(done, inputs, 'otio').text)).toEqual([2 * rate, readAll(done.path).frames]);
});

it('of a mix has a track for each recording with its gain', async () => {
  const inputs = [sound('host.wav', 2), sound('guest.wav', 3)];
  const done = await run('mix_tracks', { tracks: inputs }, {});
  const { text } = runTimeline(done, inputs, 'fcpxml');
  expect([...text.matchAll(/lane="(\d)"/g)].map(([, lane]) => lane)).toEqual(['1', '2']);
  expect(text).toMatch(/adjust-volume amount="-?\d+\.\d\ddB"/);
});

it('is refused for a run that leaves nothing to arrange', async () => {
  const input = sound('plain.wav', 1);
  const done = await run('convert_audio', { file_id: [input] }, { format: 'flac' });
  expect(() => runTimeline(done, [input], 'otio')).toThrow(/cuts, joins, mixes or transcribes/);
});
