import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { probe } from '../../media/read/probe.ts';
import { planOutput, plannedFile } from '../../media/write/output.ts';
import { assOf } from '../../speech/transcript/write/ass.ts';
import type { RunResult } from '../declare/run.ts';
import { drawCaptions, shownSize } from './draw.ts';
import type { BurnCaptionsContext } from './options.ts';
import type { BurnCaptionsResult } from './result.ts';

export async function run(context: BurnCaptionsContext): Promise<RunResult<BurnCaptionsResult>> {
  const { inputs, options, workDir, signal } = context;
  const { caption_profile: profile, karaoke, font } = options;
  const facts = probe(inputs.file_id.path);
  const size = shownSize(facts);
  // Loads the schema of transcripts, which no other job needs.
  const { readCaptions } = await import('./captions.ts');
  const { captions, wraps } = readCaptions(readFileSync(inputs.captions_file_id.path), profile);
  const plan = planOutput(facts, 'same');
  const path = join(workDir, `output.${plan.format}`);
  const ass = assOf(captions, { profile, karaoke, size, ...(font === undefined ? {} : { font }) }, wraps);
  const { seconds, warnings } = await drawCaptions(path, facts, join(workDir, 'captions.ass'), ass, {
    signal,
    onProgress: (fraction) => context.progress(fraction, 'drawing'),
  });
  for (const warning of [...plan.warnings, ...warnings]) context.warn(warning);
  const drawn = captions.filter(({ startSeconds }) => startSeconds < seconds).length;
  if (drawn === 0)
    context.warn({
      code: 'no_captions',
      message:
        captions.length === 0
          ? 'There are no captions, so nothing is drawn'
          : `All captions begin after the end of the video, at ${seconds.toFixed(1)} s, so nothing is drawn`,
    });
  return {
    outputs: [plannedFile(plan, path, inputs.file_id.name, seconds)],
    result: { captions: drawn, captionsBehindEnd: captions.length - drawn, ...size },
    processedSeconds: seconds,
  };
}
