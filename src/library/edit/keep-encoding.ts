// Writes kept stretches of recordings with losses by their packets, so that nothing is encoded again.
import { join } from 'node:path';
import { EarshotError } from '../core/errors/errors.ts';
import type { MediaFacts } from '../media/facts.ts';
import { isAllKept, type Kept, type SourcePart } from '../media/kept.ts';
import { keepPackets } from '../media/packets/keep-packets.ts';
import { indexPackets, type PacketIndex } from '../media/packets/packet-index.ts';
import { type PacketRange, packetRanges } from '../media/packets/packet-ranges.ts';
import type { PassOptions } from '../media/read/drive.ts';
import type { OutputPlan } from '../media/write/output.ts';
import { readTags } from '../media/write/read-tags.ts';
import { travelling, withoutTimes } from '../media/tags/rules.ts';
import type { Warning } from '../core/progress/progress.ts';
import type { EditList, KeepRange } from './edit-list.ts';
import type { WrittenEdit } from './write.ts';

/** A recording, and the frames of it that are asked for, in order. */
interface AskedPart {
  readonly index: PacketIndex;
  readonly keeps: readonly KeepRange[];
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
  const plain = ({ codec, header }: PacketIndex): Buffer =>
    codec === 'opus' ? Buffer.concat([header.subarray(0, 10), header.subarray(16)]) : header;
  return plain(one).equals(plain(other));
}

/**
 * Writes stretches of one or several recordings in the encoding that they have. The copy begins and ends exact to the
 * frame (of Vorbis: begins at a packet); where two stretches meet, both end at the nearest border of packets.
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
  let at = 0;
  const sources = parts.map(({ index, facts = index.facts }, part): SourcePart => {
    const kept = (ranges[part] as readonly PacketRange[]).map(({ startFrame, endFrame }): Kept => {
      const one = {
        startSeconds: startFrame / index.sampleRate,
        endSeconds: endFrame / index.sampleRate,
        atSeconds: at,
      };
      at += one.endSeconds - one.startSeconds;
      return one;
    });
    return { facts, kept };
  });
  const [first] = parts as readonly [AskedPart];
  const path = join(folder, `${name}.${plan.format}`);
  const travels = travelling(readTags(first.index.facts), {});
  const isWhole = sources.length === 1 && isAllKept(sources[0]?.kept ?? []);
  const warnings = await keepPackets(
    path,
    parts.map(({ index }, part) => ({ index, ranges: ranges[part] as readonly PacketRange[] })),
    {
      signal,
      onProgress,
      tags: isWhole ? travels : withoutTimes(travels),
      sources: sources as [SourcePart, ...SourcePart[]],
    },
  );
  return {
    path,
    durationSeconds: at,
    given: ranges.map((own) => own.map(({ startFrame, endFrame }) => ({ start: startFrame, end: endFrame }))),
    edges: parts.map(({ index, keeps }, part) => edgesOf(keeps, found[part]?.given ?? [], index.sampleRate)),
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
  { keeps, sourceFrames }: EditList,
  folder: string,
  options: PassOptions,
): Promise<KeptOne> {
  const index = await indexPackets(facts, options.signal);
  const { path, durationSeconds, given, edges, warnings } = await writeKeepingEncoding(
    [{ index, keeps }],
    plan,
    folder,
    options,
  );
  const [own = []] = given;
  const frames = own.reduce((sum, { start, end }) => sum + end - start, 0);
  return { path, durationSeconds, keeps: own, frames, edges: edges[0] ?? [], warnings, sourceFrames };
}
