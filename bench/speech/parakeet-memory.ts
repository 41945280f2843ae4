// Memory and processor time of a Parakeet of true size on several threads, with random weights (parakeet_network.py):
//     node bench/speech/parakeet-memory.ts [--threads=8] [--seconds=480]
// The bar: eight threads within 2 GB (2,000 MB).
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createUntypedEngine } from '../../src/library/runtime/engine/engine.ts';
import { type AddedModel, addedId } from '../../src/library/models/added-models.ts';
import { recordName } from '../../src/library/models/manifest.ts';
import { networkNames } from '../../src/library/models/recogniser-files.ts';
import { makeFiles } from '../../test/machines/files.ts';
import { watchPeaks } from '../../test/machines/peaks.ts';
import { pythonWith } from './python.ts';

const flag = (name: string, usual: number): number =>
  Number(process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3) ?? usual);
const [threads, seconds] = [flag('threads', 8), flag('seconds', 480)];
const mostMegabytes = 2000;

const name = 'owner/parakeet-true-size';
const tokens = 8192;

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** Puts the network into a models folder, as `earshot models add` would have. */
async function addNetwork(python: string, models: string): Promise<void> {
  const id = addedId(name);
  const folder = join(models, id);
  mkdirSync(folder, { recursive: true });
  const made = spawnSync(python, [fileURLToPath(new URL('parakeet_network.py', import.meta.url)), folder], {
    stdio: 'inherit',
  });
  if (made.status !== 0) throw new Error('The network could not be made');
  const config = { model_type: 'nemo-conformer-tdt', features_size: 128, subsampling_factor: 8 };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  const pieces = Array.from({ length: tokens }, (_, index) => `▁w${index} ${index}\n`).join('');
  writeFileSync(join(folder, 'vocab.txt'), `${pieces}<blk> ${tokens}\n`);
  const files = ['config.json', 'vocab.txt', ...networkNames('parakeet', 'quantized')];
  const record: AddedModel = {
    id,
    title: name,
    purpose: 'Takes memory',
    licence: 'CC0-1.0',
    homepage: 'https://example.org',
    sampleRatesHz: [16_000],
    family: 'parakeet',
    variant: 'quantized',
    revision: '0'.repeat(40),
    files: await Promise.all(
      files.map(async (file) => ({
        name: file,
        bytes: statSync(join(folder, file)).size,
        sha256: await sha256(join(folder, file)),
      })),
    ),
  };
  writeFileSync(join(folder, recordName), JSON.stringify(record));
}

const python = pythonWith('onnx', ['onnx==1.19.1', 'numpy==2.2.6']);
if (python === null) process.exit(1);
const work = mkdtempSync(join(tmpdir(), 'earshot-bench-'));
try {
  await addNetwork(python, join(work, 'models'));
  const files = await makeFiles(work, seconds);
  process.env['EARSHOT_CORES'] = String(threads);
  process.env['EARSHOT_RECOGNISER'] = `hf:${name}`;
  const maxJobMemoryBytes = 2 * 2 ** 30;
  const engine = createUntypedEngine({
    modelsDir: join(work, 'models'),
    tempDir: work,
    runsPerProcess: 1,
    maxJobMemoryBytes,
  });
  const watch = watchPeaks();
  const before = process.resourceUsage();
  const { result } = await engine.run(
    'transcribe_audio',
    { file: files.speech },
    { speaker_labels: false, language: 'en' },
    { outputDir: join(work, 'out') },
  );
  const peak = watch.take();
  watch.stop();
  await engine.close();
  const after = process.resourceUsage();
  const cpuSeconds = (after.userCPUTime + after.systemCPUTime - before.userCPUTime - before.systemCPUTime) / 1e6;
  const megabytes = Math.round(peak.residentMiB * 1.048576);
  console.log(
    `${threads} threads asked, ${peak.threads} of the process: ${megabytes} MB resident at most (bar ` +
      `${mostMegabytes}), ${Math.round(peak.reservedMiB * 1.048576)} MB reserved, this process ` +
      `${cpuSeconds.toFixed(1)} s of processor time`,
  );
  console.log(`${String((result as { words?: number }).words)} words of nothing in ${seconds} s of speech`);
  if (megabytes > mostMegabytes) process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
