// `npm run test:n8n`: the n8n node is compiled with n8n's own types, looked at by the linter for community nodes, and
// runs tools of a real service as n8n runs it. n8n's packages are fetched when this runs; no install needs them.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { wavBytes } from '../fixtures/media/pcm-files.ts';
import { startService } from '../fixtures/service/running-service.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const packages = [
  'n8n-workflow@2.41.0',
  'typescript@5.9.3',
  'eslint@9.29.0',
  '@n8n/eslint-plugin-community-nodes@0.32.0',
  '@typescript-eslint/parser@8.74.0',
];
/** A folder with n8n's packages that is there already; else one is made. */
const given = process.env['EARSHOT_N8N_PACKAGES'];
const work = mkdtempSync(join(tmpdir(), 'earshot-n8n-'));
const modules = given ?? work;

async function run(command: string, args: readonly string[], cwd: string): Promise<void> {
  try {
    await promisify(execFile)(command, args, { cwd, maxBuffer: 2 ** 24 });
  } catch (thrown) {
    const { stdout = '', stderr = '' } = thrown as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${command} ${args.join(' ')}\n${(stdout + stderr).slice(-6000)}`, { cause: thrown });
  }
}

interface Binary {
  readonly bytes: Buffer;
  readonly fileName: string;
  readonly mimeType: string;
}
interface Ended {
  readonly json: Record<string, unknown>;
  readonly binary?: Readonly<Record<string, Binary>>;
}
interface Request {
  readonly method: string;
  readonly url: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly encoding?: string;
}

/** What a node has of n8n while it runs: an item with binary fields, parameters, and requests. */
function asN8n(
  parameters: Readonly<Record<string, unknown>>,
  binary: Readonly<Record<string, Binary>>,
  { baseUrl, apiKey }: { readonly baseUrl: string; readonly apiKey: string },
) {
  async function httpRequest({ method, url, body, headers = {}, encoding }: Request): Promise<unknown> {
    const isJson = body !== undefined && !Buffer.isBuffer(body);
    const answer = await fetch(url, {
      method,
      headers: { ...headers, ...(isJson ? { 'content-type': 'application/json' } : {}) },
      ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : new Uint8Array(body as Buffer) }),
    });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    if (encoding === 'stream') return Readable.fromWeb(answer.body as never);
    const text = await answer.text();
    // As n8n does with `json: true`: what is no JSON stays a text.
    return /^[[{]/.test(text) ? (JSON.parse(text) as unknown) : text;
  }
  return {
    getInputData: () => [{ json: {}, binary }],
    getNodeParameter: (name: string, _item: number, preset?: unknown) => parameters[name] ?? preset,
    getCredentials: () => Promise.resolve({ baseUrl, apiKey }),
    getNode: () => ({ name: 'Earshot', type: 'earshot', typeVersion: 1, parameters: {}, position: [0, 0], id: '1' }),
    continueOnFail: () => false,
    helpers: {
      httpRequest,
      httpRequestWithAuthentication: (_name: string, request: Request) =>
        httpRequest({ ...request, headers: { ...request.headers, authorization: `Bearer ${apiKey}` } }),
      assertBinaryData: (_item: number, field: string) => {
        const found = binary[field];
        if (found === undefined) throw new Error(`There is no binary field ${field}`);
        return found;
      },
      getBinaryDataBuffer: (_item: number, field: string) => Promise.resolve(binary[field]?.bytes),
      prepareBinaryData: async (bytes: Readable, fileName: string, mimeType: string) => ({
        bytes: Buffer.concat((await bytes.toArray()) as Buffer[]),
        fileName,
        mimeType,
      }),
    },
  };
}

function same(what: string, found: unknown, wanted: unknown): void {
  if (JSON.stringify(found) !== JSON.stringify(wanted))
    throw new Error(`${what}: expected ${JSON.stringify(wanted)} but received ${JSON.stringify(found)}`);
}

type Node = new () => { execute: (this: unknown) => Promise<Ended[][]> };

/** What a proxy, another program or a service of another version answers ends with a sentence, and soon. */
async function tryWrongAnswers(Earshot: Node): Promise<void> {
  const made = { file: { id: 'file_1' }, upload: null, multipart: null };
  const parts = { partUrl: 'http://127.0.0.1:1/{n}', partSizeBytes: 0, completeUrl: 'http://127.0.0.1:1/' };
  const cases: [what: string, answers: readonly unknown[], expected: RegExp][] = [
    ['a page', ['<html>'], /Expected the answer of an Earshot service/],
    ['parts of no size', [{ ...made, multipart: parts }], /Expected a size of parts but received 0/],
    [
      'a file that is gone',
      [{ ...made, upload: {} }, {}, { id: 'file_1', status: 'deleted', error: null }],
      /was deleted/,
    ],
  ];
  for (const [what, answers, expected] of cases) {
    let asked = 0;
    const server = createServer((request, response) => {
      request.resume();
      const answer = answers[asked++] ?? answers.at(-1);
      response.end(
        typeof answer === 'string'
          ? answer
          : JSON.stringify(answer).replace('"upload":{}', `"upload":{"url":"http://${request.headers.host}/"}`),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const talk = { bytes: Buffer.alloc(40), fileName: 'talk.wav', mimeType: 'audio/wav' };
    const given = { operation: 'analyze_audio', file_file_id: 'data' };
    const ended = await new Earshot().execute
      .call(asN8n(given, { data: talk }, { baseUrl, apiKey: 'svc_sk_1' }))
      .catch((thrown: unknown) => thrown as Error);
    server.close();
    if (!(ended instanceof Error) || !expected.test(ended.message))
      throw new Error(`${what}: expected ${expected.source} but received ${String(ended)}`);
  }
  console.log('ok       wrong answers: a page of HTML, parts of no size, a file that is gone');
}

async function tryTools(compiled: string): Promise<void> {
  const { Earshot } = createRequire(join(compiled, 'x.js'))('./nodes/Earshot/Earshot.node.js') as {
    readonly Earshot: Node;
  };
  await tryWrongAnswers(Earshot);
  const service = await startService(join(work, 'data'));
  try {
    const talk = {
      bytes: readFileSync(join(root, 'docs/samples/talk.opus')),
      fileName: 'talk.opus',
      mimeType: 'audio/ogg',
    };
    const credentials = { baseUrl: service.address, apiKey: service.key ?? '' };
    const once = async (parameters: Readonly<Record<string, unknown>>, binary: Readonly<Record<string, Binary>>) =>
      (await new Earshot().execute.call(asN8n(parameters, binary, credentials)))[0]?.[0] as Ended;
    const louder = await once(
      { operation: 'adjust_loudness', file_file_id: 'data', options: { target: 'streaming', output_format: 'wav' } },
      { data: talk },
    );
    const { output } = louder.json['result'] as { output: { integratedLufs: number } };
    same('loudness', Math.round(output.integratedLufs * 10), -140);
    same('an output', louder.binary?.['data']?.bytes.subarray(0, 4).toString(), 'RIFF');
    const wav = louder.binary?.['data'] as Binary;
    const cut = await once({ operation: 'cut_audio', file_file_id: 'data', ranges: '[[0, 2]]' }, { data: wav });
    same('a cut', Math.round(Number(cut.json['processedSeconds'])), 14);
    const joined = await once({ operation: 'join_audio', file_file_ids: 'a, b' }, { a: talk, b: wav });
    same('a join', (joined.json['outputs'] as { durationSeconds: number }[])[0]?.durationSeconds.toFixed(0), '28');
    const mixed = await once(
      {
        operation: 'mix_tracks',
        file_tracks: 'a,b',
        options: { tracks: '[{"role": "voice"}, {"role": "music"}]', duck: true },
      },
      { a: talk, b: wav },
    );
    same('a mix', (mixed.json['outputs'] as unknown[]).length, 1);
    // Above 16 MB a file goes in parts.
    const tone = Float32Array.from({ length: 190 * 48_000 }, (_, frame) => 0.1 * Math.sin(frame / 20));
    const long = Buffer.from(wavBytes([tone], 48_000));
    if (long.length <= 16 * 2 ** 20) throw new Error('Expected a file that goes in parts');
    const measured = await once(
      { operation: 'analyze_audio', file_file_id: 'data' },
      { data: { ...wav, bytes: long, fileName: 'long.wav' } },
    );
    same('a file in parts', measured.json['status'], 'succeeded');
    const refused = await once(
      { operation: 'convert_audio', file_file_id: 'data', options: { format: 'mid' } },
      { data: talk },
    ).catch((thrown: unknown) => thrown as Error & { readonly description?: string });
    if (!(refused instanceof Error)) throw new Error('Expected an unknown format to be refused');
    console.log('ok       the node: loudness, cut, join, mix, a file in parts, a refusal');
  } finally {
    await service.stop();
  }
}

try {
  if (given === undefined) {
    writeFileSync(join(work, 'package.json'), '{"private":true}');
    await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages], work);
  }
  const source = join(modules, 'node-package');
  rmSync(source, { recursive: true, force: true });
  mkdirSync(source);
  cpSync(join(root, 'clients/n8n'), source, { recursive: true });
  const flags =
    '--target es2022 --module commonjs --moduleResolution node --lib es2023,dom --strict --skipLibCheck --types node';
  const files = ['nodes/Earshot/Earshot.node.ts', 'credentials/EarshotApi.credentials.ts'];
  const types = ['--typeRoots', join(root, 'node_modules/@types')];
  const compiled = join(source, 'dist');
  const tsc = join(modules, 'node_modules/typescript/bin/tsc');
  await run(
    process.execPath,
    [tsc, ...flags.split(' '), ...types, '--rootDir', '.', '--outDir', compiled, ...files],
    source,
  );
  console.log("ok       compiles with n8n's types");
  writeFileSync(
    join(source, 'eslint.config.mjs'),
    "import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';\n" +
      "import parser from '@typescript-eslint/parser';\n" +
      'const { recommended } = n8nCommunityNodesPlugin.configs;\n' +
      // Who publishes it, and where it lives, is known at its release.
      "const rules = { ...recommended.rules, '@n8n/community-nodes/valid-author': 'off' };\n" +
      "export default [{ ignores: ['dist/**'] }, { ...recommended, rules, files: ['**/*.ts', 'package.json'], " +
      'languageOptions: { parser } }];\n',
  );
  await run(process.execPath, [join(modules, 'node_modules/eslint/bin/eslint.js'), '.'], source);
  console.log("ok       n8n's linter for community nodes");
  await tryTools(compiled);
  for (const icon of ['earshot.svg', 'earshot.dark.svg'])
    cpSync(join(source, 'nodes/Earshot', icon), join(compiled, 'nodes/Earshot', icon));
  cpSync(compiled, join(root, 'clients/n8n/dist'), { recursive: true });
  console.log('ok       clients/n8n/dist is the package: npm pack ./clients/n8n');
} finally {
  rmSync(work, { recursive: true, force: true });
}
