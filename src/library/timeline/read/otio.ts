// OpenTimelineIO as JSON: the schemas that describe cuts; what else there is, is named.
import { EarshotError } from '../../core/errors/errors.ts';
import { fileNameOf } from '../form/media-url.ts';
import { type FoundClip, type FoundTimeline, mostClips } from './found.ts';

type Item = Readonly<Record<string, unknown>>;

const isItem = (value: unknown): value is Item => typeof value === 'object' && value !== null && !Array.isArray(value);
const items = (value: unknown): Item[] => (Array.isArray(value) ? value.filter(isItem) : []);
/** "Clip" of "Clip.2". */
const schemaOf = (item: Item): string =>
  (typeof item['OTIO_SCHEMA'] === 'string' && item['OTIO_SCHEMA'].split('.')[0]) || '';

function seconds(time: unknown): number | null {
  if (!isItem(time)) return null;
  const { value, rate } = time;
  return typeof value === 'number' && typeof rate === 'number' && rate > 0 && Number.isFinite(value / rate)
    ? value / rate
    : null;
}

function rangeOf(range: unknown): { start: number; length: number } | null {
  if (!isItem(range)) return null;
  const [start, length] = [seconds(range['start_time']), seconds(range['duration'])];
  return start === null || length === null || length < 0 ? null : { start, length };
}

/** The reference that a clip uses: one of several, or the only one of older files. */
function mediaOf(clip: Item): Item {
  const many = clip['media_references'];
  const key = clip['active_media_reference_key'];
  const chosen = isItem(many) ? many[typeof key === 'string' ? key : 'DEFAULT_MEDIA'] : clip['media_reference'];
  return isItem(chosen) ? chosen : {};
}

function nameOf(media: Item, clip: Item): string {
  const url = media['target_url'];
  if (typeof url !== 'string' || url === '') return typeof clip['name'] === 'string' ? clip['name'] : '';
  return fileNameOf(url);
}

const invalid = (): EarshotError =>
  new EarshotError('file_invalid', 'Expected an OpenTimelineIO file with a timeline but this has none', {
    nextAction: 'Export the timeline as OpenTimelineIO again.',
  });

export function readOtio(text: string): FoundTimeline {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    throw invalid();
  }
  if (!isItem(root)) throw invalid();
  // A project file has its timelines in a collection.
  const timeline = schemaOf(root) === 'SerializableCollection' ? items(root['children'])[0] : root;
  if (timeline === undefined || schemaOf(timeline) !== 'Timeline' || !isItem(timeline['tracks'])) throw invalid();
  const tracks = items(timeline['tracks']['children']).filter((track) => schemaOf(track) === 'Track');
  const ignored = new Set<string>();
  const read = tracks.map((track) => clipsOf(track, ignored));
  const kinds = tracks.map((track) => track['kind']);
  // Sound is exact where pictures are rounded to frames.
  const sound = read.findIndex((clips, index) => kinds[index] === 'Audio' && clips.length > 0);
  const chosen = sound === -1 ? read.findIndex((clips) => clips.length > 0) : sound;
  const clips = read[chosen] ?? [];
  const more = read.filter((each, index) => index !== chosen && each.length > 0 && kinds[index] === kinds[chosen]);
  if (more.length > 0) ignored.add(`${more.length} more ${more.length === 1 ? 'track' : 'tracks'}`);
  return { clips, ignored: [...ignored] };
}

function clipsOf(track: Item, ignored: Set<string>): FoundClip[] {
  const clips: FoundClip[] = [];
  let at = 0;
  for (const item of items(track['children'])) {
    const schema = schemaOf(item);
    if (schema === 'Transition') {
      ignored.add('transitions');
      continue;
    }
    const media = mediaOf(item);
    const available = rangeOf(media['available_range']);
    const range = rangeOf(item['source_range']) ?? available;
    // What is nested need not say its length: it is named, and the clips' order says where they lie.
    if (range === null && (schema === 'Stack' || schema === 'Track')) {
      ignored.add('nested timelines');
      continue;
    }
    if (range === null) throw invalid();
    if (range.length === 0) continue;
    if (schema === 'Clip' && item['enabled'] !== false) {
      if (items(item['effects']).length > 0) ignored.add('effects and changes of speed');
      const start = range.start - (available?.start ?? 0);
      clips.push({
        name: nameOf(media, item),
        startSeconds: start,
        endSeconds: start + range.length,
        atSeconds: at,
      });
      if (clips.length > mostClips) throw invalid();
    } else if (schema === 'Clip') ignored.add('clips that are switched off');
    else if (schema !== 'Gap') ignored.add('nested timelines');
    at += range.length;
  }
  return clips;
}
