import type { AudioBlock, AudioFormat } from '../../pcm/block.ts';
import { compose, type Pipeline } from '../../pcm/compose.ts';
import type { Analyser, Emit, Stage } from '../../pcm/stage.ts';
import { createSampleWindow } from '../denoise/suppressor/sample-window.ts';
import { voiceRate } from './spectral-stage.ts';

/** Channels by voice: each group is one channel, or two that hold the same voices. */
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

/** One analyser for each group of channels of a stream at 48 kHz. */
export interface GroupMeter<Result> {
  push(block: AudioBlock): void;
  finish(): Result[];
}

export function meterGroups<Result>(groups: VoiceGroups, create: () => Analyser<Result>): GroupMeter<Result> {
  const meters = groups.map((group) => {
    const meter = create();
    meter.open(formatOf(group.length));
    return { group, meter };
  });
  return {
    push(block) {
      for (const { group, meter } of meters) meter.process(pick(block, group), () => undefined);
    },
    finish: () =>
      meters.map(({ meter }) => {
        meter.flush(() => undefined);
        const result = meter.result();
        meter.close();
        return result;
      }),
  };
}

/**
 * Runs each group of channels of a stream at 48 kHz through stages of its own; other channels pass. What comes out is
 * in step with what went in.
 * @param stagesOf the stages of a group, by its index
 */
export function openGroups(groups: VoiceGroups, channels: number, stagesOf: (group: number) => Stage[]): Pipeline {
  const parts: {
    readonly group: readonly number[];
    readonly pipeline: Pipeline;
    readonly done: ReturnType<typeof createSampleWindow>;
  }[] = [];
  const grouped = new Set(groups.flat());
  const rest = Array.from({ length: channels }, (_, channel) => channel).filter((channel) => !grouped.has(channel));
  for (const [index, group] of [...groups, ...(rest.length > 0 ? [rest] : [])].entries()) {
    parts.push({
      group,
      pipeline: compose(index < groups.length ? stagesOf(index) : [], formatOf(group.length)),
      done: createSampleWindow(group.length),
    });
  }
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
    format: { ...formatOf(channels), channels },
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
