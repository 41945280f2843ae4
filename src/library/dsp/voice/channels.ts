import type { AudioBlock, AudioFormat } from '../../pcm/block.ts';
import { compose, type Pipeline } from '../../pcm/compose.ts';
import type { Analyser, Emit, Stage } from '../../pcm/stage.ts';
import { createSampleWindow, type SampleWindow } from '../denoise/suppressor/sample-window.ts';
import { voiceRate } from './spectral-stage.ts';

/** Channels by voice: each group is one channel, or two with the same voices. */
export type VoiceGroups = readonly (readonly number[])[];

const formatOf = (channels: number): AudioFormat => ({
  sampleRate: voiceRate,
  channels,
  layout: channels === 2 ? 'stereo' : 'mono',
});

const pick = ({ planes, frames }: AudioBlock, group: readonly number[]): AudioBlock => ({
  planes: group.map((channel) => planes[channel] as Float32Array),
  frames,
});

/** One analyser for each group of channels of a stream at 48 kHz; its results are in the order of the groups. */
export function meterGroups<Result>(groups: VoiceGroups, create: () => Analyser<Result>): Analyser<Result[]> {
  const meters = groups.map((group) => ({ group, meter: create() }));
  const ignore: Emit = () => undefined;
  return {
    latencyFrames: 0,
    open(format) {
      for (const { group, meter } of meters) meter.open(formatOf(group.length));
      return format;
    },
    process(block, emit) {
      for (const { group, meter } of meters) meter.process(pick(block, group), ignore);
      emit(block);
    },
    flush() {
      for (const { meter } of meters) meter.flush(ignore);
    },
    close() {
      for (const { meter } of meters) meter.close();
    },
    result: () => meters.map(({ meter }) => meter.result()),
  };
}

/**
 * Runs each group of channels of a stream at 48 kHz through its own stages; other channels pass. The output is in step
 * with the input.
 * @param stagesOf the stages of a group, by its index
 */
export function throughGroups(groups: VoiceGroups, stagesOf: (group: number) => Stage[]): Stage {
  const parts: { readonly group: readonly number[]; readonly pipeline: Pipeline; readonly done: SampleWindow }[] = [];
  let emitted = 0;
  const handOn = (emit: Emit): void => {
    const ready = Math.min(...parts.map(({ done }) => done.end));
    if (ready === emitted) return;
    const planes: Float32Array[] = [];
    for (const { group, done } of parts) {
      for (const [index, channel] of group.entries()) planes[channel] = done.read(index, emitted, ready);
      done.discard(ready);
    }
    emit({ planes, frames: ready - emitted });
    emitted = ready;
  };
  return {
    latencyFrames: 0,
    open(format) {
      const grouped = new Set(groups.flat());
      const rest = Array.from({ length: format.channels }, (_, channel) => channel).filter(
        (channel) => !grouped.has(channel),
      );
      for (const [index, group] of [...groups, ...(rest.length > 0 ? [rest] : [])].entries()) {
        parts.push({
          group,
          pipeline: compose(index < groups.length ? stagesOf(index) : [], formatOf(group.length)),
          done: createSampleWindow(group.length),
        });
      }
      return format;
    },
    process(block, emit) {
      for (const { group, pipeline, done } of parts)
        pipeline.process(pick(block, group), (out) => done.append(out.planes, out.frames));
      handOn(emit);
    },
    flush(emit) {
      for (const { pipeline, done } of parts) pipeline.flush((out) => done.append(out.planes, out.frames));
      handOn(emit);
    },
    close() {
      for (const { pipeline } of parts) pipeline.close();
    },
  };
}
