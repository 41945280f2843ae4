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
  /** ffmpeg's of the file without lies and junk; null: there are none. */
  readonly plain: Reading;
}

/** Between two decoders of one packet more or less. */
const lengthWithin = 0.03;
const marksWithin = 0.01;
const levelWithin = 0.5;
/** From the middle of a mark to its end, s. */
const markWithin = 0.06;
/** What codecs change of a level, dB. */
const codecWithin = 1.5;
const silentDb = -70;
/** Whole files are not said to be otherwise. */
const damage = new Set(['truncated', 'damaged_sound', 'read_error', 'clock_jump', 'broken_samples']);
/** A quote may count what an encoder adds at the end. */
const priceWithin = 0.3;
const seekWithin = 0.005;
/** A reading that is so much nearer to where marks were put is the right one. */
const nearerWithin = 0.005;

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

/**
 * The recipe without what leaves open what is right: a program that reads that wrongly, by what was put into it, is no
 * witness of the other.
 */
export const twinOf = (recipe: Recipe): Recipe => ({
  ...recipe,
  gap: null,
  trimSeconds: 0,
  lie: null,
  share: 1,
  junk: null,
});

/** How far the marks of a reading are from where they were put; null: they are others, or that is not known. */
function distance(reading: Reading, { truth }: Built): number | null {
  if (truth === null || reading === null || reading.marks.length > truth.marks.length) return null;
  const offs = reading.marks.map(({ number, seconds }, n) => {
    const mark = truth.marks[n];
    return mark?.number === number ? Math.abs(seconds - mark.seconds) : Number.POSITIVE_INFINITY;
  });
  return Math.max(0, ...offs);
}

/** By how much a reading's length is not that of the recipe, s; 0: it reads nothing, or that is not known. */
const lengthOff = (reading: Reading, { truth }: Built): number =>
  reading === null || !truth?.seconds ? 0 : Math.abs(reading.seconds - truth.seconds);

/** What of a reading is not as the file was made; null: nothing, or that is not known. */
function contradiction(reading: NonNullable<Reading>, { truth }: Built): string | null {
  if (truth === null) return null;
  // A mark in which a file ends has its middle elsewhere.
  const found =
    truth.seconds === null
      ? reading.marks.filter(({ seconds }) => seconds < reading.seconds - markWithin)
      : reading.marks;
  const places = truth.seconds === null ? truth.marks.slice(0, found.length) : truth.marks;
  const marks = marksDiffer(found, places, truth.within);
  if (marks !== null) return marks;
  const loudest = Math.max(...reading.levels);
  if (truth.level !== null && Math.abs(loudest - truth.level) > codecWithin)
    return `${loudest.toFixed(1)} instead of ${truth.level.toFixed(1)} dBFS`;
  const within = lengthWithin + 2 * (truth.within - 0.02);
  const later = truth.seconds === null ? 0 : reading.seconds - truth.seconds;
  if (truth.seconds === null || (later >= -within && later <= within + truth.behindSeconds)) return null;
  return `${reading.seconds.toFixed(3)} instead of ${truth.seconds.toFixed(3)} s`;
}

export interface Judgement {
  /** That need a reason. */
  readonly found: readonly string[];
  /**
   * Programs that are wrong by a measurement: what was put into the file is read by us and not by them, or another
   * program reads what we do: ffmpeg, libsndfile, or ffmpeg without the lie or the junk.
   */
  readonly wrong: readonly string[];
}

export function judge(recipe: Recipe, built: Built, { ours, ffmpeg, sndfile, plain }: Readings): Judgement {
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
  const agrees = (theirs: Reading): boolean => theirs !== null && differences(reading, theirs).length === 0;
  const isKnown = truth === null && built.truth !== null;
  const ownDistance = distance(reading, built);
  for (const [name, theirs, others] of [
    ['ffmpeg', ffmpeg, [sndfile, plain]],
    ['libsndfile', sndfile, [ffmpeg, plain]],
  ] as const) {
    if (theirs === null && name === 'libsndfile') continue;
    const said = differences(reading, theirs);
    if (said.length === 0) continue;
    // Levels of samples that are no numbers are infinite.
    const isBroken = theirs?.levels.includes(Number.POSITIVE_INFINITY) === true;
    const isWrong = isBroken || (isKnown && (theirs === null || contradiction(theirs, built) !== null));
    // Delays of encoders are all later than what was put in: the nearer reading has fewer of them.
    const isLater = isKnown && ownDistance !== null && (distance(theirs, built) ?? 0) > ownDistance + nearerWithin;
    const isFarther = isLater || (isKnown && lengthOff(theirs, built) > lengthOff(reading, built) + nearerWithin);
    if (isWrong || isFarther || others.some(agrees)) wrong.push(name);
    else found.push(...said.map((each) => `${name}: ${each}`));
  }
  if (recipe.share === 1 && recipe.lie === null && recipe.junk === null)
    for (const { code, message } of ours.warnings) if (damage.has(code)) found.push(`false ${code}: ${message}`);
  if (!ours.hasVideo && ours.pricedSeconds !== null && Math.abs(ours.pricedSeconds - reading.seconds) > priceWithin)
    found.push(`priced ${ours.pricedSeconds.toFixed(3)} s, read ${reading.seconds.toFixed(3)} s`);
  if (ours.seekError > seekWithin) found.push(`read from a time on differs by ${ours.seekError.toFixed(3)}`);
  return { found, wrong };
}
