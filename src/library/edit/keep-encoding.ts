// Writes kept stretches of recordings by their packets, so that nothing with losses is encoded again.
import { join } from 'node:path';
import { EarshotError } from '../core/errors/errors.ts';
import type { MediaFacts } from '../media/facts.ts';
import { isAllKept, type Kept, type SourcePart } from '../media/kept.ts';
import { losslessForm, requireLossless } from '../media/packets/keep-lossless.ts';
import { keepPackets, type KeepPacketsOptions } from '../media/packets/keep-packets.ts';
import { indexPackets, isLossless, type PacketIndex } from '../media/packets/packet-index.ts';
import { type PacketRange, packetRanges } from '../media/packets/packet-ranges.ts';
import type { PassOptions } from '../media/read/drive.ts';
import type { OutputPlan } from '../media/write/output.ts';
import { readTags } from '../media/write/read-tags.ts';
import { travelling, withoutTimes } from '../media/tags/rules.ts';
import type { Warning } from '../core/progress/progress.ts';
import type { EditList, KeepRange } from './edit-list.ts';
import { keepSamples } from './keep-samples.ts';
import type { WrittenEdit } from './write.ts';

/** A recording, and the frames of it that are asked for, in order. */
interface AskedPart {
  readonly index: PacketIndex;
  readonly keeps: readonly KeepRange[];
  /** As in an edit list; of codecs with losses the decoder fades. Default 0. */
  readonly crossfadeFrames?: number;
  /** With the chapters that the copy gets. Default: the recording's. */
  readonly facts?: MediaFacts;
}

/** Where a stretch was asked to begin or end, and where it does, seconds of its recording. */
interface MovedEdge {
  readonly askedSeconds: number;
  readonly givenSeconds: number;
}

interface KeptEncoding {
  readonly path: string;
  readonly durationSeconds: number;
  /** By recording: what is heard of it, in frames. */
  readonly given: readonly (readonly KeepRange[])[];
  /** Begin and end of each stretch that was asked for, by recording. */
  readonly edges: readonly (readonly MovedEdge[])[];
  readonly warnings: readonly Warning[];
}

/** What was written of one recording. */
interface KeptOne extends WrittenEdit {
  /** What is heard. */
  readonly keeps: readonly KeepRange[];
  readonly edges: readonly MovedEdge[];
}

/** Readers look for several before they take bytes for MP3. */
const fewestFrames = 8;

/** Both edges of each stretch. */
const edgesOf = (keeps: readonly KeepRange[], given: readonly KeepRange[], rate: number): MovedEdge[] =>
  keeps.flatMap((asked, at) =>
    (['start', 'end'] as const).map((edge) => ({
      askedSeconds: asked[edge] / rate,
      givenSeconds: (given[at] ?? asked)[edge] / rate,
    })),
  );

/** Refuses recordings of which packets cannot follow each other: a decoder is set up once. */
function requireAlike(parts: readonly AskedPart[]): void {
  const [first, ...others] = parts.map(({ index }) => index);
  for (const other of others) {
    const wrong =
      other.codec !== first?.codec
        ? 'codec'
        : other.sampleRate !== first.sampleRate
          ? 'sample rate'
          : other.channels !== first.channels
            ? 'number of channels'
            : !sameHeader(other, first)
              ? 'codec settings'
              : null;
    if (wrong !== null)
      throw new EarshotError('wrong_file_type', `Expected files of one ${wrong} to keep their encoding`, {
        nextAction: 'Leave out keep_encoding: the sound is encoded again then.',
      });
  }
}

/** What Opus files state as not heard may differ: the copy states its own. */
function sameHeader(one: PacketIndex, other: PacketIndex): boolean {
  const plain = (index: PacketIndex): Buffer => {
    const { codec, header } = index;
    if (isLossless(codec)) return losslessForm(index);
    return codec === 'opus' ? Buffer.concat([header.subarray(0, 10), header.subarray(16)]) : header;
  };
  return plain(one).equals(plain(other));
}

/** Where each kept stretch is in the copy. */
function sourcesOf(
  parts: readonly AskedPart[],
  kept: readonly (readonly KeepRange[])[],
): [SourcePart, ...SourcePart[]] {
  let at = 0;
  const sources = parts.map(({ index, facts = index.facts }, part): SourcePart => {
    const own = kept[part] ?? [];
    const stretches = own.map(({ start, end }): Kept => {
      const one = { startSeconds: start / index.sampleRate, endSeconds: end / index.sampleRate, atSeconds: at };
      at += one.endSeconds - one.startSeconds;
      return one;
    });
    return { facts, kept: stretches };
  });
  return sources as [SourcePart, ...SourcePart[]];
}

/** Packets with losses: where stretches meet, edges move. */
function packetsToKeep(parts: readonly AskedPart[]) {
  const found = parts.map(({ index, keeps }, at) =>
    packetRanges(index, keeps, { isFirst: at === 0, isLast: at === parts.length - 1 }),
  );
  const ranges = found.map((one) => one.ranges);
  const packets = ranges.flat().reduce((sum, { from, to }) => sum + to - from, 0);
  if (parts[0]?.index.codec === 'mp3' && packets < fewestFrames)
    throw new EarshotError(
      'bad_request',
      `Expected at least ${fewestFrames} frames of MP3 (0.2 s) to keep their encoding but received ${packets}: fewer ` +
        'are not recognised as MP3',
      { nextAction: 'Keep more, or leave out keep_encoding: the sound is encoded again then.' },
    );
  return {
    kept: ranges.map((own) => own.map(({ startFrame, endFrame }) => ({ start: startFrame, end: endFrame }))),
    given: found.map((one) => one.given),
    write: (path: string, options: KeepPacketsOptions) =>
      keepPackets(
        path,
        parts.map(({ index }, part) => ({ index, ranges: ranges[part] as readonly PacketRange[] })),
        options,
      ),
  };
}

/** Packets without losses: all edges stay. */
function samplesToKeep(parts: readonly AskedPart[]) {
  for (const { index } of parts) requireLossless(index);
  const kept = parts.map(({ keeps }) => keeps);
  const edits = parts.map(({ index, keeps, crossfadeFrames = 0 }): readonly [PacketIndex, EditList] => [
    index,
    { sampleRate: index.sampleRate, sourceFrames: index.endFrame, keeps, crossfadeFrames },
  ]);
  return {
    kept,
    given: kept,
    write: (path: string, options: KeepPacketsOptions) => keepSamples(path, edits, options),
  };
}

/**
 * Writes stretches of one or several recordings in the encoding that they have. The copy begins and ends exact to the
 * frame (of Vorbis: begins at a packet); where two stretches meet, both end at the nearest border of packets. Without
 * losses all edges are exact, and what is around them is encoded again.
 * @throws EarshotError bad_request when nothing is kept, or too little of an MP3; wrong_file_type for files that differ
 */
export async function writeKeepingEncoding(
  parts: readonly AskedPart[],
  plan: OutputPlan,
  folder: string,
  { signal, onProgress, name = 'output' }: PassOptions & { readonly name?: string },
): Promise<KeptEncoding> {
  if (parts.some(({ keeps }) => keeps.length === 0))
    throw new EarshotError('bad_request', 'The edit removes the whole recording');
  requireAlike(parts);
  const [first] = parts as readonly [AskedPart];
  const { kept, given, write } = isLossless(first.index.codec) ? samplesToKeep(parts) : packetsToKeep(parts);
  const sources = sourcesOf(parts, kept);
  const path = join(folder, `${name}.${plan.format}`);
  const travels = travelling(readTags(first.index.facts), {});
  const isWhole = sources.length === 1 && isAllKept(sources[0].kept);
  const tags = isWhole ? travels : withoutTimes(travels);
  const warnings = await write(path, { signal, onProgress, tags, sources });
  const seconds = ({ kept: stretches }: SourcePart): number =>
    stretches.reduce((sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds, 0);
  return {
    path,
    durationSeconds: sources.reduce((sum, source) => sum + seconds(source), 0),
    given: kept,
    edges: parts.map(({ index, keeps }, part) => edgesOf(keeps, given[part] ?? [], index.sampleRate)),
    warnings: [...parts.flatMap(({ index }) => index.warnings), ...warnings],
  };
}

/**
 * As `writeEdited`, in the encoding that the recording has.
 * @throws EarshotError as `indexPackets` and `writeKeepingEncoding`
 */
export async function keepOne(
  facts: MediaFacts,
  plan: OutputPlan,
  { keeps, sourceFrames, crossfadeFrames }: EditList,
  folder: string,
  options: PassOptions,
): Promise<KeptOne> {
  const index = await indexPackets(facts, options.signal);
  const { path, durationSeconds, given, edges, warnings } = await writeKeepingEncoding(
    [{ index, keeps, crossfadeFrames }],
    plan,
    folder,
    options,
  );
  const [own = []] = given;
  const frames = own.reduce((sum, { start, end }) => sum + end - start, 0);
  return { path, durationSeconds, keeps: own, frames, edges: edges[0] ?? [], warnings, sourceFrames };
}
