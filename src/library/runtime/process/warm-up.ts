// Typical work on a synthetic sound, for the process that fills the compile cache: Node keeps only the functions that
// were called, and compiling the others takes a third of a short job.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { moduleUrl } from '../../core/running-files.ts';
import { waveHeader } from '../../media/wave/header.ts';
import type { ProcessRequest } from '../channel/protocol.ts';
import { makeWorkFolder, workPartOf } from '../files/work-folder.ts';

const sampleRate = 44_100;
const seconds = 2;

/** A tone that rises and falls: 16-bit WAV, mono. */
function clip(): Buffer {
  const samples = Int16Array.from({ length: seconds * sampleRate }, (_, frame) => {
    const slow = Math.sin((2 * Math.PI * frame) / sampleRate);
    return Math.round(6000 * slow * Math.sin(0.03 * frame));
  });
  const header = waveHeader({ format: 's16le', sampleRate, channels: 1 }, samples.byteLength);
  return Buffer.concat([header, Buffer.from(samples.buffer)]);
}

const works: readonly Pick<ProcessRequest, 'toolId' | 'runModuleUrl' | 'options'>[] = [
  { toolId: 'check', runModuleUrl: moduleUrl('library/runtime/job/tasks/check'), options: {} },
  { toolId: 'peaks', runModuleUrl: moduleUrl('library/runtime/job/tasks/peaks'), options: {} },
  {
    toolId: 'analyze_audio',
    runModuleUrl: moduleUrl('library/tools/analyze_audio/run'),
    options: { detail: 'concise' },
  },
  {
    toolId: 'adjust_loudness',
    runModuleUrl: moduleUrl('library/tools/adjust_loudness/run'),
    options: { target: 'podcast', output_format: 'same' },
  },
  { toolId: 'convert_audio', runModuleUrl: moduleUrl('library/tools/convert_audio/run'), options: { format: 'mp3' } },
];

/** @param start handles a job process's request; messages are discarded; never throws */
export async function warmUp(start: (request: ProcessRequest) => Promise<void>): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'earshot-warm-up-'));
  try {
    const path = join(root, 'clip.wav');
    await writeFile(path, clip());
    const file = { path, name: 'clip.wav' };
    for (const work of works) {
      const folder = await makeWorkFolder(root);
      await start({
        ...work,
        inputs: { file_id: [file], file: [file] },
        inputShapes: { file_id: { min: 1, multiple: false }, file: { min: 1, multiple: false } },
        folder,
        workDir: workPartOf(folder),
        parallelism: 1,
        cores: 1,
        memoryBytes: 2 ** 30,
        maxFileBytes: null,
        reusable: true,
        modelsDir: undefined,
        wantsPartials: false,
        finishedParts: null,
        window: null,
        sound: null,
        passage: null,
        form: null,
      });
    }
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
