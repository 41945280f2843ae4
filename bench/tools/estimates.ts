// How far the time left that a run says is from the truth, tool by tool, from a tenth of its time on.
//     node bench/tools/estimates.ts [--seconds=600] [--tools=adjust_loudness,...] [--trace]
// --trace lists what each run said, beside the truth.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createUntypedEngine } from '../../src/library/runtime/engine/engine.ts';
import { flag, machineLine } from '../compare.ts';
import { benchFile, ffmpeg } from '../media.ts';

const seconds = Number(flag('seconds') ?? 600);
const wanted = flag('tools')?.split(',');
const folder = mkdtempSync(join(tmpdir(), 'earshot-estimates-'));

/** Real speech, as often as it takes. */
function speech(format: 'wav' | 'mp3', length: number): string {
  const path = join(folder, `speech-${length}.${format}`);
  if (existsSync(path)) return path;
  const source = fileURLToPath(new URL('../../test/recordings/austen-0870.flac', import.meta.url));
  ffmpeg(['-v', 'error', '-y', '-stream_loop', '-1', '-i', source, '-t', String(length), path]);
  return path;
}

/** One run of the bench. */
interface Work {
  readonly tool: string;
  readonly files: readonly string[];
  readonly options?: object;
}

const each = (tool: string, options: object = {}): Work[] =>
  (['wav', 'mp3', 'm4a', 'flac'] as const).map((format) => ({ tool, files: [benchFile(format, seconds)], options }));
const short = Math.min(seconds, 180);
const works: Work[] = [
  ...each('adjust_loudness'),
  { tool: 'adjust_loudness', files: [benchFile('wav', seconds)], options: { output_format: 'mp3' } },
  { tool: 'adjust_loudness', files: [benchFile('wav', seconds)], options: { output_format: 'm4a' } },
  ...each('level_speakers').slice(0, 2),
  { tool: 'level_speakers', files: [speech('wav', short)] },
  { tool: 'mix_tracks', files: [benchFile('wav', seconds), benchFile('flac', seconds)] },
  { tool: 'mix_tracks', files: [benchFile('mp3', seconds), benchFile('m4a', seconds)], options: { duck: true } },
  { tool: 'join_audio', files: [benchFile('wav', seconds), benchFile('wav', seconds)] },
  { tool: 'join_audio', files: [benchFile('mp3', seconds), benchFile('mp3', seconds)] },
  { tool: 'join_audio', files: [benchFile('m4a', seconds), benchFile('mp3', seconds)] },
  ...each('remove_silence'),
  { tool: 'remove_noise', files: [benchFile('mp3', short)] },
  { tool: 'remove_noise', files: [speech('wav', short)] },
  { tool: 'enhance_voice', files: [speech('wav', short)] },
  { tool: 'enhance_voice', files: [speech('mp3', short)] },
  { tool: 'transcribe_audio', files: [speech('wav', short)] },
  { tool: 'transcribe_audio', files: [speech('mp3', short)], options: { speaker_labels: false } },
  { tool: 'remove_fillers', files: [speech('mp3', short)] },
  ...each('convert_audio').slice(0, 2),
  ...each('analyze_audio').slice(0, 2),
].filter(({ tool }) => wanted === undefined || wanted.includes(tool));

interface Seen {
  readonly seconds: number;
  /** Largest share by which the time left was wrong between a tenth of the run and half a second before its end. */
  readonly worst: number;
  /** Largest distance of the bar from the share of time that had passed. */
  readonly bar: number;
}

async function once({ tool, files, options = {} }: Work, trace = false): Promise<Seen> {
  await using engine = createUntypedEngine({ concurrency: 1, tempDir: folder });
  const said: { at: number; stage: string; left: number | null; progress: number }[] = [];
  let startedAt = 0;
  await engine.run(tool, files, options, {
    onProgress({ progress, stage, estimatedSecondsLeft: left }) {
      const at = performance.now() / 1000;
      if (stage !== 'queued' && startedAt === 0) startedAt = at;
      said.push({ at, stage, left, progress });
    },
  });
  const endedAt = performance.now() / 1000;
  const whole = endedAt - startedAt;
  if (trace)
    for (const { at, stage, left, progress } of said.filter((_, index) => index % Math.ceil(said.length / 60) === 0))
      console.log(
        `${(at - startedAt).toFixed(2).padStart(8)} s  ${stage.padEnd(20)} progress ${progress.toFixed(3)}  ` +
          `left ${left?.toFixed(2) ?? '-'}, truth ${(endedAt - at).toFixed(2)}`,
      );
  // Nothing is said in the first half second, and the last moments are no time.
  const judged = said.filter(
    ({ at }) => at - startedAt >= Math.max(0.6, whole / 10) && endedAt - at > Math.max(0.5, whole / 20),
  );
  return {
    seconds: whole,
    worst: Math.max(0, ...judged.map(({ at, left }) => Math.abs((left ?? Infinity) / (endedAt - at) - 1))),
    bar: Math.max(0, ...judged.map(({ at, progress }) => Math.abs(progress - (at - startedAt) / whole))),
  };
}

const percent = (share: number): string => (Number.isFinite(share) ? `${Math.round(100 * share)} %` : 'none said');

try {
  console.log(`${machineLine()}, ${seconds} s of sound (${short} s for networks)\n`);
  console.log('| Tool | Input | Takes | Time left wrong by at most | Bar |\n|---|---|---|---|---|');
  for (const work of works) {
    const { seconds: takes, worst, bar } = await once(work, process.argv.includes('--trace'));
    const inputs = work.files.map((path) => path.split('.').at(-1)).join(' + ');
    const options = Object.keys(work.options ?? {}).length === 0 ? '' : ` ${JSON.stringify(work.options)}`;
    console.log(`| ${work.tool} | ${inputs}${options} | ${takes.toFixed(1)} s | ${percent(worst)} | ${percent(bar)} |`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
