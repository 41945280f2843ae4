// The samples for job engines: flags that the command has, answers that the service gives, forms that readers accept.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { expect, it } from 'vitest';
import { readJob } from '../../src/cli/exec/exec-job.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { depthOf } from '../../src/service/rules/runners/depth.ts';
import { mainPath } from '../fixtures/built/main-path.ts';

const folder = fileURLToPath(new URL('../../deploy/engines', import.meta.url));
const samples = readdirSync(folder);
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

it('name only flags that the command has', () => {
  const help = execFileSync(process.execPath, [mainPath, 'runner', '--help'], { encoding: 'utf8' });
  for (const name of samples.filter((each) => /\brunner\b.*--url/s.test(read(each)))) {
    // Comments and #SBATCH are the engine's.
    const text = read(name).replaceAll(/^ *#.*$/gm, '');
    const flags = [...text.slice(text.indexOf('runner')).matchAll(/(?<=[\s"[,])--[a-z][a-z-]*(?=[\s",])/g)].map(
      ([flag]) => flag,
    );
    expect([name, flags.filter((flag) => !help.includes(flag))]).toEqual([name, []]);
    expect([name, flags.length >= 3]).toEqual([name, true]);
  }
});

it('for KEDA is as its schemas say, and asks for a number that is there', async () => {
  const manifests = parseAllDocuments(read('keda-scaledjob.yaml')).map((document) => document.toJS() as Manifest);
  for (const manifest of manifests) {
    const models = (await import(`@kubernetes-models/keda/keda.sh/v1alpha1/${manifest.kind}`)) as Models;
    new models[manifest.kind]!(manifest).validate();
  }
  const [trigger] = manifests.flatMap(({ spec: { triggers = [] } }) => triggers);
  const { url, valueLocation } = trigger!.metadata;
  expect(url).toMatch(/\/api\/runner\/queue$/);
  let value: unknown = depthOf({}, {});
  for (const key of valueLocation.split('.')) value = (value as Readonly<Record<string, unknown>>)[key];
  expect(value).toBe(0);
});

it('for Argo has a job that the command takes', async () => {
  const [workflow] = parseAllDocuments(read('argo-workflow.yaml')).map((document) => document.toJS() as Workflow);
  const exec = workflow!.spec.templates.find(({ container }) => container?.args[0] === 'exec');
  const [job] = exec!.inputs.artifacts;
  expect(exec!.container!.args[1]).toBe(job!.path);
  const path = join(temporaryFolder('earshot-argo-'), 'job.json');
  writeFileSync(path, job!.raw.data);
  expect((await readJob(path)).job).toMatchObject({ chain: 'podcast', output: 's3://bucket/finished/' });
});

it('for AWS Batch and Slurm can be read, and try again on 75 alone', () => {
  const { retryStrategy } = JSON.parse(read('aws-batch.json')) as {
    retryStrategy: { evaluateOnExit: { onExitCode?: string; action: string }[] };
  };
  expect(retryStrategy.evaluateOnExit.filter(({ onExitCode }) => onExitCode !== undefined)).toEqual([
    { onExitCode: '75', action: 'RETRY' },
    { onExitCode: '*', action: 'EXIT' },
  ]);
  execFileSync('sh', ['-n', join(folder, 'slurm-runner.sh')]);
});

interface Workflow {
  readonly spec: {
    readonly templates: readonly {
      readonly inputs: {
        readonly artifacts: readonly { readonly path: string; readonly raw: { readonly data: string } }[];
      };
      readonly container?: { readonly args: readonly string[] };
    }[];
  };
}
interface Manifest {
  readonly kind: string;
  readonly spec: {
    readonly triggers?: readonly { readonly metadata: { readonly url: string; readonly valueLocation: string } }[];
  };
}
type Models = Readonly<Record<string, new (given: Manifest) => { validate(): void }>>;
