import { readFileSync } from 'node:fs';
import { EarshotError } from '../../core/errors/errors.ts';
import { measureRecording } from '../../edit/measure-recording.ts';
import { probe } from '../../media/read/probe.ts';
import { readScript } from '../../speech/transcript/read/script.ts';
import type { RunResult } from '../declare/run.ts';
import { type CaptionFacts, captionFacts } from './captions.ts';
import { measureDialogue } from './dialogue.ts';
import { joinConversions, judge } from './judge.ts';
import type { CheckAudioContext } from './options.ts';
import { rulesOf } from './policies.ts';
import type { CheckAudioResult } from './result.ts';

export async function run(context: CheckAudioContext): Promise<RunResult<CheckAudioResult>> {
  const { inputs, options, pass } = context;
  const { policy } = options;
  const all = rulesOf(policy, options.rules ?? []);
  const asksFor = (start: string): boolean => all.some(({ measure }) => measure.startsWith(start));
  const file = inputs.captions_file_id;
  // Read first, since an hour of measuring for a file that cannot be read helps no one.
  const cues = file === undefined ? null : readCues(file.path);
  const facts = probe(inputs.file_id.path);
  const wantsDialogue = asksFor('dialogue');
  const after = wantsDialogue ? (['reading', 'finding speech', 'measuring'] as const) : [];
  const sound = await measureRecording(facts, context, pass('analysing', after));
  const dialogue = wantsDialogue ? await measureDialogue(facts, context) : null;
  const captions: CaptionFacts | null = cues === null ? null : captionFacts(cues, sound.durationSeconds);
  const isLeftOut = ({ measure }: { measure: string }): boolean => captions === null && measure.startsWith('caption');
  const judged = all
    .filter((rule) => !isLeftOut(rule))
    .map((rule) => judge(rule, { facts, sound, dialogue, captions }));
  const checks = joinConversions(judged, all, facts);
  const failed = checks.filter(({ passes }) => !passes).length;
  return {
    outputs: [],
    result: {
      policy,
      passes: failed === 0,
      failed,
      checks,
      notChecked: all.filter(isLeftOut).map(({ measure }) => measure),
    },
    processedSeconds: sound.durationSeconds,
  };
}

/** @throws EarshotError wrong_file_type */
function readCues(path: string) {
  const script = readScript(readFileSync(path));
  if (script.format !== 'txt') return script.cues;
  throw new EarshotError('wrong_file_type', 'Expected captions as SRT or VTT but the file has no times', {
    nextAction: 'Write the captions of the recording as SRT or VTT, and check those.',
  });
}
