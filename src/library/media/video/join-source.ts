// One file of a joined video: its picture, and the times of its pictures.
import type { MediaFacts } from '../facts.ts';
import { AV_PKT_DATA_DISPLAYMATRIX } from 'node-av/constants';
import { EditClock } from './edit-clock.ts';
import { isInterlaced } from '../ffmpeg/ffmpeg.ts';
import { viewingOf, type Viewing } from './picture-fitter.ts';
import { codecName } from './picture-index.ts';
import { onFileClock, openPictureSource, type PictureSource } from './picture-source.ts';
import type { ToSeconds } from './plan.ts';

export interface VideoJoinSource {
  readonly facts: MediaFacts;
  /** Output time of its zero, seconds. */
  readonly startSeconds: number;
  /** Output time at which its picture starts; the first file's picture is shown from the start. */
  readonly pictureSeconds: number;
}

export interface JoinSource extends PictureSource {
  readonly viewing: Viewing;
}

/**
 * Opens a file and indexes its pictures.
 * @throws EarshotError as `probe`, and bad_request when there is no picture
 */
export async function openJoinSource(facts: MediaFacts, signal?: AbortSignal): Promise<JoinSource> {
  const source = await openPictureSource(facts, `a video at ${facts.path}`, signal);
  return { ...source, viewing: viewingOf(source.stream, source.facts.video?.rotationDegrees ?? 0) };
}

const sameBytes = (a: Buffer | null, b: Buffer | null): boolean => (a ?? Buffer.alloc(0)).equals(b ?? Buffer.alloc(0));
/** Codecs whose packets need no headers. */
const selfContained = ['vp8', 'vp9', 'mjpeg'];

/** Can packets of one follow packets of the other in one stream? */
export function sameParameters(a: JoinSource, b: JoinSource): boolean {
  const [one, other] = [a.stream.codecpar, b.stream.codecpar];
  if (
    one.codecId !== other.codecId ||
    one.width !== other.width ||
    one.height !== other.height ||
    one.format !== other.format
  )
    return false;
  if (
    one.colorRange !== other.colorRange ||
    one.colorSpace !== other.colorSpace ||
    one.colorPrimaries !== other.colorPrimaries ||
    one.colorTrc !== other.colorTrc
  )
    return false;
  if (
    Math.abs(a.viewing.pixelAspect - b.viewing.pixelAspect) > 1e-4 ||
    isInterlaced(a.stream) !== isInterlaced(b.stream)
  )
    return false;
  if (a.viewing.turnDegrees !== b.viewing.turnDegrees) return false;
  const matrices = [
    one.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX),
    other.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX),
  ] as const;
  if (matrices[0] && matrices[1] && !sameBytes(...matrices)) return false;
  if (!a.index.timed || !b.index.timed) return false;
  if (a.index.splicer && b.index.splicer) return a.index.splicer.sameAs(b.index.splicer);
  if (selfContained.includes(codecName(a.stream))) return true;
  // A tag can name a variant of the codec (ProRes, raw pictures, parameter sets in the packets or not).
  return (
    one.profile === other.profile &&
    (a.facts.format !== b.facts.format || one.codecTag === other.codecTag) &&
    sameBytes(one.extradata, other.extradata)
  );
}

/**
 * Sound and picture of a recording seldom end at exactly the same time; pictures beyond the edge by less than this are
 * moved inside.
 */
const overhang = 0.1;

/**
 * Times of pictures, with those slightly beyond the edges of their stretch moved inside. Otherwise
 * a first picture 20 ms before zero would be cut off and its whole group re-encoded.
 */
function pressedInside(source: JoinSource, raw: ToSeconds, from: number | null, to: number | null): ToSeconds {
  const { index } = source;
  if (!index.timed) return raw;
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  let firstInside = Number.POSITIVE_INFINITY;
  let lastInside = Number.NEGATIVE_INFINITY;
  for (const ticks of index.pts) {
    const seconds = raw(ticks);
    first = Math.min(first, seconds);
    last = Math.max(last, seconds);
    if (seconds >= (from ?? Number.NEGATIVE_INFINITY)) firstInside = Math.min(firstInside, seconds);
    if (seconds < (to ?? Number.POSITIVE_INFINITY)) lastInside = Math.max(lastInside, seconds);
  }
  const pressHead = from !== null && first < from && first >= from - overhang && Number.isFinite(firstInside);
  const pressTail = to !== null && last >= to && last < to + overhang && Number.isFinite(lastInside);
  const end = last + source.frameSeconds;
  return (ticks) => {
    const seconds = raw(ticks);
    if (pressHead && seconds < firstInside)
      return from + ((seconds - first) * (firstInside - from)) / (firstInside - first);
    if (pressTail && seconds > lastInside)
      return lastInside + ((seconds - lastInside) * (to - lastInside)) / (end - lastInside);
    return seconds;
  };
}

/** The positions of a source's pictures in the output. */
export interface Placing {
  readonly clock: EditClock;
  readonly toSeconds: ToSeconds;
}

/** Clocks start here, since a stretch that starts at 0 means the beginning of the output. */
const apart = 1;

/**
 * @param gridSeconds for containers that count pictures: the picture changes on this grid
 */
export function placeSource(
  source: JoinSource,
  at: number,
  all: readonly VideoJoinSource[],
  gridSeconds: number | null,
): Placing {
  const { startSeconds } = all[at] as VideoJoinSource;
  // Half a step before the grid line, so that rounding never puts two pictures in one position.
  const cut = (seconds: number): number =>
    gridSeconds === null ? seconds : (Math.ceil(seconds / gridSeconds) - 0.5) * gridSeconds;
  const next = all[at + 1];
  const start = at === 0 ? 0 : cut((all[at] as VideoJoinSource).pictureSeconds) - startSeconds;
  const end = next ? Math.max(start, cut(next.pictureSeconds) - startSeconds) : Number.POSITIVE_INFINITY;
  const raw = onFileClock(source);
  const inside = pressedInside(source, raw, at === 0 ? null : start, next ? end : null);
  if (at === 0)
    return {
      clock: new EditClock([{ startSeconds: 0, endSeconds: end }], () => 0, Number.POSITIVE_INFINITY),
      toSeconds: inside,
    };
  const shift = apart - start;
  return {
    clock: new EditClock(
      [{ startSeconds: apart, endSeconds: end + shift }],
      () => startSeconds + start,
      Number.POSITIVE_INFINITY,
    ),
    toSeconds: (ticks) => inside(ticks) + shift,
  };
}
