// `npm run test:clients`: generators of clients read openapi.json, and what they make sends a body of every tool to a
// server that reads it as the service does. Prints a line for each client; ends with 1 when one fails. A client whose
// language is not on this machine is skipped by name. The generators are fetched when this runs; no install needs them.
// `npm run test:clients -- go python` tries only those whose names contain one of the words.
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { splitJobBody } from '../../src/service/http/interface/rest-body.ts';
import { tools } from '../../src/library/tools/registry.ts';
import { openapiDocument } from '../../scripts/reference/openapi-document.ts';
import { forgetTools, program } from '../../scripts/release/managers.mjs';
import { bodies } from './bodies.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const drivers = join(import.meta.dirname, 'drivers');
const generatorVersion = '7.17.0';
const jar = join(
  homedir(),
  `.m2/repository/org/openapitools/openapi-generator-cli/${generatorVersion}/openapi-generator-cli-${generatorVersion}.jar`,
);
const work = mkdtempSync(join(tmpdir(), 'earshot-clients-'));
const specification = join(work, 'openapi.json');
const bodiesFile = join(work, 'bodies.json');

async function run(command: string, args: readonly string[], cwd = work, env: NodeJS.ProcessEnv = {}): Promise<void> {
  try {
    await promisify(execFile)(command, args, { cwd, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 });
  } catch (thrown) {
    const { stdout = '', stderr = '' } = thrown as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${command} ${args.join(' ')}\n${(stdout + stderr).slice(-3000)}`, { cause: thrown });
  }
}

const isHere = (command: string, argument = '--version'): Promise<boolean> =>
  promisify(execFile)(command, [argument]).then(
    () => true,
    () => false,
  );

/** What arrived at the server since the last look. */
let received: unknown[] = [];

/** A server that reads jobs as the service does, and answers with the document's example. */
async function startReceiver(job: unknown): Promise<{ readonly base: string; close(): void }> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const body = await json(request);
      splitJobBody(body);
      received.push(body);
      response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(job));
    } catch (thrown) {
      received.push(String(thrown));
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error: String(thrown) }));
    }
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() };
}

/** Has it all of what was sent? Generated clients may write out defaults. */
const holds = (got: unknown, sent: unknown): boolean =>
  typeof sent === 'object' && sent !== null && typeof got === 'object' && got !== null
    ? Object.entries(sent).every(([name, value]) => holds((got as Record<string, unknown>)[name], value))
    : got === sent;

/** What was not received as it was sent. */
const lost = (): string[] =>
  bodies.flatMap((sent, index) => {
    const got = received[index] as Record<string, unknown> | string | undefined;
    const same = typeof got === 'object' && holds(got, sent);
    return same
      ? []
      : [`sent ${JSON.stringify(sent)}, received ${typeof got === 'string' ? got : JSON.stringify(got)}`];
  });

const className = (tool: string): string =>
  `${tool.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Job`;

/** The code of bodies whose names are as TypeScript's generators write them. */
const camelCased = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(camelCased)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value).map(([name, inner]) => [
            name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
            camelCased(inner),
          ]),
        )
      : value;

async function compileTypescript(folder: string): Promise<void> {
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const options = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--skipLibCheck', 'false'];
  await run(
    join(root, 'node_modules/.bin/tsc'),
    [...options, '--types', 'node', '--typeRoots', join(root, 'node_modules/@types'), '--outDir', 'out', 'send.ts'],
    folder,
  );
}

async function generate(generator: string, folder: string, properties?: string): Promise<void> {
  const more = properties === undefined ? [] : [`--additional-properties=${properties}`];
  await run('java', ['-jar', jar, 'generate', '-i', specification, '-g', generator, '-o', folder, ...more]);
}

let python: Promise<string> | undefined;
/** A Python with what the generated clients need. */
const pythonWithPackages = (): Promise<string> =>
  (python ??= (async () => {
    const folder = join(work, 'python');
    await run('python3', ['-m', 'venv', folder]);
    const packages = ['openapi-python-client==0.29.1', 'urllib3', 'python-dateutil', 'pydantic'];
    await run(join(folder, 'bin/pip'), ['install', '-q', '--disable-pip-version-check', ...packages]);
    return folder;
  })());

interface Maker {
  readonly name: string;
  /** Programs that must be on this machine. */
  readonly needs: readonly (readonly [command: string, argument?: string])[];
  /** Generates the client and sends all bodies with it. */
  readonly send: (base: string) => Promise<void>;
}

const java = [['java'], ['mvn']] as const;

const makers: readonly Maker[] = [
  {
    name: 'openapi-typescript',
    needs: [],
    async send(base) {
      const folder = join(work, 'openapi-typescript');
      mkdirSync(folder);
      const made = join(folder, 'api.ts');
      await run(process.execPath, [
        program('openapi-typescript@7.13.0', { command: 'openapi-typescript' }),
        specification,
        '--default-non-nullable=false',
        '-o',
        made,
      ]);
      const typed = bodies.map((body) => `${JSON.stringify(body)} satisfies Schemas['${className(body.tool)}']`);
      writeFileSync(
        join(folder, 'send.ts'),
        [
          "import type { components, paths } from './api.js';",
          "type Schemas = components['schemas'];",
          "type Body = paths['/api/v1/jobs']['post']['requestBody']['content']['application/json'];",
          `const bodies: readonly Body[] = [${typed.join(',\n')}];`,
          'for (const body of bodies)',
          `  await fetch('${base}/api/v1/jobs', { method: 'POST', body: JSON.stringify(body) });`,
        ].join('\n'),
      );
      await compileTypescript(folder);
      await run(process.execPath, ['out/send.js'], folder);
    },
  },
  {
    name: 'openapi-generator, typescript-fetch',
    needs: java,
    async send(base) {
      const folder = join(work, 'typescript-fetch');
      await generate('typescript-fetch', folder, 'importFileExtension=.js');
      writeFileSync(
        join(folder, 'send.ts'),
        [
          "import { Configuration, JobsApi, type CreateJobRequest } from './index.js';",
          `const bodies: readonly CreateJobRequest[] = ${JSON.stringify(camelCased(bodies))};`,
          `const api = new JobsApi(new Configuration({ basePath: '${base}', accessToken: 'svc_sk_test' }));`,
          'for (const createJobRequest of bodies) await api.createJob({ createJobRequest });',
        ].join('\n'),
      );
      await compileTypescript(folder);
      await run(process.execPath, ['out/send.js'], folder);
    },
  },
  {
    name: 'openapi-generator, python',
    needs: [...java, ['python3']],
    async send(base) {
      const folder = join(work, 'generator-python');
      await generate('python', folder);
      const driver = join(drivers, 'openapi_generator.py');
      await run(join(await pythonWithPackages(), 'bin/python'), [driver, base, bodiesFile], folder, {
        PYTHONPATH: folder,
      });
    },
  },
  {
    name: 'openapi-generator, go',
    needs: [...java, ['go', 'version']],
    async send(base) {
      const folder = join(work, 'go');
      await generate('go', folder);
      mkdirSync(join(folder, 'send'));
      const cases = tools.map(({ id }) => {
        const name = className(id);
        return (
          `case "${id}":\nvar job openapi.${name}\nmust(json.Unmarshal(raw, &job))\nreturn ` +
          `openapi.${name}AsCreateJobRequest(&job)`
        );
      });
      writeFileSync(
        join(folder, 'send/main.go'),
        [
          'package main',
          'import ("context"; "encoding/json"; "os"; openapi "github.com/GIT_USER_ID/GIT_REPO_ID")',
          'func must(err error) { if err != nil { panic(err) } }',
          'func read(raw []byte, tool string) openapi.CreateJobRequest {',
          'switch tool {',
          ...cases,
          '}',
          'panic(tool)',
          '}',
          'func main() {',
          'text, err := os.ReadFile(os.Args[2])',
          'must(err)',
          'var bodies []json.RawMessage',
          'must(json.Unmarshal(text, &bodies))',
          'configuration := openapi.NewConfiguration()',
          'configuration.Servers = openapi.ServerConfigurations{{URL: os.Args[1]}}',
          'client := openapi.NewAPIClient(configuration)',
          'for _, raw := range bodies {',
          'var named struct{ Tool string `json:"tool"` }',
          'must(json.Unmarshal(raw, &named))',
          '_, _, err := client.JobsAPI.CreateJob(context.Background()).CreateJobRequest(read(raw, ' +
            'named.Tool)).Execute()',
          'must(err)',
          '}',
          '}',
        ].join('\n'),
      );
      await run('go', ['run', './send', base, bodiesFile], folder);
    },
  },
  {
    name: 'openapi-python-client',
    needs: [['python3']],
    async send(base) {
      const folder = join(work, 'openapi-python-client');
      const there = await pythonWithPackages();
      const args = ['generate', '--path', specification, '--output-path', folder, '--meta', 'none'];
      const clients = join(folder, '..', 'python-client');
      mkdirSync(clients);
      args[4] = join(clients, 'earshot_client');
      await run(join(there, 'bin/openapi-python-client'), args);
      copyFileSync(join(drivers, 'openapi_python_client.py'), join(clients, 'send.py'));
      await run(join(there, 'bin/python'), ['send.py', base, bodiesFile], clients);
    },
  },
];

const words = process.argv.slice(2);
const isWanted = ({ name }: Maker): boolean => words.length === 0 || words.some((word) => name.includes(word));

async function main(): Promise<void> {
  const document = await openapiDocument();
  writeFileSync(specification, JSON.stringify(document));
  writeFileSync(bodiesFile, JSON.stringify(bodies));
  const untried = tools.filter(({ id }) => !bodies.some(({ tool }) => tool === id)).map(({ id }) => id);
  if (untried.length > 0) throw new Error(`Expected a body of every tool but there is none of ${untried.join(', ')}`);
  const job = document.paths['/api/v1/jobs']?.['post']?.responses['201']?.content?.['application/json']?.example;
  const receiver = await startReceiver(job);
  try {
    for (const { name, needs, send } of makers.filter(isWanted)) {
      const missing: string[] = [];
      for (const [command, argument] of needs) if (!(await isHere(command, argument))) missing.push(command);
      if (missing.length > 0) {
        console.log(`skipped  ${name}: ${missing.join(' and ')} not on this machine`);
        continue;
      }
      if (needs.some(([command]) => command === 'mvn'))
        await run('mvn', [
          '-q',
          'dependency:get',
          `-Dartifact=org.openapitools:openapi-generator-cli:${generatorVersion}`,
          '-Dtransitive=false',
        ]);
      received = [];
      const failure = await send(receiver.base).then(
        () => null,
        (thrown: unknown) => String(thrown),
      );
      const problems = [...(failure === null ? [] : [failure]), ...lost()];
      console.log(
        `${problems.length === 0 ? 'ok     ' : 'FAILED '}  ${name}: ${bodies.length - lost().length} of ` +
          `${bodies.length} bodies arrived`,
      );
      for (const problem of problems) console.log(`    ${problem}`);
      if (problems.length > 0) process.exitCode = 1;
    }
  } finally {
    receiver.close();
    rmSync(work, { recursive: true, force: true });
    forgetTools();
  }
}

await main();
