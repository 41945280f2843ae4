// Files made by recipe, as recorders and editors make them: containers, codecs, rates, channels, late sound, gaps,
// chains, edit lists, lengths that lie, ends that are missing. What we read of each is held against Debian's ffmpeg,
// against libsndfile where it reads the file, and against the places where the recipe put its marks.
// Usage: npm run fuzz:containers -- [--seed=1] [--cases=200] [--from=0] [--only=<number>] [--verbose]
// --only makes one file, keeps it and says what each program reads of it. Ends with 1 where readings disagree and
// known.ts does not say why.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Built, buildFile } from './build.ts';
import { judge, type Readings, twinOf } from './judge.ts';
import { knownReason } from './known.ts';
import { described, drawRecipe, type Recipe } from './recipe.ts';
import { readByFfmpeg, readByUs, type Reading, Sndfile } from './witnesses.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    cases: { type: 'string', default: '200' },
    from: { type: 'string', default: '0' },
    only: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);
const folder = mkdtempSync(join(tmpdir(), 'earshot-recipes-'));
const sndfile = Sndfile.start();
if (!sndfile) console.log('without libsndfile: python3 has no soundfile');

async function readingsOf({ path, plainPath, track }: Built, hasPicture: boolean): Promise<Readings> {
  return {
    ours: await readByUs(path),
    ffmpeg: readByFfmpeg(path, track, hasPicture),
    sndfile: sndfile && (await sndfile.read(path)),
    plain: plainPath === null ? null : readByFfmpeg(plainPath, track, hasPicture),
  };
}

const said = (reading: Reading): string =>
  reading === null
    ? 'nothing'
    : `${reading.seconds.toFixed(3)} s, ${reading.rate} Hz, ` +
      `${reading.levels.map((level) => level.toFixed(1)).join(' ')} dBFS, ` +
      reading.marks.map(({ number, seconds }) => `${number}@${seconds.toFixed(3)}`).join(' ');

const counts = { built: 0, unbuilt: 0, known: new Map<string, number>(), wrong: new Map<string, number>(), faults: 0 };

/** Programs that do not read what was put into the file where nothing leaves open what is right. */
async function wrongOnTwin(recipe: Recipe, place: string): Promise<readonly string[]> {
  mkdirSync(place);
  const twin = twinOf(recipe);
  const built = buildFile(place, twin);
  return judge(twin, built, await readingsOf(built, twin.hasPicture)).wrong;
}

async function tryCase(number: number, keep: boolean): Promise<void> {
  const recipe = drawRecipe(seed, number);
  const place = join(folder, String(number));
  mkdirSync(place);
  let built: Built;
  try {
    built = buildFile(place, recipe);
  } catch (thrown) {
    counts.unbuilt += 1;
    if (keep || values.verbose)
      console.log(`${number}: this ffmpeg does not write ${described(recipe)}: ${String(thrown)}`);
    return;
  }
  counts.built += 1;
  const readings = await readingsOf(built, recipe.hasPicture);
  const { found: all, wrong: others } = judge(recipe, built, readings);
  const unfit = all.length === 0 ? [] : await wrongOnTwin(recipe, join(place, 'twin'));
  const wrong = [...others, ...unfit];
  const found = all.filter((each) => !unfit.some((program) => each.startsWith(`${program}:`)));
  for (const program of wrong) counts.wrong.set(program, (counts.wrong.get(program) ?? 0) + 1);
  const reason = found.length === 0 ? null : knownReason(recipe, found);
  if (reason !== null) counts.known.set(reason, (counts.known.get(reason) ?? 0) + 1);
  else if (found.length > 0) counts.faults += 1;
  if ((found.length > 0 && reason === null) || keep || values.verbose) {
    console.log(
      `${found.length === 0 ? 'ok' : reason === null ? 'FAULT' : 'known'} --seed=${seed} --only=${number}: ` +
        described(recipe),
    );
    for (const each of found) console.log(`    ${each}`);
  }
  if (keep) {
    const kept = `recipe-${seed}-${number}.${recipe.container}`;
    copyFileSync(built.path, kept);
    const { ours } = readings;
    console.log(`    ${JSON.stringify(recipe)}\n    kept as ${kept}`);
    console.log(
      `    ours: ${said(ours.reading)}${ours.refusal ?? ''} ${ours.warnings.map(({ message }) => message).join('; ')}`,
    );
    console.log(`    ffmpeg: ${said(readings.ffmpeg)}\n    libsndfile: ${said(readings.sndfile)}`);
    console.log(
      '    recipe: ' +
        (built.truth?.marks.map((mark) => `${mark.number}@${mark.seconds.toFixed(3)}`).join(' ') ?? 'left open'),
    );
  }
  rmSync(place, { recursive: true, force: true });
}

try {
  const from = Number(values.only ?? values.from);
  const end = values.only === undefined ? from + Number(values.cases) : from + 1;
  for (let number = from; number < end; number += 1) await tryCase(number, values.only !== undefined);
  console.log(
    `${counts.built} files read, ${counts.unbuilt} that this ffmpeg does not write, ${counts.faults} disagreements`,
  );
  for (const [program, count] of counts.wrong)
    console.log(`${program} is wrong, by what was put into the file or by another program: ${count}`);
  for (const [reason, count] of counts.known) console.log(`known ${count}: ${reason}`);
  if (counts.faults > 0) process.exitCode = 1;
} finally {
  sndfile?.close();
  rmSync(folder, { recursive: true, force: true });
}
