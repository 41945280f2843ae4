// The head of a file whose packets are copied: its tags, covers and chapters.
import { Dictionary, type FormatContext } from 'node-av/lib';
import type { Warning } from '../../core/progress/progress.ts';
import { expectOk } from '../ffmpeg/ffmpeg.ts';
import { chaptersIn, type SourcePart } from '../kept.ts';
import { probe } from '../read/probe.ts';
import { coverStreams } from '../tags/held.ts';
import type { Tags } from '../tags/model.ts';
import { carryWave } from '../wave/carry.ts';
import { addCoverStream, coverOf, writeCover } from './cover.ts';
import { type DolbyVision, writeDolbyVision } from './dolby-vision.ts';
import { besideChunks, oggMuxers } from './encode.ts';
import { openLabels } from './labels.ts';
import { lossesIn } from './losses.ts';
import { isBook } from './output.ts';

interface HeaderParts {
  /** Of the copy: the first one's form and chunks are in it, and all their chapters and marks. */
  readonly sources: readonly [SourcePart, ...SourcePart[]];
  readonly vision: DolbyVision | null;
  /** Are the file's own covers copied as streams? */
  readonly hasCovers: boolean;
}

/** Writes the header and covers; returns what is left to do when the file is complete. */
export function writeCopiedHeader(
  output: FormatContext,
  muxer: string,
  given: Tags,
  { sources, vision, hasCovers }: HeaderParts,
): (path: string) => readonly Warning[] {
  const { facts } = sources[0];
  const wave = carryWave(sources, {
    isWave: muxer === 'wav',
    sampleRate: facts.audio?.sampleRate ?? 0,
    channels: facts.audio?.channels ?? 0,
    bits: facts.audio?.bitsPerSample ?? 16,
    isProcessed: false,
    isEncoded: false,
  });
  const tags = besideChunks(given, wave);
  const takesCovers = coverStreams.includes(muxer);
  const covers = takesCovers && !hasCovers ? tags.pictures.filter(({ data }) => coverOf(data) !== null) : [];
  const streams = covers.map((cover) => ({ cover, stream: addCoverStream(output, cover) }));
  const chapters = chaptersIn(sources);
  const labels = openLabels(muxer, { tags, chapters: wave.chapters(chapters) }, vision !== null);
  const metadata = { ...labels.metadata, ...wave.room.tags };
  output.metadata = Dictionary.fromObject(metadata);
  // Ogg has the file's tags in its stream, where the source's own would win.
  if (oggMuxers.has(muxer)) for (const stream of output.streams) stream.metadata = Dictionary.fromObject(metadata);
  const dictionary = Dictionary.fromObject({
    ...(muxer === 'wav' ? { rf64: 'auto' } : muxer === 'ipod' && isBook(facts) ? { brand: 'M4B ' } : {}),
    ...labels.options,
    ...wave.room.options,
  });
  try {
    expectOk(output.writeHeaderSync(dictionary), 'Writing the file header');
  } finally {
    dictionary.free();
  }
  for (const { cover, stream } of streams) writeCover(output, stream, cover);
  return (path) => {
    writeDolbyVision(path, muxer, vision);
    wave.complete(path);
    labels.complete(path);
    return [
      ...wave.warnings,
      ...lossesIn(probe(path), facts.format, { sources: sources.map((one) => one.facts), tags: given, chapters }),
    ];
  };
}
