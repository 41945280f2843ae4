// Fillers that are muted or lowered in place of cut: nothing moves.
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseTranscript } from '../../../src/library/contract/parse-transcript.ts';
import { splitSentences } from '../../../src/library/speech/transcript/sentences/split.ts';
import { removeFillers } from '../../../src/library/tools/remove_fillers/tool.ts';
import { readAll, scratch } from '../../fixtures/media/media.ts';
import { runTool, type ToolRun } from '../../fixtures/media/run-context.ts';
import { recording } from '../../fixtures/recordings.ts';
import { textGridWords } from '../../fixtures/text-grid.ts';

const path = scratch();
const corpus = recording('acoustic_corpus.wav');
const { sampleRate: rate } = readAll(corpus).format;
const source = readAll(corpus).planes[0] as Float32Array;
/** Words where the phonetician heard them. */
const grid = textGridWords(recording('acoustic_corpus.TextGrid'));
const ums = grid.filter(({ text }) => text === 'um').length;

interface Cut {
  readonly kind: string;
  readonly action: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
}

function run(fillers: string): Promise<ToolRun> {
  const transcript = path(`${fillers}.json`);
  const [format, version, language] = ['earshot-transcript', 1, 'en'];
  const durationSeconds = source.length / rate;
  const sentences = splitSentences(grid, language as string);
  writeFileSync(
    transcript,
    JSON.stringify({ format, version, language, durationSeconds, speakerCount: null, sentences }),
  );
  const inputs = { file_id: [corpus], transcript_file_id: [transcript] };
  return runTool(removeFillers, inputs, { repeats: false, fillers }, path('run-'));
}

it.each(['mute', 'lower'] as const)('fillers: %s leaves everything in its place, to the bit', async (action) => {
  const done = await run(action);
  const cuts = done.result['cuts'] as unknown as Cut[];
  expect(cuts.map((cut) => [cut.kind, cut.action])).toContainEqual(['filler', action]);
  expect(done.result).toMatchObject({ cutsMade: 0, softened: cuts.length, removedSeconds: 0 });
  expect(removeFillers.inWords(done.result as never)).toMatch(
    new RegExp(`, ${cuts.length} sounds? muted or lowered, nothing moved$`),
  );
  const out = readAll(done.path).planes[0] as Float32Array;
  expect(out.length).toBe(source.length);
  const inside = (frame: number, margin: number): boolean =>
    cuts.some(
      (cut) =>
        frame >= Math.round(cut.startSeconds * rate) - margin && frame < Math.round(cut.endSeconds * rate) + margin,
    );
  // Ends are given in milliseconds.
  const other = out.findIndex((sample, frame) => sample !== source[frame] && !inside(frame, 0.001 * rate));
  expect(other).toBe(-1);
  const fade = -0.007 * rate;
  const loudest = source.reduce(
    (most, sample, frame) => (inside(frame, fade) ? Math.max(most, Math.abs(sample)) : most),
    0,
  );
  const left = out.reduce((most, sample, frame) => (inside(frame, fade) ? Math.max(most, Math.abs(sample)) : most), 0);
  expect(left / loudest).toBeCloseTo(action === 'mute' ? 0 : 10 ** (-15 / 20), 3);
  const { sentences } = parseTranscript(readFileSync(done.outputs[1]!.path, 'utf8'));
  const written = sentences.flatMap(({ words }) => words).filter(({ text }) => text === 'um').length;
  expect(written).toBe(action === 'mute' ? 0 : ums);
});
