import { pauseRumbleHz } from '../../contract/edit-defaults.ts';
import { roundedDb } from '../../core/levels.ts';
import { highPassForMeasuring } from '../../dsp/spectrum/high-pass.ts';
import { findPauses, type PauseFinding, smallestContrastDb } from '../../dsp/pauses/pauses.ts';
import { shortened } from '../../dsp/pauses/shortened.ts';
import { complementRanges, type EditList } from '../../edit/edit-list.ts';
import { keepOne } from '../../edit/keep-encoding.ts';
import { writeEdited } from '../../edit/write.ts';
import { createEnvelope } from '../../kernels/envelope.ts';
import { openAudio } from '../../media/read/decode.ts';
import { drive } from '../../media/read/drive.ts';
import { probe } from '../../media/read/probe.ts';
import { measurePicture, recordingFrames } from '../../media/read/recording-length.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { plannedFile, planOutput } from '../../media/write/output.ts';
import type { RunResult } from '../declare/run.ts';
import type { RemoveSilenceContext } from './options.ts';
import type { RemoveSilenceResult } from './result.ts';

const hopSeconds = 0.005;
const crossfadeSeconds = 0.02;

async function readPauses(
  context: RemoveSilenceContext,
  facts: MediaFacts,
): Promise<{ heardFrames: number; sampleRate: number; finding: PauseFinding }> {
  const source = openAudio(facts);
  // Damaged files name rates of which a frame is longer.
  const hop = Math.max(hopSeconds, 1 / source.format.sampleRate);
  const envelope = createEnvelope({ ...source.format, hopSeconds: hop });
  try {
    const heardFrames = await drive(
      source,
      [highPassForMeasuring(pauseRumbleHz)],
      (filtered) => envelope.push(filtered.planes, filtered.frames),
      { signal: context.signal, onProgress: context.pass('listening', ['cutting']) },
    );
    const { sampleRate } = source.format;
    return {
      heardFrames,
      sampleRate,
      finding: findPauses(envelope.finish().meanSquare, hop, heardFrames / sampleRate),
    };
  } finally {
    source.close();
  }
}

function whyNothing(finding: PauseFinding, options: RemoveSilenceContext['options']): string {
  const { pauses, speechDbfs, noiseDbfs, isContrasted } = finding;
  if (!isContrasted)
    return (
      'No pauses were found, so nothing was removed: sound and background differ by ' +
      `${Math.max(0, Math.round(speechDbfs - noiseDbfs))} dB, and pauses are found from ${smallestContrastDb} dB on. ` +
      'Reduce the noise first, or cut by time'
    );
  const longest = pauses.reduce((most, { startSeconds, endSeconds }) => Math.max(most, endSeconds - startSeconds), 0);
  const found = longest === 0 ? 'there are no pauses' : `the longest pause lasts ${longest.toFixed(2)} s`;
  const { min_pause_seconds: least, keep_seconds: keep } = options;
  return `Nothing was removed: ${found}; pauses are shortened from ${least} s on, to ${keep} s`;
}

export async function run(context: RemoveSilenceContext): Promise<RunResult<RemoveSilenceResult>> {
  const { path, name } = context.inputs.file_id;
  const facts = probe(path);
  const { heardFrames, sampleRate, finding } = await readPauses(context, facts);
  const { pictureEndSeconds, seconds } = await measurePicture(facts, context.signal);
  // Picture beyond the end of the sound is not a pause and is kept.
  const frames = recordingFrames(heardFrames, sampleRate, pictureEndSeconds);
  const cuts = shortened(finding.pauses, context.options, frames, sampleRate);
  const silent = finding.speechDbfs < -100;
  if (silent)
    context.warn({
      code: 'silent',
      message: 'The recording is silent, so nothing was removed',
    });
  else if (cuts.length === 0) context.warn({ code: 'no_pauses', message: whyNothing(finding, context.options) });
  const keeps = silent ? [{ start: 0, end: frames }] : complementRanges(cuts, frames);
  const edits: EditList = {
    sampleRate,
    sourceFrames: frames,
    keeps,
    crossfadeFrames: Math.round(crossfadeSeconds * sampleRate),
  };
  const plan = planOutput(facts, 'same');
  const options = { signal: context.signal, threads: context, onProgress: context.pass('cutting') };
  const kept = context.options.keep_encoding ? await keepOne(facts, plan, edits, context.workDir, options) : null;
  const written = kept ?? (await writeEdited(facts, plan, edits, context.workDir, options));
  const made = kept === null || silent ? cuts : complementRanges(kept.keeps, frames);
  for (const warning of [...plan.warnings, ...written.warnings]) context.warn(warning);
  const removed = frames - written.frames;
  return {
    outputs: [plannedFile(plan, written.path, name, written.durationSeconds)],
    result: {
      pausesShortened: silent ? 0 : made.length,
      removedSeconds: removed / sampleRate,
      inputSeconds: frames / sampleRate,
      outputSeconds: written.durationSeconds,
      noiseDbfs: roundedDb(finding.noiseDbfs),
      speechDbfs: roundedDb(finding.speechDbfs),
      onsetDbfs: roundedDb(finding.onsetDbfs),
      edgeDbfs: roundedDb(finding.edgeDbfs),
      ...(kept === null ? {} : { edges: kept.edges }),
      cuts: (silent ? [] : made).map((cut): [number, number] => [cut.start / sampleRate, cut.end / sampleRate]),
    },
    processedSeconds: Math.max(frames / sampleRate, seconds ?? 0),
  };
}
