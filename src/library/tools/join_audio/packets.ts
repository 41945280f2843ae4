// Joins recordings by their packets.
import { writeKeepingEncoding } from '../../edit/keep-encoding.ts';
import { indexPackets, type PacketIndex } from '../../media/packets/packet-index.ts';
import { probe } from '../../media/read/probe.ts';
import { plannedFile, planOutput } from '../../media/write/output.ts';
import type { RunResult } from '../declare/run.ts';
import type { JoinAudioContext } from './options.ts';
import type { JoinAudioResult } from './result.ts';
import { withTitleChapters } from './title-chapters.ts';

export async function joinPackets(context: JoinAudioContext): Promise<RunResult<JoinAudioResult>> {
  const { inputs, options, signal, workDir } = context;
  const files = inputs.file_ids;
  const indexes: PacketIndex[] = [];
  for (const { path } of files) indexes.push(await indexPackets(probe(path), signal));
  const [first] = indexes as [PacketIndex];
  const plan = planOutput(first.facts, 'same');
  const secondsOf = ({ endFrame, sampleRate }: PacketIndex): number => endFrame / sampleRate;
  const pieces = indexes.map((index) => ({ index, facts: index.facts, seconds: secondsOf(index) }));
  const names = files.map(({ name }) => name);
  const titled = options.title_chapters ? withTitleChapters(pieces, names, plan) : pieces;
  const parts = titled.map(({ index, facts }) => ({ index, facts, keeps: [{ start: 0, end: index.endFrame }] }));
  const written = await writeKeepingEncoding(parts, plan, workDir, { signal, onProgress: context.pass('joining') });
  for (const warning of [...plan.warnings, ...written.warnings]) context.warn(warning);
  const { sampleRate, channels } = first;
  let at = 0;
  const placed = written.given.map((given) => {
    const frames = given.reduce((sum, { start, end }) => sum + end - start, 0);
    const startSeconds = at / sampleRate;
    at += frames;
    return { startSeconds, durationSeconds: frames / sampleRate, integratedLufs: null, gainDb: 0 };
  });
  return {
    outputs: [plannedFile(plan, written.path, names[0] ?? '', written.durationSeconds)],
    result: {
      durationSeconds: written.durationSeconds,
      sampleRate,
      channels,
      targetLufs: null,
      limited: false,
      files: placed,
      edges: written.edges.flat(),
    },
    processedSeconds: indexes.reduce((sum, index) => sum + secondsOf(index), 0),
  };
}
