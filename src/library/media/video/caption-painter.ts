// Draws captions into pictures: FFmpeg's filter `ass`, which is libass with the fonts of the system.
import { Filter, FilterGraph, type FilterContext, Frame } from 'node-av/lib';
import { EarshotError } from '../../core/errors/errors.ts';
import { expectOk } from '../ffmpeg/ffmpeg.ts';
import type { Painter } from './picture-track.ts';

export interface CaptionPainter extends Painter {
  close(): void;
}

/** Brings a picture upright as players show it, and back. */
const turns: Readonly<Record<number, readonly [upright: readonly string[], back: readonly string[]]>> = {
  90: [['transpose=clock'], ['transpose=cclock']],
  180: [
    ['hflip', 'vflip'],
    ['vflip', 'hflip'],
  ],
  270: [['transpose=cclock'], ['transpose=clock']],
};

const ticksPerSecond = 1000;

interface Graph {
  readonly graph: FilterGraph;
  readonly source: FilterContext;
  readonly sink: FilterContext;
  /** Of the frames that it takes. */
  readonly format: string;
}

/**
 * @param assFile path of the captions; their PlayRes is the picture's size as players show it
 * @param rotationDegrees clockwise rotation by a player
 * @throws EarshotError tool_unavailable where this build of FFmpeg has no libass
 */
export function captionPainter(assFile: string, rotationDegrees: number): CaptionPainter {
  return new AssPainter(assFile, rotationDegrees);
}

class AssPainter implements CaptionPainter {
  private readonly assFile: string;
  private readonly rotationDegrees: number;
  private readonly drawn = new Frame();
  private current: Graph | null = null;

  constructor(assFile: string, rotationDegrees: number) {
    this.assFile = assFile;
    this.rotationDegrees = rotationDegrees;
    if (!Filter.getByName('ass'))
      throw new EarshotError('tool_unavailable', 'Captions cannot be drawn: this build of FFmpeg has no libass', {
        nextAction: 'Install the node-av of our package-lock.json.',
      });
    this.drawn.alloc();
  }

  paint(frame: Frame, seconds: number): Frame {
    const { source, sink } = this.graphFor(frame);
    const given = frame.clone();
    if (!given) throw new EarshotError('internal_error', 'A picture could not be copied');
    try {
      given.pts = BigInt(Math.max(0, Math.round(seconds * ticksPerSecond)));
      expectOk(source.buffersrcAddFrameSync(given), 'Drawing captions');
    } finally {
      given.free();
    }
    this.drawn.unref();
    expectOk(sink.buffersinkGetFrameSync(this.drawn), 'Drawing captions');
    return this.drawn;
  }

  /** The size of pictures may change within a file. */
  private graphFor(frame: Frame): Graph {
    const { num, den } = frame.sampleAspectRatio;
    const format =
      `video_size=${frame.width}x${frame.height}:pix_fmt=${frame.format}:time_base=1/${ticksPerSecond}:` +
      `pixel_aspect=${num > 0 && den > 0 ? `${num}/${den}` : '1/1'}:` +
      `colorspace=${frame.colorSpace}:range=${frame.colorRange}`;
    if (this.current?.format === format) return this.current;
    this.freeGraph();
    const graph = new FilterGraph();
    graph.alloc();
    const [upright, back] = turns[this.rotationDegrees] ?? [[], []];
    const source = made(graph, 'buffer', format);
    let last = source;
    for (const filter of [...upright, `ass=filename=${escaped(this.assFile)}`, ...back]) {
      const [name = '', ...options] = filter.split('=');
      const next = made(graph, name, options.join('='));
      expectOk(last.link(0, next, 0), 'Drawing captions');
      last = next;
    }
    const sink = made(graph, 'buffersink', '');
    expectOk(last.link(0, sink, 0), 'Drawing captions');
    expectOk(graph.configSync(), 'Preparing to draw captions');
    this.current = { graph, source, sink, format };
    return this.current;
  }

  private freeGraph(): void {
    this.current?.graph.free();
    this.current = null;
  }

  close(): void {
    this.freeGraph();
    this.drawn.free();
  }
}

function made(graph: FilterGraph, name: string, options: string): FilterContext {
  const filter = Filter.getByName(name);
  const context = filter && graph.createFilter(filter, name, options);
  if (!context) throw new EarshotError('internal_error', `This build of FFmpeg refuses the filter ${name} ${options}`);
  return context;
}

/** A path as an option of a filter: colons and quotes have a meaning there. */
const escaped = (path: string): string => path.replaceAll('\\', '/').replaceAll(/[:'[\],;]/g, String.raw`\$&`);
