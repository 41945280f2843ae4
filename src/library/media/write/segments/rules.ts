// Which codecs are encoded in segments, and how long those are.
import type { CodecSettings } from '../codec/packet-encoder.ts';
import type { Joiner } from './joiner.ts';
import { type JoinerName, joiners } from './packet-joiners.ts';

/** All in frames at the codec's rate, from the start of the sound. */
export interface SegmentRules {
  /** A segment begins at each multiple of this. */
  readonly length: number;
  /** Encoders may begin at each multiple of this. */
  readonly grid: number;
  /** Sound before its segment that an encoder gets, to arrive in the state of one that has encoded all of it. */
  readonly preroll: number;
  /** Sound after its segment that an encoder gets at most, in which the joint is looked for. */
  readonly overlap: number;
  /** Joints are looked for up to here: all packets until then are out when `overlap` has been encoded. */
  readonly search: number;
  /** Packets are held back from this long before a joint on. */
  readonly held: number;
  readonly packet: number;
  readonly joinerOf: JoinerName;
  readonly joiner: Joiner;
}

interface CodecRules {
  /** Frames of a packet. */
  readonly packet: number;
  /** Segments begin at multiples of this many packets. */
  readonly grid: number;
  /** Of sound under 3 minutes, and longer: shorter ones keep all cores busy, longer ones repeat less. */
  readonly seconds: readonly [number, number];
  /** Packets. */
  readonly preroll: number;
  readonly overlap: number;
  /** Packets by which a codec's output lags its input, at most. */
  readonly delay: number;
}

const shortSeconds = 180;
const usualSeconds = [30, 60] as const;

/** Below these rates Opus may choose SILK, which does not join (mode_thresholds in opus_encoder.c). */
const celtKbps = { mono: 64, stereo: 96 };

function opusRules({ sampleRate, channels, kbps }: CodecSettings): CodecRules | null {
  if ((kbps ?? 0) < (channels === 1 ? celtKbps.mono : celtKbps.stereo)) return null;
  return { packet: sampleRate / 50, grid: 1, seconds: usualSeconds, preroll: 50, overlap: 250, delay: 3 };
}

/**
 * MPEG-2 and 2.5 have one granule in a frame. Padding of frames repeats every 49 frames at 44.1 kHz and its parts.
 * Half of LAME's encodes are the same after 50 frames, nine of ten after 140, and 98 of 100 after 230.
 */
const mp3Rules = ({ sampleRate }: CodecSettings): CodecRules => ({
  packet: sampleRate < 32_000 ? 576 : 1152,
  grid: 49,
  seconds: usualSeconds,
  preroll: 0,
  overlap: 260,
  delay: 8,
});

/** Rate control climbs for seconds, and never forgets: what an encode does before its joint is what makes it fit. */
const aacRules: CodecRules = { packet: 1024, grid: 1, seconds: [90, 90], preroll: 215, overlap: 16, delay: 4 };

/**
 * Long blocks are 1024 frames apart, and two encodes have to agree on the grid: they do after the next onset that makes
 * both change to short blocks. Of twenty joints in real recordings eighteen were found in 2.5 s, and all in 10 s.
 */
const vorbisRules: CodecRules = { packet: 1024, grid: 2, seconds: usualSeconds, preroll: 22, overlap: 430, delay: 8 };

/**
 * Where segments gain and cost nothing that is heard. FLAC and ALAC are encoded in little more time than it takes to
 * hand sound to threads.
 */
const rulesOf: Readonly<Record<JoinerName, (settings: CodecSettings) => CodecRules | null>> = {
  libmp3lame: mp3Rules,
  aac: () => aacRules,
  libopus: opusRules,
  libvorbis: () => vorbisRules,
};

const names = Object.keys(rulesOf) as JoinerName[];

const secondsOf = ({ seconds: [short, usual] }: CodecRules, expectedSeconds: number | null): number =>
  expectedSeconds !== null && expectedSeconds < shortSeconds ? short : usual;

/**
 * How a codec's sound is divided: by the settings and the expected length alone, never by the machine. null: it is
 * encoded in one go.
 * @param expectedSeconds of the sound; null: unknown
 * @param segmentSeconds instead of the codec's; Infinity: it is encoded in one go
 */
export function segmentRules(
  settings: CodecSettings,
  expectedSeconds: number | null,
  segmentSeconds?: number,
): SegmentRules | null {
  const { encoder, channels, sampleRate } = settings;
  const joinerOf = names.find((name) => name === encoder);
  if (joinerOf === undefined || channels > 2 || segmentSeconds === Number.POSITIVE_INFINITY) return null;
  const rules = rulesOf[joinerOf](settings);
  if (rules === null) return null;
  const { packet, grid, preroll, overlap, delay } = rules;
  const joiner = joiners[joinerOf];
  const step = packet * grid;
  const least = preroll + overlap + joiner.before + delay + 3;
  const wanted = (segmentSeconds ?? secondsOf(rules, expectedSeconds)) * sampleRate;
  const length = Math.max(Math.ceil(least / grid), Math.round(wanted / step)) * step;
  return {
    length,
    grid: step,
    packet,
    preroll: preroll * packet,
    overlap: overlap * packet,
    search: (overlap - delay - joiner.after) * packet,
    held: (joiner.before + delay + 2) * packet,
    joinerOf,
    joiner,
  };
}
