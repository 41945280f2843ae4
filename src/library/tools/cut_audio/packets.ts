// Cuts a recording by its packets.
import { writeKeepingEncoding } from '../../edit/keep-encoding.ts';
import { indexPackets } from '../../media/packets/packet-index.ts';
import { probe } from '../../media/read/probe.ts';
import { planOutput } from '../../media/write/output.ts';
import type { RunOutput, RunResult } from '../declare/run.ts';
import type { CutAudioContext } from './options.ts';
import { partOutput } from './part-output.ts';
import { editOf } from './ranges.ts';
import type { CutAudioResult } from './result.ts';

export async function cutPackets(context: CutAudioContext): Promise<RunResult<CutAudioResult>> {
  const { options, signal, inputs, workDir } = context;
  const facts = probe(inputs.file_id.path);
  const index = await indexPackets(facts, signal);
  const { endFrame: frames, sampleRate } = index;
  const { keeps } = editOf(options, { frames, facts });
  const parts = options.output === 'separate' ? keeps.map((keep) => [keep]) : [keeps];
  const crossfadeFrames = Math.round((options.crossfade_ms / 1000) * sampleRate);
  const plan = planOutput(facts, 'same');
  const outputs: RunOutput[] = [];
  const said = new Set<string>();
  const given = [];
  const edges = [];
  const cutting = context.pass('cutting');
  for (const [at, part] of parts.entries()) {
    const written = await writeKeepingEncoding([{ index, keeps: part, crossfadeFrames }], plan, workDir, {
      signal,
      name: `output-${at + 1}`,
      onProgress: (fraction) => cutting((at + fraction) / parts.length),
    });
    for (const warning of written.warnings) {
      if (!said.has(warning.message)) context.warn(warning);
      said.add(warning.message);
    }
    given.push(...written.given.flat());
    edges.push(...written.edges.flat());
    outputs.push(partOutput(inputs.file_id.name, plan, written, at, parts.length));
  }
  const kept = given.reduce((sum, { start, end }) => sum + end - start, 0);
  return {
    outputs,
    result: {
      keptRanges: given.map(({ start, end }): [number, number] => [start / sampleRate, end / sampleRate]),
      keptSeconds: kept / sampleRate,
      removedSeconds: (frames - kept) / sampleRate,
      edges,
    },
    processedSeconds: frames / sampleRate,
  };
}
