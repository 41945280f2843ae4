// Does level_speakers tell a speaker's own voice from the others' in the same microphone? Conversations of known turns,
// each voice on its track and the others' behind it, softer voices, rooms, microphones of different gain.
//     node bench/tools/bleed.ts [--noise | --grid [tune | judge] [--quick]]
// Prints for each track how far the own voice is over the others', before and after, dB. With --noise also after
// remove_noise before and behind level_speakers: which order `earshot master` takes. With --grid: rooms of .2 to 1.2 s,
// voices 1 to 3 m from the others' microphones, bleed at -6 to -26 dB, 2 to 4 microphones, turns that overlap.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { levelSpeakers } from '../../src/library/tools/level_speakers/tool.ts';
import { removeNoise } from '../../src/library/tools/remove_noise/tool.ts';
import { readAll } from '../../test/fixtures/media/media.ts';
import { writeWav } from '../../test/fixtures/media/pcm-files.ts';
import { recording } from '../../test/fixtures/recordings.ts';
import { bleedCases, bleedTracks, ownOverBleed, togetherLoss } from '../../test/fixtures/sounds/bleed.ts';
import { readVoice } from '../../test/fixtures/sounds/conversations.ts';
import { printGrid } from './bleed-grid.ts';
import { runWith } from '../../test/library/dsp/tool-run.ts';

if (process.argv.includes('--grid')) {
  printGrid(process.argv.includes('judge') ? 'judge' : 'tune', process.argv.includes('--quick'));
  process.exit(0);
}

const folder = mkdtempSync(join(tmpdir(), 'earshot-bleed-'));
const voices = (['jfk.wav', 'acoustic_corpus.wav', 'sonnet001.mp3'] as const).map((name) => readVoice(recording(name)));
const shown = (values: readonly number[]): string => values.map((value) => value.toFixed(1).padStart(5)).join(' ');

const withNoise = process.argv.includes('--noise');
const level = (paths: readonly string[]) =>
  runWith(levelSpeakers, { track_file_ids: [...paths] }, {}, join(folder, 'run-'));
const pathsOf = ({ outputs }: Awaited<ReturnType<typeof level>>): string[] => outputs.map(({ path }) => path);
const planesOf = (paths: readonly string[]): Float32Array[] =>
  paths.map((path) => readAll(path).planes[0] as Float32Array);
async function cleaned(paths: readonly string[]): Promise<string[]> {
  const out: string[] = [];
  for (const path of paths) {
    const run = await runWith(removeNoise, { file_id: [path] }, { auto_volume: false }, join(folder, 'clean-'));
    out.push(run.outputs[0]?.path ?? path);
  }
  return out;
}

console.log(
  `| set-up | before | after | both talk |${withNoise ? ' noise, then levels | levels, then noise |' : ''}\n` +
    `|---|---|---|---|${withNoise ? '---|---|' : ''}`,
);
for (const [title, bleed] of Object.entries(bleedCases)) {
  const made = bleedTracks(voices.slice(0, bleed.voicesDb.length), 12, bleed);
  const paths = made.tracks.map((plane, at) =>
    writeWav(join(folder, `${title}-${at}.wav`.replaceAll(' ', '_')), [plane], made.rate, 'f32'),
  );
  const ran = await level(paths);
  const after = planesOf(pathsOf(ran));
  const cells = [
    ownOverBleed(made, made.tracks),
    ownOverBleed(made, after),
    togetherLoss(made, after),
    ...(withNoise
      ? [
          ownOverBleed(made, planesOf(pathsOf(await level(await cleaned(paths))))),
          ownOverBleed(made, planesOf(await cleaned(pathsOf(ran)))),
        ]
      : []),
  ];
  console.log(`| ${title} | ${cells.map(shown).join(' | ')} | ${ran.warnings.map(({ code }) => code).join()}`);
}
