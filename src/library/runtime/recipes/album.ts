// One gain for several files, so that they keep the levels that they have among each other: an album, an audiobook, the
// parts of a series.
import { basename } from 'node:path';
import { targetCeilingDbtp, targetLufsOf } from '../../contract/loudness-target.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import { roundedDb } from '../../core/levels.ts';
import { meterLoudness } from '../../dsp/loudness/loudness-meter.ts';
import { channelWeights } from '../../kernels/channel-weights.ts';
import { createLoudness, type Loudness } from '../../kernels/loudness.ts';
import { resampleTo } from '../../media/convert/format-converter.ts';
import { openAudio } from '../../media/read/decode.ts';
import { drive } from '../../media/read/drive.ts';
import { probe } from '../../media/read/probe.ts';
import type { AudioBlock } from '../../pcm/block.ts';
import type { AdjustLoudnessOptions } from '../../tools/option-types.ts';

/** How an album is measured. */
export interface AlbumOptions extends Pick<AdjustLoudnessOptions, 'custom_lufs'> {
  /**
   * As of adjust_loudness, without audiobook: podcast -16 LUFS, streaming -14, broadcast -23, custom. Default podcast.
   */
  readonly target?: 'podcast' | 'streaming' | 'broadcast' | 'custom';
  /** Ends the work. Default: nothing does. */
  readonly signal?: AbortSignal;
  /** Gets the share that is done, 0 to 1. Default: it is not told. */
  onProgress?(fraction: number): void;
}

/** A file of an album. */
export interface AlbumFile {
  /** Of the file, spelled as the caller gave it. */
  readonly path: string;
  /** Its own, LUFS; null for silence and below 0.4 s. */
  readonly integratedLufs: number | null;
  /** dBTP; null for silence. */
  readonly truePeakDbtp: number | null;
  readonly seconds: number;
}

/** What an album measures, and the gain that brings it to its target. */
export interface Album {
  /** The loudness that the target asks for, LUFS. */
  readonly targetLufs: number;
  /** Programme loudness of all files, one after the other, LUFS; null: all of them are silent or too short. */
  readonly integratedLufs: number | null;
  /** Of the loudest, dBTP; null for silence. */
  readonly truePeakDbtp: number | null;
  /** The gain of every file, dB: `gain_db` of adjust_loudness. 0 where nothing was measured. */
  readonly gainDb: number;
  /** Is the gain less than the target asks for, because the highest peak would pass -1 dBTP? */
  readonly limitedByPeak: boolean;
  readonly seconds: number;
  readonly files: readonly AlbumFile[];
}

/**
 * Measures several files as one programme (EBU R 128: blocks and gates over all of them), and says the one gain that
 * brings them to a target. The true peak of the loudest bounds it, since a limiter would change one file and not the
 * others. Works in this process.
 * @param paths in order, at least one
 * @throws EarshotError as `probe`; bad_request, no_audio; AbortError
 */
export async function measureAlbum(
  paths: readonly string[],
  {
    signal = new AbortController().signal,
    onProgress = () => undefined,
    target = 'podcast',
    custom_lufs,
  }: AlbumOptions = {},
): Promise<Album> {
  const targetLufs = targetLufsOf({ target, ...(custom_lufs === undefined ? {} : { custom_lufs }) });
  const all = paths.map((path) => ({ path, facts: probe(path) }));
  const silent = all.find(({ facts }) => facts.audio === null);
  if (all.length === 0) throw new EarshotError('bad_request', 'Expected at least one file but received none');
  if (silent !== undefined)
    throw new EarshotError('no_audio', `Expected a recording with sound but ${basename(silent.path)} has none`);
  const sampleRate = all[0]?.facts.audio?.sampleRate ?? 0;
  const channels = Math.max(...all.map(({ facts }) => facts.audio?.channels ?? 0));
  // Each channel comes with its weight already: files differ in their layouts.
  const programme = createLoudness({ sampleRate, weights: Array.from({ length: channels }, () => 1) });
  const files: AlbumFile[] = [];
  for (const [index, { path, facts }] of all.entries()) {
    const source = openAudio(facts);
    const meter = meterLoudness();
    const { layout, channels: own, sampleRate: rate } = source.format;
    const add = weighted(programme, channelWeights(layout, own), channels);
    try {
      const frames = await drive(source, [meter, resampleTo(sampleRate)], add, {
        signal,
        onProgress: (fraction) => onProgress((index + fraction) / all.length),
      });
      const { integratedLufs, truePeakDbtp } = meter.result();
      files.push({
        path,
        integratedLufs: roundedDb(integratedLufs),
        truePeakDbtp: roundedDb(truePeakDbtp),
        seconds: frames / rate,
      });
    } finally {
      source.close();
    }
  }
  const { integratedLufs } = programme.result();
  const peaks = files.flatMap(({ truePeakDbtp }) => truePeakDbtp ?? []);
  const truePeakDbtp = peaks.length === 0 ? null : Math.max(...peaks);
  const wanted = integratedLufs === null ? 0 : targetLufs - integratedLufs;
  const room = truePeakDbtp === null ? Infinity : targetCeilingDbtp - truePeakDbtp;
  const gainDb = integratedLufs === null ? 0 : Math.min(wanted, room);
  return {
    targetLufs,
    integratedLufs: roundedDb(integratedLufs),
    truePeakDbtp,
    gainDb: roundedDb(gainDb) ?? 0,
    limitedByPeak: gainDb < wanted,
    seconds: files.reduce((sum, { seconds }) => sum + seconds, 0),
    files,
  };
}

/** Pushes blocks with their channels' weights (of energy) into a meter of so many channels. */
function weighted(meter: Loudness, weights: readonly number[], channels: number): (block: AudioBlock) => void {
  const factors = weights.map(Math.sqrt);
  return ({ planes, frames }) => {
    const own = planes.map((plane, channel) => plane.subarray(0, frames).map((x) => x * (factors[channel] ?? 1)));
    const none = Array.from({ length: channels - own.length }, () => new Float32Array(frames));
    meter.push([...own, ...none], frames);
  };
}
