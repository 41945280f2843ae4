// Tags, pictures and chapters through conversions: made and read by mutagen, from every kind of file to every other.
// Prints what is kept of what the source had; what is not kept has to be named by a warning.
//   npm run bench:tags [-- --from=mp3,flac --to=m4a --lost]
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createEngine } from '../../src/index.ts';

const flag = (name: string): readonly string[] | null =>
  process.argv
    .find((argument) => argument.startsWith(`--${name}=`))
    ?.slice(name.length + 3)
    .split(',') ?? null;
const showsLost = process.argv.includes('--lost');
const sources = flag('from') ?? ['mp3', 'wav', 'aiff', 'flac', 'ogg', 'opus', 'm4a', 'mp4', 'mkv'];
/** "same" is a change of loudness, which keeps the kind of file, also of videos. */
const targets = flag('to') ?? ['mp3', 'wav', 'flac', 'ogg', 'opus', 'm4a', 'same'];
const folder = mkdtempSync(join(tmpdir(), 'earshot-tags-'));
const script = fileURLToPath(new URL('tags.py', import.meta.url));

function python(...args: readonly string[]): string {
  const ran = spawnSync('python3', [script, ...args], { maxBuffer: 2 ** 26 });
  if (ran.error || ran.status !== 0)
    throw new Error(`Expected python3 with mutagen, and ffmpeg: ${ran.error?.message ?? ran.stderr.toString()}`);
  return ran.stdout.toString();
}

type Seen = Readonly<Record<string, Readonly<Record<string, boolean>>>>;
interface Pair {
  readonly from: string;
  readonly to: string;
  readonly path: string;
  readonly warnings: string;
}

const engine = createEngine();
python('make', folder);
const pathOf = (kind: string): string => join(folder, `source.${kind}`);
const pairs: Pair[] = [];
for (const from of sources)
  for (const to of targets) {
    const outputDir = join(folder, `${from}-${to}`);
    mkdirSync(outputDir);
    const ran =
      to === 'same'
        ? await engine.run('adjust_loudness', pathOf(from), { target: 'podcast' }, { outputDir })
        : await engine.run('convert_audio', pathOf(from), { format: to as 'mp3' }, { outputDir });
    const warnings = ran.warnings.filter(({ code }) => code === 'tags_not_kept').map(({ message }) => message);
    pairs.push({ from, to, path: ran.outputs[0]?.path ?? '', warnings: warnings.join(' ') });
  }
await engine.close();
const seen = JSON.parse(python('look', ...sources.map(pathOf), ...pairs.map(({ path }) => path))) as Seen;

/** What only a word about them tells apart from what is lost: how the warning calls them. */
const calledInWarnings: Readonly<Record<string, RegExp>> = {
  sylt: /SYLT/u,
  ufid: /UFID/u,
  popm: /POPM/u,
  priv: /PRIV/u,
  geob: /GEOB/u,
  'catalogue id': /cnID/u,
  'chapter pictures': /pictures of chapters/u,
  'chapter links': /links of chapters/u,
  'picture types': /types of pictures/u,
  'picture descriptions': /descriptions of pictures/u,
};
let [kept, had, named] = [0, 0, 0];
console.log('from    to      kept   of  named  lost unsaid');
for (const { from, to, path, warnings } of pairs) {
  const before = Object.entries(seen[pathOf(from)] ?? {}).filter(([, isThere]) => isThere);
  const missing = before.map(([name]) => name).filter((name) => seen[path]?.[name] !== true);
  const unsaid = missing.filter((name) => calledInWarnings[name]?.test(warnings) !== true);
  kept += before.length - missing.length;
  had += before.length;
  named += missing.length - unsaid.length;
  console.log(
    from.padEnd(8) +
      to.padEnd(6) +
      String(before.length - missing.length).padStart(6) +
      String(before.length).padStart(5) +
      String(missing.length - unsaid.length).padStart(7) +
      String(unsaid.length).padStart(6) +
      (showsLost ? `  ${unsaid.join(', ')}` : ''),
  );
}
console.log(`\n${kept} of ${had} kept, ${named} more named by a warning, ${had - kept - named} lost without a word`);
rmSync(folder, { recursive: true });
