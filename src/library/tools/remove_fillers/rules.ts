import { count, formatClock, formatSeconds } from '../../core/readable.ts';
import type { TimeRange } from '../../core/time-range.ts';
import type { RemoveFillersResult } from './result.ts';

/** Gaps between cuts without a word in them go with the cuts; longer ones have words. */
const longestWordlessGapSeconds = 1;

/** What lies between stretches that are kept, by their begins and ends. */
function betweenEdges(edges: NonNullable<RemoveFillersResult['edges']>, length: number): TimeRange[] {
  const times = [0, ...edges.map(({ givenSeconds }) => givenSeconds), length];
  return times.flatMap((startSeconds, at) => {
    const endSeconds = times[at + 1] ?? 0;
    return at % 2 === 0 && endSeconds > startSeconds ? [{ startSeconds, endSeconds }] : [];
  });
}

/**
 * What a run cut out; in a dry run what it would. Cuts without a word between them are made as one, which only the
 * length tells.
 */
export function madeCuts({ cuts, removedSeconds = 0, edges, inputSeconds = 0 }: RemoveFillersResult): TimeRange[] {
  if (edges) return betweenEdges(edges, inputSeconds);
  const sorted = cuts
    .filter(({ action = 'cut' }) => action === 'cut')
    .toSorted((a, b) => a.startSeconds - b.startSeconds);
  const gaps = sorted.flatMap(({ endSeconds }, index) => {
    const seconds = (sorted[index + 1]?.startSeconds ?? Infinity) - endSeconds;
    return seconds > 0 && seconds < longestWordlessGapSeconds ? [{ index, seconds }] : [];
  });
  let missing =
    removedSeconds - sorted.reduce((sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds, 0);
  const joined = new Set<number>();
  for (const { index, seconds } of gaps.toSorted((a, b) => a.seconds - b.seconds)) {
    if (missing < seconds / 2) break;
    joined.add(index);
    missing -= seconds;
  }
  return sorted.map(({ startSeconds, endSeconds }, index) => ({
    startSeconds,
    endSeconds: joined.has(index) ? (sorted[index + 1]?.startSeconds ?? endSeconds) : endSeconds,
  }));
}

type ListedKind = RemoveFillersResult['cuts'][number]['kind'];

const kindNames: Record<ListedKind, readonly [one: string, many: string]> = {
  filler: ['filler', 'fillers'],
  repeat: ['repeat', 'repeats'],
  unwritten_filler: ['filler missing from the transcript', 'fillers missing from the transcript'],
  breath: ['breath', 'breaths'],
  mouth_click: ['mouth click', 'mouth clicks'],
  cough: ['cough', 'coughs'],
  stutter: ['stutter', 'stutters'],
};

/** How much was cut, and of which kinds where others than fillers were asked for; for a dry run, one cut per line. */
export function cutsInWords({
  cuts,
  cutsMade,
  softened = 0,
  removedSeconds = 0,
  byKind,
  kept,
}: RemoveFillersResult): string {
  if (cutsMade !== undefined) {
    const softer = softened > 0 ? [`${count(softened, 'sound')} muted or lowered`] : [];
    const cut = cutsMade > 0 || softened === 0;
    const shorter = cut ? `${formatSeconds(removedSeconds)} shorter` : 'nothing moved';
    return `${[...(cut ? [count(cutsMade, 'cut')] : []), ...softer, shorter].join(', ')}${kindFacts(byKind, kept)}`;
  }
  const lines = cuts.map(({ id, kind, text: said, startSeconds, endSeconds, action }) => {
    const what = said === '' ? kindNames[kind][0] : `${kindNames[kind][0]} "${said}"`;
    const doing = action === undefined || action === 'cut' ? '' : `, ${action}`;
    return `  ${id}  ${formatClock(startSeconds)} to ${formatClock(endSeconds)}  ${what}${doing}`;
  });
  return [`${count(cuts.length, 'cut')}${kindFacts(byKind, kept)}`, ...lines].join('\n');
}

/** " (3 breaths, 1 cough; 2 left beside words)"; '' where only fillers are looked for. */
function kindFacts(byKind: RemoveFillersResult['byKind'], kept: RemoveFillersResult['kept']): string {
  if (byKind === undefined) return '';
  const kinds = (Object.keys(kindNames) as ListedKind[]).flatMap((kind) => {
    const many = byKind[kind] ?? 0;
    return many === 0 ? [] : [`${many} ${kindNames[kind][many === 1 ? 0 : 1]}`];
  });
  const left = kept === undefined || kept.length === 0 ? [] : [`${kept.length} left beside words`];
  const all = [...(kinds.length === 0 ? [] : [kinds.join(', ')]), ...left];
  return all.length === 0 ? '' : ` (${all.join('; ')})`;
}
