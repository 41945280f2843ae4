// Flash and click in many containers and codecs, before and after tools, seen by Debian's ffmpeg. Prints a table: by
// how much picture and sound moved against each other, what the codecs became, and what is missing.
//   npm run bench:containers [-- --only=avi,H.264 --tools=cut_audio]
//   npm run bench:containers -- --odd     # odd files instead: odd.ts
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine } from '../../src/index.ts';
import { type Case, cases, clickFile, fileOf, lengthSeconds } from './cases.ts';
import { look, type Seen } from './measure.ts';
import { benchOdd } from './odd.ts';

const flag = (name: string): readonly string[] | null =>
  process.argv
    .find((argument) => argument.startsWith(`--${name}=`))
    ?.slice(name.length + 3)
    .split(',') ?? null;
const only = flag('only');
const folder = mkdtempSync(join(tmpdir(), 'earshot-containers-'));
const engine = createEngine();

/** Seconds that are cut out, away from flash and click. */
const cut = [3, 4] as const;
/** Of each tool: its run, and by how many seconds the file becomes shorter; null: by what it finds. */
const tools = {
  cut_audio: {
    shorter: cut[1] - cut[0],
    run: (path: string) => engine.run('cut_audio', path, { ranges: [[...cut]] }, to()),
  },
  remove_silence: { shorter: null, run: (path: string) => engine.run('remove_silence', path, {}, to()) },
  adjust_loudness: {
    shorter: 0,
    run: (path: string) => engine.run('adjust_loudness', path, { target: 'podcast' }, to()),
  },
  replace_audio: {
    shorter: 0,
    run: (path: string) =>
      engine.run('replace_audio', { video_file_id: path, audio_file_id: clickFile(folder) }, {}, to()),
  },
} as const;
type ToolName = keyof typeof tools;
const chosen = (flag('tools') ?? Object.keys(tools)) as readonly ToolName[];

let runs = 0;
function to(): { outputDir: string } {
  const outputDir = join(folder, `run-${(runs += 1)}`);
  mkdirSync(outputDir);
  return { outputDir };
}

/** What a person would notice, apart from the codecs. */
function faults(before: Seen, after: Seen, shorter: number | null): readonly string[] {
  const found: string[] = [];
  if (shorter !== null) {
    const missing = before.pictures - 25 * shorter - after.pictures;
    if (Math.abs(missing) > 1) found.push(`${missing} pictures missing`);
    const short = before.soundSeconds - shorter - after.soundSeconds;
    // A frame of the new codec.
    if (Math.abs(short) > 0.07) found.push(`sound ${short.toFixed(3)} s short`);
  }
  if (after.complaints.length > before.complaints.length) found.push(after.complaints[0] ?? '');
  return found;
}

const became = (before: string, after: string): string => (before === after ? '' : `${before} → ${after}`);

async function row(one: Case, before: Seen, path: string, tool: ToolName): Promise<void> {
  const cells = [one.container, one.picture, one.sound, tool];
  try {
    const { outputs } = await tools[tool].run(path);
    const after = look(outputs[0]?.path ?? '');
    // Sound that is swapped in has its click at its own time.
    const moved = tool === 'replace_audio' ? after.flashAfterClick : after.flashAfterClick - before.flashAfterClick;
    const codecs = [
      became(before.picture, after.picture),
      became(before.pixels, after.pixels),
      became(before.sound, after.sound),
    ];
    cells.push((1000 * moved).toFixed(1), codecs.filter((each) => each !== '').join(', '));
    cells.push(faults(before, after, tools[tool].shorter).join('; '));
  } catch (thrown) {
    cells.push('', '', thrown instanceof Error ? thrown.message : String(thrown));
  }
  console.log(`| ${cells.join(' | ')} |`);
}

async function benchVideos(): Promise<void> {
  console.log(
    `Videos of ${lengthSeconds} s. Moved: flash against click, ms, against the input (after a swap: against each ` +
      'other)\n',
  );
  console.log('| Container | Picture | Sound | Tool | Moved | Codecs | Faults |\n|---|---|---|---|---|---|---|');
  for (const one of cases) {
    if (only !== null && !only.some((word) => [one.container, one.picture, one.sound].includes(word))) continue;
    const path = fileOf(folder, one);
    if (path === null) {
      console.log(`| ${one.container} | ${one.picture} | ${one.sound} | | | | this ffmpeg cannot write it |`);
      continue;
    }
    const before = look(path);
    for (const tool of chosen) await row(one, before, path, tool);
  }
}

try {
  if (process.argv.includes('--odd')) await benchOdd(engine, folder, only, flag('tools'));
  else await benchVideos();
} finally {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
}
