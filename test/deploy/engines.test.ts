// The samples for job engines: flags that the command has, answers that the service gives, forms that readers accept.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { expect, it } from 'vitest';
import { readJob } from '../../src/cli/exec/exec-job.ts';
import { slow } from '../fixtures/rounds.ts';
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

/** Of the packages that the samples in Python import, what they use. */
const packages = {
  'temporalio/__init__.py': '',
  'temporalio/activity.py': 'defn = lambda run: run\nheartbeat = lambda line: None',
  'temporalio/exceptions.py': `class ApplicationError(Exception):
    def __init__(self, message, *details, type, non_retryable):
        super().__init__(f"{type} {non_retryable} {message}")`,
  'pendulum.py': 'datetime = lambda *date, tz: None',
  'airflow/__init__.py': '',
  'airflow/exceptions.py': 'class AirflowException(Exception): pass\nclass AirflowFailException(Exception): pass',
  'airflow/sdk.py': `class Task:
    def __init__(self, run): self.run = run
    def __call__(self): return []
    def expand(self, path): Task.last = self.run
task = lambda run=None, **terms: Task(run) if run else Task
dag = lambda **terms: lambda run: run
get_current_context = None`,
};

it.each([
  ['Temporal', 'temporal_activity', 'asyncio.run(sample.earshot(job))', /^bad_request True Unknown tool loud/],
  [
    'Airflow',
    'airflow_dag',
    'sys.modules["airflow.sdk"].Task.last("/none.wav")',
    /^69: There is no key for the bucket/,
  ],
])('for %s says what was wrong', slow, (_, sample, call, says) => {
  const lib = temporaryFolder('earshot-python-');
  for (const [name, text] of Object.entries(packages)) {
    mkdirSync(dirname(join(lib, name)), { recursive: true });
    writeFileSync(join(lib, name), text);
  }
  writeFileSync(join(lib, 'earshot'), `#!/bin/sh\nexec '${process.execPath}' '${mainPath}' "$@"\n`, { mode: 0o755 });
  const program = `import asyncio, sys, ${sample} as sample
job = {"tool": "loud", "inputs": ["/none.wav"], "output": "."}
try:
    ${call}
except Exception as error:
    print(error)`;
  const said = execFileSync('python3', ['-c', program], {
    cwd: lib,
    encoding: 'utf8',
    env: {
      PATH: `${lib}:${process.env['PATH']}`,
      PYTHONPATH: `${lib}:${folder}`,
      PYTHONDONTWRITEBYTECODE: '1',
      AWS_EC2_METADATA_DISABLED: 'true',
      HOME: lib,
    },
  });
  expect(said).toMatch(says);
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
