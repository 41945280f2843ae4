// Which readings of a file disagree, and by how much.
import { marksDiffer } from '../../fixtures/sounds/marks.ts';
import type { Built } from './build.ts';
import type { Recipe } from './recipe.ts';
import type { OurReading, Reading } from './witnesses.ts';

export interface Readings {
  readonly ours: OurReading;
  readonly ffmpeg: Reading;
  /** null: it does not read the file, or is not there. */
  readonly sndfile: Reading;
}

/** Between two decoders of one packet more or less. */
const lengthWithin = 0.03;
const marksWithin = 0.01;
const levelWithin = 0.5;
const silentDb = -70;
/** Whole files are not said to be otherwise. */
const damage = new Set(['truncated', 'damaged_sound', 'read_error', 'clock_jump', 'broken_samples']);
/** A quote may count what an encoder adds at the end. */
const priceWithin = 0.3;
const seekWithin = 0.005;

function differences(ours: NonNullable<Reading>, theirs: Reading): string[] {
  if (theirs === null) return ['reads nothing'];
  const found: string[] = [];
  if (ours.rate !== theirs.rate) found.push(`${ours.rate} instead of ${theirs.rate} Hz`);
  if (ours.levels.length !== theirs.levels.length)
    found.push(`${ours.levels.length} instead of ${theirs.levels.length} channels`);
  if (Math.abs(ours.seconds - theirs.seconds) > lengthWithin)
    found.push(`${ours.seconds.toFixed(3)} instead of ${theirs.seconds.toFixed(3)} s`);
  for (const [channel, level] of ours.levels.entries()) {
    const other = theirs.levels[channel] ?? level;
    if (Math.max(level, other) > silentDb && Math.abs(level - other) > levelWithin)
      found.push(`channel ${channel + 1} ${level.toFixed(1)} instead of ${other.toFixed(1)} dBFS`);
  }
  const marks = marksDiffer(ours.marks, theirs.marks, marksWithin);
  return marks === null ? found : [...found, marks];
}

/** What of a reading is not as the file was made; null: nothing, or that is not known. */
function contradiction(reading: NonNullable<Reading>, { truth }: Built): string | null {
  if (truth === null) return null;
  const places = truth.seconds === null ? truth.marks.slice(0, reading.marks.length) : truth.marks;
  const marks = marksDiffer(reading.marks, places, truth.within);
  if (marks !== null) return marks;
  if (truth.seconds === null || Math.abs(reading.seconds - truth.seconds) <= lengthWithin + 2 * (truth.within - 0.02))
    return null;
  return `${reading.seconds.toFixed(3)} instead of ${truth.seconds.toFixed(3)} s`;
}

export interface Judgement {
  /** That need a reason. */
  readonly found: readonly string[];
  /** Programs that do not read what was put into the file, although we do. */
  readonly wrong: readonly string[];
}

export function judge(recipe: Recipe, built: Built, { ours, ffmpeg, sndfile }: Readings): Judgement {
  const { reading } = ours;
  if (reading === null)
    return {
      found: ffmpeg === null ? [] : [`ffmpeg: ${ffmpeg.seconds.toFixed(3)} s instead of ${ours.refusal ?? 'nothing'}`],
      wrong: [],
    };
  const found: string[] = [];
  const wrong: string[] = [];
  const truth = contradiction(reading, built);
  if (truth !== null) found.push(`recipe: ${truth}`);
  for (const [name, theirs] of [
    ['ffmpeg', ffmpeg],
    ['libsndfile', sndfile],
  ] as const) {
    if (theirs === null && name === 'libsndfile') continue;
    const said = differences(reading, theirs);
    const isWrong =
      truth === null && built.truth !== null && (theirs === null || contradiction(theirs, built) !== null);
    if (said.length > 0 && isWrong) wrong.push(name);
    else found.push(...said.map((each) => `${name}: ${each}`));
  }
  if (recipe.share === 1 && recipe.lie === null && recipe.junk === null)
    for (const { code, message } of ours.warnings) if (damage.has(code)) found.push(`false ${code}: ${message}`);
  if (!ours.hasVideo && ours.pricedSeconds !== null && Math.abs(ours.pricedSeconds - reading.seconds) > priceWithin)
    found.push(`priced ${ours.pricedSeconds.toFixed(3)} s, read ${reading.seconds.toFixed(3)} s`);
  if (ours.seekError > seekWithin) found.push(`read from a time on differs by ${ours.seekError.toFixed(3)}`);
  return { found, wrong };
}
