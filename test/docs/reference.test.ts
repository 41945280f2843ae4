// docs/reference is what the declarations of today say, and its examples run: against the real HTTP side over a service
// that knows one file, one job, one chain and one webhook.
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChainView } from '../../src/service/rules/chains/chains.ts';
import type { WebhookDelivery, WebhookEndpoint } from '../../src/service/rules/webhooks/webhook-store.ts';
import { key, storedFile, useSharedApp } from '../service/http/support.ts';
import { skipHere } from '../fixtures/missing-part.ts';
import { projectNode } from '../fixtures/processes/project-node.ts';
import { slow } from '../fixtures/rounds.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(join(root, 'docs/reference/rest-api.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'earshot-reference-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const at = new Date('2026-11-30T08:00:00Z');
const chain: ChainView = {
  chain: {
    id: 'chain_1',
    accountId: 'acc_1',
    name: 'podcast',
    recipe: 'podcast',
    status: 'running',
    plan: { format: null, files: [], steps: [] },
    fileIds: ['file_1'],
    settling: 'whole',
    price: 6,
    charged: null,
    cancelRequested: false,
    error: null,
    failedStep: null,
    outputFileIds: [],
    createdAt: at,
    finishedAt: null,
  },
  jobs: [],
  outputs: [],
};
const endpoint: WebhookEndpoint = {
  id: 'hook_1',
  url: 'https://media.example.com/earshot',
  description: '',
  events: ['job.completed'],
  enabled: true,
  offReason: null,
  failingSince: null,
  createdAt: at,
};
const preset = { name: 'my-show', chain: { steps: [] }, createdAt: new Date(0) };
const voice = {
  id: 'voice_1',
  accountId: 'acc_1',
  name: 'Anna',
  status: 'ready' as const,
  error: null,
  consent: 'Agreed.',
  seconds: 30,
  createdAt: at,
};
const delivery: WebhookDelivery = {
  id: 'evt_1',
  type: 'job.completed',
  subject: 'job_1',
  status: 'delivered',
  tries: 1,
  nextAt: null,
  triedAt: at,
  answerStatus: 204,
  answerMs: 12,
  answer: '',
  createdAt: at,
};

const shared = useSharedApp({
  chains: {
    quote: async () => ({ name: 'podcast', credits: 6, steps: [] }),
    create: async () => chain,
    list: async () => ({ items: [chain], nextCursor: null }),
    get: async () => chain,
    follow: async (_account, _id, listener) => {
      listener(chain, true);
      return { stop: () => undefined };
    },
    cancel: async () => chain,
    presets: async () => [preset],
    savePreset: async () => preset,
    removePreset: async () => undefined,
  },
  webhooks: {
    create: async () => ({ endpoint, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }),
    list: async () => [endpoint],
    get: async () => endpoint,
    update: async () => endpoint,
    remove: async () => undefined,
    rotate: async () => ({ endpoint, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }),
    test: async () => delivery,
    deliveries: async () => ({ items: [delivery], nextCursor: null }),
    replay: async () => delivery,
  },
  voices: {
    create: async () => voice,
    list: async () => [voice],
    get: async () => voice,
    rename: async () => voice,
    remove: async () => undefined,
  },
  files: {
    openDownload: () =>
      Promise.resolve({
        file: storedFile(),
        sizeBytes: 4,
        etag: '"abcd"',
        read: () => Promise.resolve(Readable.from([Buffer.from('RIFF')])),
      }),
  },
});
let base = '';

beforeAll(async () => {
  ({ base } = await shared());
  writeFileSync(join(folder, 'interview.wav'), 'RIFF');
  writeFileSync(join(folder, 'part-1'), 'RIFF');
});

interface Example {
  readonly operation: string;
  readonly source: string;
  /** Runs of the free API need a service that works; docs/free-api.md is run against one. */
  readonly runs: boolean;
}

function examples(language: string): Example[] {
  return page
    .split('## Records')[0]!
    .split('\n### ')
    .slice(1)
    .map((section) => {
      const operation = section.slice(0, section.indexOf('\n'));
      const source = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(section)?.[1] ?? '';
      return { operation, source, runs: !/^try|^(?:get|follow)FreeRun$/.test(operation) };
    });
}

/** Runs a program on a file and answers what it printed, of both kinds. */
async function run(program: string, ...args: string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(program, args, { cwd: folder }).catch(
    (failed: { stdout: string; stderr: string }) => failed,
  );
  return stdout + stderr;
}

it('is not stale', slow, () => {
  expect(() =>
    execFileSync(projectNode, [join(root, 'scripts/write-reference.ts'), '--check'], { stdio: 'pipe' }),
  ).not.toThrow();
});

describe('an example of every operation', () => {
  it('is there in every language', () => {
    for (const language of ['sh', 'js', 'python']) {
      const all = examples(language);
      expect(all.length).toBeGreaterThan(35);
      for (const { operation, source } of all) expect(source, `${operation} ${language}`).toMatch(/\S/);
    }
  });

  it('runs in a shell', slow, async () => {
    const all = examples('sh');
    const lines = all.flatMap(({ operation, source, runs }) => [
      `${operation}() {\n${source}\n}`,
      ...(runs ? [`${operation} >/dev/null && echo "${operation} ok"`] : []),
    ]);
    const file = join(folder, 'examples.sh');
    writeFileSync(file, `BASE=${base}; KEY=${key}\n${lines.join('\n')}\n`);
    const printed = await run('bash', file);
    for (const { operation, runs } of all) if (runs) expect(printed).toContain(`${operation} ok`);
  });

  it('runs in Node', slow, async () => {
    const all = examples('js');
    const blocks = all.map(
      ({ operation, source, runs }) => `if (${runs}) {\n${source}\nconsole.log('${operation} ok');\n}`,
    );
    const file = join(folder, 'examples.mjs');
    writeFileSync(
      file,
      `import { openAsBlob } from 'node:fs';\nimport { writeFile } from 'node:fs/promises';
const BASE = '${base}';\nconst KEY = '${key}';\n${blocks.join('\n')}\n`,
    );
    const printed = await run(process.execPath, file);
    for (const { operation, runs } of all) if (runs) expect(printed).toContain(`${operation} ok`);
  });

  it('runs in Python', slow, async (context) => {
    if (spawnSync('python3', ['--version']).status !== 0) skipHere(context, 'python3 not installed');
    const all = examples('python');
    writeFileSync(join(folder, 'examples.json'), JSON.stringify(all));
    const file = join(folder, 'examples.py');
    writeFileSync(
      file,
      `import json, urllib.request
for each in json.load(open("examples.json")):
    code = compile(each["source"], each["operation"], "exec")
    if each["runs"]:
        exec(code, {"json": json, "urllib": urllib, "BASE": "${base}", "KEY": "${key}"})
        print(each["operation"], "ok")
`,
    );
    const printed = await run('python3', file);
    for (const { operation, runs } of all) if (runs) expect(printed).toContain(`${operation} ok`);
  });
});
