// On how many threads sound is encoded: as many as keep a job below 400 MB, whatever the length.
import { AV_SAMPLE_FMT_FLTP, FF_ENCODER_AAC, FF_ENCODER_LIBVORBIS } from 'node-av/constants';
import { expect, it } from 'vitest';
import type { FanOut } from '../../../../src/library/core/machine/fan-out.ts';
import type { CodecSettings } from '../../../../src/library/media/write/codec/packet-encoder.ts';
import { segmentLanes } from '../../../../src/library/media/write/segments/on-threads.ts';
import { type SegmentRules, segmentRules } from '../../../../src/library/media/write/segments/rules.ts';

const sampleRate = 44_100;
const usual = { sampleRate, channels: 2, layout: 'stereo', sampleFormat: AV_SAMPLE_FMT_FLTP, kbps: 192, dither: false };
const aac: CodecSettings = { ...usual, encoder: FF_ENCODER_AAC, globalHeader: true };
const vorbis: CodecSettings = { ...usual, encoder: FF_ENCODER_LIBVORBIS, globalHeader: true };

/** A machine with cores and memory to spare, which notes what it is asked for. */
function spacious(): { readonly fanOut: FanOut; readonly asked: number[] } {
  const asked: number[] = [];
  const lanes = (_: number, sharedBytes = 0): number => {
    asked.push(sharedBytes);
    return 64;
  };
  return { asked, fanOut: { lanes } as unknown as FanOut };
}

const rulesOf = (settings: CodecSettings, seconds: number): SegmentRules =>
  segmentRules(settings, seconds) as SegmentRules;

const lanesOf = (settings: CodecSettings, hours: number): number =>
  segmentLanes(settings, rulesOf(settings, hours * 3600), hours * 3600, spacious().fanOut);

it('AAC in MP4 has fewer threads where the list of its packets takes the memory', () => {
  // Segments of 90 s take 32 MB, a thread 36; the list takes 10 MB an hour.
  expect([0.2, 1, 3, 8, 10, 30].map((hours) => lanesOf(aac, hours))).toEqual([3, 3, 2, 2, 1, 1]);
  // No list is kept for a stream of packets, or for Ogg.
  expect([0.2, 30].map((hours) => lanesOf({ ...aac, globalHeader: false }, hours))).toEqual([3, 3]);
  expect([0.2, 30].map((hours) => lanesOf(vorbis, hours))).toEqual([4, 4]);
});

it('the machine is asked for the list, too', () => {
  const { fanOut, asked } = spacious();
  for (const seconds of [3600, 36_000]) segmentLanes(aac, rulesOf(aac, seconds), seconds, fanOut);
  const packets = (36_000 - 3600) * (sampleRate / 1024);
  expect((asked[1] ?? 0) - (asked[0] ?? 0)).toBeCloseTo(packets * 64, -1);
});
