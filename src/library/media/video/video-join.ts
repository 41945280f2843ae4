// Several videos as one: new sound written block by block, the pictures one after the other.
import { throwIfAborted } from '../../core/abort.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import type { Warning } from '../../core/progress/progress.ts';
import type { AudioFormat } from '../../pcm/block.ts';
import type { Chapter } from '../facts.ts';
import { chaptersIn, keptFrom } from '../kept.ts';
import { videoContainerFor } from '../write/remux.ts';
import { type Approach, chooseApproach, copying, pictureFormat } from './approach.ts';
import type { EncoderRecipe } from './encoders.ts';
import {
  type JoinSource,
  openJoinSource,
  type Placing,
  placeSource,
  sameParameters,
  type VideoJoinSource,
} from './join-source.ts';
import { Opened } from './opened.ts';
import { FittingEncoder } from './picture-fitter.ts';
import { codecName } from './picture-index.ts';
import type { PictureTrack } from './picture-track.ts';
import { type PicturePlan, planCopying, planEncoding } from './plan.ts';
import { gridOf, type Pictures, VideoOutput, type VideoSink } from './video-output.ts';

export type { VideoJoinSource } from './join-source.ts';

export interface VideoJoinOptions {
  /** kbit/s of the new sound. Default: by channels, as for the audio format of the same codec. */
  readonly bitrateKbps?: number;
  readonly signal?: AbortSignal;
}

/** The output follows the first file. */
export interface VideoJoin extends VideoSink {
  /** By file: pictures are copied (except at seams), or re-encoded. */
  readonly approaches: readonly ('copy' | 'encode')[];
}

interface Part {
  readonly source: JoinSource;
  readonly placing: Placing;
  readonly plan: PicturePlan;
  readonly copies: boolean;
}

/** Encoded pieces must fit into one stream with the first file's packets; where they cannot, all files are encoded. */
function planParts(
  sources: readonly JoinSource[],
  placings: readonly Placing[],
  muxer: string,
  gridSeconds: number | null,
): { approach: Approach; parts: Part[] } {
  const first = sources[0] as JoinSource;
  const chosen = chooseApproach(first.stream, muxer, first.index);
  const matches = sources.map((source) => source === first || sameParameters(first, source));
  const setting = (at: number): Parameters<typeof planCopying>[1] => ({
    ...(placings[at] as Placing),
    frameSeconds: (sources[at] as JoinSource).frameSeconds,
    gridSeconds,
    behindOthers: at > 0,
  });
  const planned = (copies: (at: number) => boolean): Part[] =>
    sources.map((source, at) => ({
      source,
      placing: placings[at] as Placing,
      copies: copies(at),
      plan: copies(at) ? planCopying(source.index, setting(at)) : planEncoding(source.index, setting(at)),
    }));
  if (chosen.kind === 'copy' && chosen.recipe)
    return { approach: chosen, parts: planned((at) => matches[at] === true) };
  // Without an encoder for seams, there must be no seams.
  if (matches.every(Boolean) && (chosen.kind === 'copy' || (first.index.timed && muxer !== 'avi'))) {
    const parts = planned(() => true);
    if (parts.every(({ plan }) => plan.encoded === 0)) return { approach: copying(null, null), parts };
  }
  return {
    approach: chosen.kind === 'encode' ? chosen : chooseApproach(first.stream, muxer, { ...first.index, timed: false }),
    parts: planned(() => false),
  };
}

function joinWarnings(sources: readonly JoinSource[], parts: readonly Part[], approach: Approach): Warning[] {
  const first = sources[0] as JoinSource;
  const warnings: Warning[] = [];
  const encoded = parts.filter((part) => !part.copies);
  if (encoded.length > 0) {
    const { width, height } = first.stream.codecpar;
    const codec = approach.recipe?.codec ?? codecName(first.stream);
    warnings.push({
      code: 'picture_reencoded',
      message:
        `The picture of ${encoded.length} of ${parts.length} files was encoded again as ${codec} with ` +
        `${width}x${height}, to match the first file's`,
    });
  }
  return warnings;
}

/** The parts' pictures, one part after the other; only one is open at a time. */
class JoinedPictures implements Pictures {
  damaged = 0;
  private done = { copied: 0, encoded: 0 };
  private current: { readonly track: PictureTrack; readonly opened: Opened } | null = null;
  private at = 0;
  private readonly parts: readonly Part[];
  private readonly openTrack: (part: Part, opened: Opened) => PictureTrack;

  constructor(parts: readonly Part[], openTrack: (part: Part, opened: Opened) => PictureTrack) {
    this.parts = parts;
    this.openTrack = openTrack;
  }

  get copied(): number {
    return this.done.copied + (this.current?.track.copied ?? 0);
  }

  get encoded(): number {
    return this.done.encoded + (this.current?.track.encoded ?? 0);
  }

  advance(seconds: number): void {
    while (this.at < this.parts.length) {
      const { track } = (this.current ??= this.open(this.parts[this.at] as Part));
      track.advance(seconds);
      if (!track.ended) return;
      this.done = { copied: this.copied, encoded: this.encoded };
      this.damaged += track.damaged;
      this.close();
      this.at += 1;
    }
  }

  close(): void {
    this.current?.opened.close();
    this.current = null;
  }

  private open(part: Part): NonNullable<typeof this.current> {
    const opened = new Opened();
    try {
      return { track: this.openTrack(part, opened), opened };
    } catch (error) {
      opened.close();
      throw error;
    }
  }
}

/** In an overlap, the next file's chapters start where its picture does. */
const joinedChapters = (sources: readonly JoinSource[], files: readonly VideoJoinSource[]): readonly Chapter[] =>
  chaptersIn(
    sources.map(({ facts }, index) => {
      const { startSeconds, pictureSeconds } = files[index] as VideoJoinSource;
      const at = index === 0 ? 0 : pictureSeconds;
      return { facts, kept: keptFrom(at, at - startSeconds, files[index + 1]?.pictureSeconds) };
    }),
  );

/**
 * Opens a video joined from several. Write the sound of all as one; each `write` processes pictures up to the sound's
 * time. The output follows the first file: container, size, pixel aspect ratio, rotation, tags. Files with the same
 * picture parameters are copied; others are rotated, scaled with bars and encoded, with every picture at its own time.
 * A file's pictures are shown from its `pictureSeconds` to the next file's; the last one stays when they end early.
 * @param input format of the blocks
 * @throws EarshotError as `probe`, and bad_request (a file without a picture, starts out of order, the path cannot be
 *   written); AbortError
 */
export async function openVideoJoin(
  path: string,
  files: readonly VideoJoinSource[],
  input: AudioFormat,
  options: VideoJoinOptions = {},
): Promise<VideoJoin> {
  throwIfAborted(options.signal);
  if (
    files.length === 0 ||
    files.some((file, at) => at > 0 && !(file.pictureSeconds >= (files[at - 1] as VideoJoinSource).pictureSeconds))
  ) {
    throw new EarshotError('bad_request', 'Expected files in the order of their pictures');
  }
  const opened = new Opened();
  try {
    const sources: JoinSource[] = [];
    for (const file of files) {
      const source = await openJoinSource(file.facts, options.signal);
      opened.add(source.input);
      sources.push(source);
    }
    const first = sources[0] as JoinSource;
    const gridSeconds = gridOf(first);
    const placings = sources.map((source, at) => placeSource(source, at, files, gridSeconds));
    const { muxer } = videoContainerFor(first.facts.format);
    const { approach, parts } = planParts(sources, placings, muxer, gridSeconds);

    const output = opened.add(new VideoOutput(path, first, approach));
    output.begin({
      input,
      processed: true,
      bitrateKbps: options.bitrateKbps,
      chapters: joinedChapters(sources, files),
      sources: sources.map(({ facts }) => facts),
      reorder: Math.max(...parts.map((part) => part.plan.reorder)),
      signal: options.signal,
    });
    const format = pictureFormat(first.stream);
    const openTrack = ({ source, placing, plan, copies }: Part, owner: Opened): PictureTrack =>
      output.openTrack(source, owner, {
        ...placing,
        plan,
        kind: copies ? 'copy' : 'encode',
        encoderFor: () => (emit) =>
          new FittingEncoder(
            approach.recipe as EncoderRecipe,
            { format, from: source.viewing, to: first.viewing },
            output.globalHeader,
            emit,
          ),
      });
    const pictures = opened.add(new JoinedPictures(parts, openTrack));
    return {
      ...output.sink({ pictures, opened, warnings: joinWarnings(sources, parts, approach) }),
      approaches: parts.map(({ copies }) => (copies ? 'copy' : 'encode')),
    };
  } catch (error) {
    opened.close();
    throw error;
  }
}
