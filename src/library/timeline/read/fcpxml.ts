// Final Cut Pro XML: the spine's clips in order. sax reads the XML: it knows no entities but XML's own and opens no
// file.
import sax from 'sax';
import { EarshotError } from '../../core/errors/errors.ts';
import { fileNameOf } from '../form/media-url.ts';
import { type FoundClip, type FoundTimeline, mostClips } from './found.ts';

const invalid = (why: string): EarshotError =>
  new EarshotError('file_invalid', `Expected an FCPXML file with a timeline but ${why}`, {
    nextAction: 'Export the timeline as XML again.',
  });

/** "1001/30000s" as seconds. */
function seconds(text: string | undefined): number {
  const [, over, under = '1'] = /^(-?\d+)(?:\/(\d+))?s$/.exec(text ?? '0s') ?? [];
  const value = Number(over) / Number(under);
  if (!Number.isFinite(value)) throw invalid(`a time is ${String(text).slice(0, 40)}`);
  return value;
}

interface Asset {
  readonly name: string;
  readonly startSeconds: number;
}

/** Of what is given to sax at once: it looks only then whether a value has grown too long. */
const pieceLength = 64 * 1024;

/** Deeper than any story; what is open costs memory. */
const deepest = 500;

/** What a story has in it, each in its place. */
const stories = new Set([
  'asset-clip',
  'clip',
  'ref-clip',
  'sync-clip',
  'mc-clip',
  'gap',
  'title',
  'transition',
  'audition',
]);
const effects = new Set(['timeMap', 'filter-video', 'filter-audio', 'adjust-volume', 'adjust-transform']);

export function readFcpxml(text: string): FoundTimeline {
  const assets = new Map<string, Asset>();
  const clips: FoundClip[] = [];
  const ignored = new Set<string>();
  const parser = sax.parser(true);
  let [sequences, spines, storyDepth, depth] = [0, 0, 0, 0];
  let asset: { id: string; name: string; startSeconds: number } | null = null;
  let at = 0;
  let isFcpxml = false;
  parser.onopentag = ({ name, attributes: given }) => {
    const attributes = given as Readonly<Record<string, string>>;
    depth += 1;
    if (depth > deepest) throw invalid(`its elements lie over ${deepest} deep in each other`);
    if (depth === 1) isFcpxml = name === 'fcpxml';
    if (name === 'asset') {
      asset = {
        id: attributes['id'] ?? '',
        name: attributes['name'] ?? '',
        startSeconds: seconds(attributes['start']),
      };
      if (attributes['src'] !== undefined) asset.name = fileNameOf(attributes['src']);
    } else if (name === 'media-rep' && asset !== null && attributes['src'] !== undefined)
      asset.name = fileNameOf(attributes['src']);
    else if (name === 'sequence') sequences += 1;
    else if (name === 'spine' && sequences === 1 && storyDepth === 0) {
      spines += 1;
      if (spines === 1) storyDepth = depth;
    } else if (storyDepth > 0 && depth === storyDepth + 1 && stories.has(name)) story(name, attributes);
    else if (storyDepth > 0 && effects.has(name)) ignored.add(name === 'timeMap' ? 'changes of speed' : 'effects');
    else if (storyDepth > 0 && depth > storyDepth + 1 && attributes['lane'] !== undefined)
      ignored.add('connected clips');
  };
  parser.onclosetag = (name) => {
    if (name === 'asset' && asset !== null) {
      assets.set(asset.id, asset);
      asset = null;
    }
    if (depth === storyDepth) storyDepth = 0;
    depth -= 1;
  };
  const story = (name: string, attributes: Readonly<Record<string, string>>): void => {
    if (name === 'transition') {
      ignored.add('transitions');
      return;
    }
    const length = seconds(attributes['duration']);
    const used = assets.get(attributes['ref'] ?? '');
    if (name === 'asset-clip' && attributes['enabled'] === '0') ignored.add('clips that are switched off');
    else if (name === 'asset-clip' && used !== undefined) {
      const start =
        (attributes['start'] === undefined ? used.startSeconds : seconds(attributes['start'])) - used.startSeconds;
      clips.push({ name: used.name, startSeconds: start, endSeconds: start + length, atSeconds: at });
    } else if (name !== 'gap') ignored.add('titles, compound and multicam clips');
    if (clips.length > mostClips) throw invalid(`it has over ${mostClips} clips`);
    at += length;
  };
  // The first error ends it: sax goes on, and keeps one of the last piece, as of a file that was cut off, to itself.
  const onerror = (error: Error): never => {
    throw error;
  };
  Object.assign(parser, { onerror });
  try {
    for (let from = 0; from < text.length; from += pieceLength) parser.write(text.slice(from, from + pieceLength));
    parser.close();
  } catch (thrown) {
    if (thrown instanceof EarshotError) throw thrown;
    const [why = ''] = (thrown as Error).message.split('\n');
    throw invalid(`it is no XML (${why.slice(0, 80)})`);
  }
  if (!isFcpxml) throw invalid('its first element is another one');
  if (sequences > 1) ignored.add(`${sequences - 1} more ${sequences === 2 ? 'sequence' : 'sequences'}`);
  return { clips, ignored: [...ignored] };
}
