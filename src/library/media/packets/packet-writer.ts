// Writes packets of a recording into a file of the same kind.
import { type FormatContext, Packet, type Stream } from 'node-av/lib';
import type { Warning } from '../../core/progress/progress.ts';
import { chooseAudioStream, expectWritten, openInput } from '../ffmpeg/ffmpeg.ts';
import { outputFormats } from '../formats.ts';
import type { SourcePart } from '../kept.ts';
import type { Tags } from '../tags/model.ts';
import { addCopiedStream } from '../write/copied-stream.ts';
import { writeCopiedHeader } from '../write/copied-header.ts';
import { openOutput } from '../write/encode.ts';
import { type CodedPacket, fillPacket } from '../write/segments/coded-packet.ts';
import { containers, type PacketIndex } from './packet-index.ts';

/** The file's muxer. */
export class PacketWriter {
  private context: FormatContext | null;
  private readonly stream: Stream;
  private readonly packet = new Packet();
  private readonly muxer: string;
  private readonly sampleRate: number;
  private readonly lateFrames: number;
  /** The muxer's choice, once it has written its head. */
  private timeBase: Stream['timeBase'] | null = null;

  /**
   * @param like the file's codec and form are those of this recording
   * @param header the codec's headers; null: the recording's
   * @param lateFrames added to each packet's time. Default 0
   */
  constructor(path: string, { facts, sampleRate, codec }: PacketIndex, header: Buffer | null, lateFrames = 0) {
    this.muxer = outputFormats[containers[codec]].muxer;
    this.context = openOutput(this.muxer, path);
    this.packet.alloc();
    this.sampleRate = sampleRate;
    this.lateFrames = lateFrames;
    const input = openInput(facts.path);
    try {
      this.stream = addCopiedStream(chooseAudioStream(input.streams) as Stream, this.context, true);
    } finally {
      input.close();
    }
    if (header) this.stream.codecpar.extradata = header;
  }

  /** Writes what comes before the packets; returns what is left to do when the file is complete. */
  begin(tags: Tags, sources: readonly [SourcePart, ...SourcePart[]]): (path: string) => readonly Warning[] {
    const parts = { sources, vision: null, hasCovers: false };
    return writeCopiedHeader(this.context as FormatContext, this.muxer, tags, parts);
  }

  write(coded: CodedPacket): void {
    fillPacket(this.packet, { ...coded, pts: coded.pts + this.lateFrames });
    this.timeBase ??= this.stream.timeBase;
    this.packet.streamIndex = 0;
    this.packet.rescaleTs({ num: 1, den: this.sampleRate }, this.timeBase);
    expectWritten((this.context as FormatContext).interleavedWriteFrameSync(this.packet), 'Copying a packet');
    this.packet.unref();
  }

  end(): void {
    expectWritten((this.context as FormatContext).writeTrailerSync(), 'Completing the file');
    this.close();
  }

  close(): void {
    if (!this.context) return;
    this.context.closeOutputSync();
    this.context.freeContext();
    this.packet.free();
    this.context = null;
  }
}
