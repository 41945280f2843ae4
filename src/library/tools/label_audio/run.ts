import { extname, join } from 'node:path';
import { copyAll, samplesFor } from '../../edit/copy-samples.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { contentTypeOf } from '../../media/formats.ts';
import { openAudio } from '../../media/read/decode.ts';
import { drive } from '../../media/read/drive.ts';
import { probe } from '../../media/read/probe.ts';
import { openPlannedOutput, planOutput, stemOf } from '../../media/write/output.ts';
import { setChapters } from '../../media/write/set-chapters.ts';
import { writeTags } from '../../media/write/set-tags.ts';
import { isFormGiven } from '../../media/write/written-form.ts';
import type { RunResult } from '../declare/run.ts';
import type { LabelAudioContext } from './options.ts';
import type { LabelAudioResult } from './result.ts';

/** Copies the packets. Other tags stay, and so do cover and chapters without new ones. */
export async function run(context: LabelAudioContext): Promise<RunResult<LabelAudioResult>> {
  const { inputs, options, workDir, signal } = context;
  const { chapters, ...tags } = options;
  const { name } = inputs.file_id;
  const facts = probe(inputs.file_id.path);
  const inForm = isFormGiven() ? await writeInForm(facts, context) : null;
  const extension = inForm?.format ?? (extname(name).slice(1).toLowerCase() || facts.format);
  const copying = { signal, onWarning: context.warn };
  context.progress(0.9, 'writing');
  const changes = Object.entries(tags).map(([tag, value]) => [tag, value === '' ? null : value] as const);
  const cover = inputs.cover_file_id?.path;
  const labels = { tags: Object.fromEntries(changes), ...(cover === undefined ? {} : { cover }) };
  const tagged = join(workDir, `tagged.${extension}`);
  await writeTags(inForm === null ? facts : probe(inForm.path), tagged, labels, copying);
  const labelled = join(workDir, `labelled.${extension}`);
  if (chapters !== undefined)
    await setChapters(
      tagged,
      labelled,
      chapters.map(({ start_seconds: startSeconds, title }) => ({ startSeconds, title })),
      copying,
    );
  const done = probe(chapters === undefined ? tagged : labelled);
  return {
    outputs: [
      {
        path: done.path,
        filename: `${stemOf(name)}.${extension}`,
        contentType: contentTypeOf(done.format, done.hasVideo),
        format: extension,
        durationSeconds: done.durationSeconds,
        readBack: done,
      },
    ],
    result: { tags: done.tags, chapterCount: done.chapters.length, hasCover: done.cover !== null },
    processedSeconds: done.durationSeconds ?? 0,
  };
}

/** In a chain the sound is written as the next step, or the whole, wants it. */
async function writeInForm(
  facts: MediaFacts,
  context: LabelAudioContext,
): Promise<{ readonly path: string; readonly format: string }> {
  const plan = planOutput(facts, 'same');
  const source = openAudio(facts);
  try {
    const { path, sink } = openPlannedOutput(context.workDir, facts, plan, source.format, { threads: context });
    try {
      const pass = { signal: context.signal, onProgress: (done: number) => context.progress(0.9 * done, 'encoding') };
      const samples = samplesFor(facts, null, sink);
      try {
        await (samples ? copyAll(samples, sink, pass) : drive(source, [], sink, pass));
      } finally {
        samples?.close();
      }
      await sink.finish();
    } finally {
      sink.close();
    }
    for (const warning of [...source.warnings, ...plan.warnings, ...sink.warnings]) context.warn(warning);
    return { path, format: plan.format };
  } finally {
    source.close();
  }
}
