// One more tool, by docs/extending.md: its four files, and nothing else. It turns a recording around in time.
export const reverseAudio: Readonly<Record<string, string>> = {
  'options.ts': `import * as Type from 'typebox/type';
import { mediaFile } from '../declare/inputs.ts';
import { defaulted } from '../declare/options.ts';
import type { ContextOf } from '../declare/run.ts';

export const inputs = { file_id: mediaFile() };

export const options = Type.Object(
  { format: defaulted(Type.Enum(['wav', 'flac'], { default: 'wav', description: 'Format of the output' })) },
  { additionalProperties: false },
);

export type ReverseAudioContext = ContextOf<typeof inputs, typeof options>;
`,
  'tool.ts': `import { formatSeconds } from '../../core/readable.ts';
import { defineTool } from '../declare/define.ts';
import { inputs, options } from './options.ts';

export const reverseAudio = defineTool({
  id: 'reverse_audio',
  slug: 'reverse',
  title: 'Reverse',
  summary: 'Turn a recording around',
  description: 'Turns a recording around in time.',
  shown: {
    purpose: 'convert',
    place: 2,
    next: null,
    sign: '<path d="M5 12v8M11 8v16M16 5v22M21 9v14M27 12v8"/>',
    translations: { de: { title: 'Umdrehen', summary: 'Rückwärts', description: 'Dreht eine Aufnahme um.', examples: ['Umdrehen'] } },
  },
  timeLine: 'own',
  work: { cpuPerSecond: 0.1, memoryMib: null, models: 'none', encodesPictures: false, transcriptOf: null },
  preview: null,
  inputs,
  options,
  examples: [{ description: 'Turn it around', command: 'reverse interview.wav' }],
  plan: () => ({ steps: ['Write the samples from the last to the first'], notes: [] }),
  inWords: ({ durationSeconds }) => formatSeconds(durationSeconds),
  run: () => import('./run.ts'),
});
`,
  'result.ts': `/** What reverse_audio answers. */
export interface ReverseAudioResult {
  readonly durationSeconds: number;
}
`,
  'run.ts': `import { openAudio } from '../../media/read/decode.ts';
import { drive } from '../../media/read/drive.ts';
import { probe } from '../../media/read/probe.ts';
import { openPlannedOutput, plannedFile, planOutput } from '../../media/write/output.ts';
import type { RunResult } from '../declare/run.ts';
import type { ReverseAudioContext } from './options.ts';
import type { ReverseAudioResult } from './result.ts';

export async function run({ inputs, options, workDir, signal }: ReverseAudioContext): Promise<RunResult<ReverseAudioResult>> {
  const facts = probe(inputs.file_id.path);
  const source = openAudio(facts);
  try {
    const blocks: { planes: Float32Array[]; frames: number }[] = [];
    const frames = await drive(source, [], ({ planes, frames }) => {
      blocks.unshift({ planes: planes.map((plane) => plane.toReversed()), frames });
    }, { signal, onProgress: () => undefined });
    const plan = planOutput(facts, options.format);
    const { path, sink } = openPlannedOutput(workDir, facts, plan, source.format, { processed: true, threads: null });
    try {
      for (const block of blocks) sink.write(block);
      await sink.finish();
    } finally {
      sink.close();
    }
    const durationSeconds = frames / source.format.sampleRate;
    return {
      outputs: [plannedFile(plan, path, inputs.file_id.name, durationSeconds)],
      result: { durationSeconds },
      processedSeconds: durationSeconds,
    };
  } finally {
    source.close();
  }
}
`,
};
