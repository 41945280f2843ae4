// Writes docs/picture.svg, the picture of the README: what remove_noise and remove_fillers make of
// docs/samples/talk.opus.
//     node scripts/write-picture.ts [--check]
// With --check it compares instead. Networks round elsewhere on another processor, so numbers may differ by a little.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createEngine, type ToolRun } from '../src/index.ts';
import { openAudio } from '../src/library/media/read/decode.ts';
import { probe } from '../src/library/media/read/probe.ts';

const picture = fileURLToPath(new URL('../docs/picture.svg', import.meta.url));
const sample = fileURLToPath(new URL('../docs/samples/talk.opus', import.meta.url));

/** Pixels. A bin of level is one bar. */
const size = { width: 960, row: 140, top: 30, half: 40, bar: 2, left: 10 };
const secondsShown = 14;
const binsPerRow = (size.width - 2 * size.left) / size.bar;
/** Drawn from here to full scale: the background of the recording is at -55 dBFS, which no linear scale shows. */
const lowestDb = -75;

const xOf = (seconds: number): number => size.left + (seconds / secondsShown) * (size.width - 2 * size.left);

/** Heights of the level, in whole pixels, bin by bin. */
function heights(path: string): number[] {
  const source = openAudio(probe(path));
  const framesPerBin = (secondsShown * source.format.sampleRate) / binsPerRow;
  const energy = new Float64Array(binsPerRow);
  const counts = new Float64Array(binsPerRow);
  let frame = 0;
  for (let block = source.next(); block; block = source.next()) {
    for (const value of block.planes[0]?.subarray(0, block.frames) ?? []) {
      const bin = Math.floor(frame / framesPerBin);
      frame += 1;
      if (bin >= binsPerRow) continue;
      energy[bin] = (energy[bin] as number) + value * value;
      counts[bin] = (counts[bin] as number) + 1;
    }
  }
  source.close();
  const bins = Math.min(binsPerRow, Math.floor(frame / framesPerBin));
  return Array.from({ length: bins }, (_, bin) => {
    const db = 10 * Math.log10((energy[bin] as number) / (counts[bin] as number) + 1e-12);
    return Math.max(1, Math.round(((Math.max(lowestDb, db) - lowestDb) / -lowestDb) * size.half));
  });
}

/** The upper edge of the level as a path; its mirror image is the lower one. */
function outline(levels: readonly number[]): string {
  let at = 0;
  const steps = levels.map((level) => {
    const step = `${level === at ? '' : `v${at - level}`}h${size.bar}`;
    at = level;
    return step;
  });
  return `M${size.left} 0${steps.join('')}v${at}z`;
}

interface Word {
  readonly text: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
}

async function wordsOf(run: ToolRun<string>): Promise<Word[]> {
  const path = run.outputs.find(({ format }) => format === 'json')?.path ?? '';
  const { sentences } = JSON.parse(readFileSync(path, 'utf8')) as { sentences: { words: Word[] }[] };
  return sentences.flatMap(({ words }) => words);
}

/** Words under their sound, on the first of three lines that has room. */
function lettering(words: readonly Word[], y: number, isCut: (word: Word) => boolean): string[] {
  const free = [0, 0, 0];
  return words.map((word) => {
    const place = Math.round(xOf(word.startSeconds));
    const roomy = free.findIndex((end) => end <= place);
    const line = roomy === -1 ? free.indexOf(Math.min(...free)) : roomy;
    const x = Math.max(place, Math.ceil(free[line] as number));
    free[line] = x + word.text.length * 6.4 + 6;
    const text = word.text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    return `<text x="${x}" y="${y + line * 13}" class="${isCut(word) ? 'word gone' : 'word'}">${text}</text>`;
  });
}

async function draw(folder: string): Promise<string> {
  await using engine = createEngine({ concurrency: 1 });
  const control = { outputDir: folder };
  const cleaned = await engine.run('remove_noise', sample, { output_format: 'wav' }, control);
  const clean = cleaned.outputs[0]?.path ?? '';
  const written = await engine.run('transcribe_audio', clean, { speaker_labels: false }, control);
  const fluent = await engine.run('remove_fillers', clean, {}, control);
  const paths = [sample, clean, fluent.outputs.find(({ format }) => format === 'wav')?.path ?? ''];
  const [before, after] = await Promise.all(
    paths.slice(0, 2).map(async (path) => (await engine.run('analyze_audio', path)).result),
  );
  const said = await wordsOf(written);
  const left = await wordsOf(fluent);
  const { cuts, removedSeconds } = fluent.result;
  const isCut = (word: Word): boolean =>
    cuts.some((cut) => {
      const middle = (word.startSeconds + word.endSeconds) / 2;
      return middle > cut.startSeconds && middle < cut.endSeconds;
    });

  const oneDigit = (value: number | null | undefined): string => value?.toFixed(1) ?? 'none';
  const facts = [before, after].map(
    (report) =>
      `${oneDigit(report?.loudness.integratedLufs)} LUFS, background ${oneDigit(report?.levels.noiseFloorDbfs)} dBFS`,
  );
  const titles = [
    ['As recorded', facts[0] ?? ''],
    ['earshot remove-noise', facts[1] ?? ''],
    ['earshot remove-fillers', `${cuts.length} cuts, ${oneDigit(removedSeconds)} s shorter`],
  ] as const;
  const rows = paths.map((path, row) => {
    const top = row * size.row + (row === 0 ? 8 : row === 1 ? -14 : 18);
    const [title, measured] = titles[row] as readonly [string, string];
    const middle = top + size.top + size.half;
    const shape = outline(heights(path));
    const bands =
      row === 1
        ? cuts.map(({ startSeconds, endSeconds }) => {
            const [from, to] = [Math.round(xOf(startSeconds)), Math.round(xOf(endSeconds))];
            return (
              `<rect x="${from}" y="${middle - size.half}" width="${to - from}" height="${2 * size.half}" ` +
              'class="band"/>'
            );
          })
        : [];
    return [
      `<text x="${size.left}" y="${top + 20}" class="title">${title}</text>`,
      `<text x="${size.width - size.left}" y="${top + 20}" class="facts">${measured}</text>`,
      ...bands,
      `<g transform="translate(0 ${middle})" class="row${row}"><path id="row${row}" d="${shape}"/>` +
        `<use href="#row${row}" transform="scale(1 -1)"/></g>`,
      ...(row === 0
        ? []
        : lettering(row === 1 ? said : left, middle + size.half + 14, row === 1 ? isCut : () => false)),
    ].join('\n');
  });
  const height = 3 * size.row + 32;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${height}" font-family="system-ui, sans-serif">
<!-- Made by \`npm run picture\` from docs/samples/talk.opus: edit scripts/write-picture.ts, not this file. -->
<title>The level of a recording over ${secondsShown} seconds: as recorded, with its noise removed, and without um and uh</title>
<style>
.sheet { fill: #fff; } .title { fill: #1f2937; font-size: 15px; font-weight: 600; } .facts { fill: #4b5563; font-size: 13px; text-anchor: end; }
.word { fill: #374151; font-size: 11px; } .gone { fill: #dc2626; font-weight: 700; text-decoration: line-through; } .band { fill: #fecaca; }
.row0 { fill: #9ca3af; } .row1 { fill: #3b82f6; } .row2 { fill: #059669; }
@media (prefers-color-scheme: dark) { .sheet { fill: #0d1117; } .title { fill: #f3f4f6; } .facts, .word { fill: #c9d1d9; } .gone { fill: #f87171; } .band { fill: #7f1d1d; } }
</style>
<rect class="sheet" width="${size.width}" height="${height}" rx="6"/>
${rows.join('\n')}
</svg>
`;
}

const numbers = /-?\d+(?:\.\d+)?/g;

/** The same picture but for what processors round differently. */
function isLike(made: string, kept: string): boolean {
  if (made.replaceAll(numbers, '#') === kept.replaceAll(numbers, '#')) {
    const [these, those] = [made, kept].map((svg) => svg.match(numbers)?.map(Number) ?? []);
    return (these ?? []).every((value, at) => Math.abs(value - (those?.[at] ?? Number.NaN)) <= 2);
  }
  // A bar as high as the one before it leaves its step out: then at least what is written has to be the same.
  const written = (svg: string): string => svg.replaceAll(/ d="[^"]*"/g, '').replaceAll(numbers, '#');
  return written(made) === written(kept);
}

const folder = mkdtempSync(join(tmpdir(), 'earshot-picture-'));
try {
  const made = await draw(folder);
  if (!process.argv.includes('--check')) writeFileSync(picture, made);
  else if (!isLike(made, readFileSync(picture, 'utf8'))) {
    process.stderr.write('docs/picture.svg is stale: `npm run picture` makes it anew\n');
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
