// Decodes segments of a file on a thread, one after the other, until there are none.
import { AbortError } from '../../../core/abort.ts';
import type { FanOutTask } from '../../../core/machine/fan-out.ts';
import { SegmentDecoder } from './segment-decoder.ts';
import { controls, placesOf, type SharedBlocks } from './shared-blocks.ts';

export interface DecodeItem {
  readonly path: string;
  readonly streamIndex: number;
  readonly segmentSeconds: number;
  /** Of these threads, from 0. */
  readonly lane: number;
  readonly channels: number;
  readonly sampleRate: number;
  readonly blocks: SharedBlocks;
  /** Where its first block goes, counted from the first one ever. */
  readonly place: number;
  /** int32: see `controls`. */
  readonly control: SharedArrayBuffer;
}

/** Between two looks at whether the run goes on, ms. */
const lookEvery = 50;

/** @returns where the next block would go */
export function decodeSegments({ item, cancelled }: FanOutTask<DecodeItem>): number {
  const { channels, sampleRate, lane } = item;
  const control = new Int32Array(item.control);
  const places = placesOf(item.blocks, channels, sampleRate);
  const decoder = new SegmentDecoder(item.path, item.streamIndex, item.segmentSeconds);
  let at = item.place;
  try {
    while (lane < Atomics.load(control, controls.lanes) && Atomics.load(control, controls.ended) === 0) {
      const segment = Atomics.add(control, controls.next, 1);
      decoder.start(segment);
      for (let after = 'more'; after === 'more'; at += 1) {
        const place = places[at % places.length] as (typeof places)[number];
        while (place.isFilled() && !cancelled()) place.waitUntilEmpty(lookEvery);
        if (cancelled()) throw new AbortError();
        const part = decoder.fill(place.planes);
        ({ after } = part);
        if (after === 'end' || after === 'unusual') Atomics.store(control, controls.ended, 1);
        place.write(segment, part);
        Atomics.add(control, controls.written, 1);
        Atomics.notify(control, controls.written);
      }
    }
    return at;
  } finally {
    decoder.close();
  }
}
