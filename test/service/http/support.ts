// A whole HTTP side on 127.0.0.1 over a service of plain functions, and a client that holds every answer against
// openapi.json.
import { noVoices } from './no-voices.ts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { pino } from 'pino';
import { afterAll, afterEach, expect } from 'vitest';
import { EarshotError } from '../../../src/library/core/errors/errors.ts';
import { toolIds, type ToolId } from '../../../src/library/contract/tool-ids.ts';
import { dialects } from '../../../src/service/http/dialects.ts';
import { createApp, type AppDeps } from '../../../src/service/http/server/app.ts';
import type { Dialect } from '../../../src/service/http/server/dialect.ts';
import { loadConfig, type SettingName } from '../../../src/service/rules/settings/config.ts';
import type { Account } from '../../../src/service/rules/accounts/account.ts';
import type { Service } from '../../../src/service/rules/service.ts';
import { offeredTools, type OfferedTool } from '../../../src/service/offers/offers.ts';
import { browserSession, storedFile, storedJob, ticket } from './stored.ts';
import {
  followOnce,
  noEdits,
  noShares,
  notHere,
  noFreeRuns,
  noKeys,
  noLegacyJobs,
  noPayments,
  noSignIn,
  noWebhooks,
} from './no-free-runs.ts';
import { closed, prefixed } from './closed-schemas.ts';

export { storedFile, storedJob, ticket };

export const key = 'svc_sk_0123456789abcdefghijABCDEFGHIJ0123456789';
export const session = 'session-token-of-the-website';

export const account: Account = {
  id: 'acc_1',
  name: 'Test',
  balance: 1000,
  reserved: 25,
  autoRefill: {
    enabled: true,
    thresholdCents: 500,
    amountCents: 2000,
    monthlyCapCents: 10_000,
    card: { brand: 'visa', last4: '4242' },
  },
  oauthSubject: null,
  email: null,
  operator: false,
  blockedAt: null,
  blockedFor: null,
  language: 'en',
  createdAt: new Date('2026-11-01T00:00:00Z'),
};

const forEachTool = (value: number): Record<ToolId, number> =>
  Object.fromEntries(toolIds.map((id) => [id, value])) as Record<ToolId, number>;

/** A whole service is one, too. */
type Overrides = { [Group in keyof Service]?: Partial<Service[Group]> };

/** A service that knows one account, one file and one job. */
export function fakeService(overrides: Overrides = {}): Service {
  const view = { job: storedJob(), outputs: [] };
  return {
    access: {
      byBearer: async (token) => {
        if (token !== key) throw new EarshotError('unauthorized', 'This API key does not exist');
        return account;
      },
      byKey: async (token) => {
        if (token !== key) throw new EarshotError('unauthorized', 'This API key does not exist');
        return account;
      },
      bySession: async (token) => {
        if (token !== session) throw new EarshotError('unauthorized', 'The session has expired or does not exist');
        return account;
      },
      session: async (token) => {
        if (token !== session) throw new EarshotError('unauthorized', 'The session has expired or does not exist');
        return { account, session: browserSession };
      },
      ...overrides.access,
    },
    notes: {
      list: async () => [],
      get: async () => null,
      save: async () => undefined,
      remove: async () => undefined,
      ...overrides.notes,
    },
    accounts: {
      view: async () => ({
        account,
        freeUsesLeft: forEachTool(3),
        prices: forEachTool(1),
        limits: { maxFileBytes: 5 },
      }),
      ledger: async () => ({
        items: [
          {
            id: 'led_1',
            accountId: 'acc_1',
            kind: 'charge',
            credits: -2,
            reserved: -2,
            balance: 998,
            jobId: 'job_1',
            paymentId: null,
            disputeId: null,
            note: null,
            createdAt: new Date(0),
          },
        ],
        nextCursor: 'more',
      }),
      ledgerOf: async () => [],
      ...overrides.accounts,
    },
    tools: {
      offers: async () =>
        toolIds.map((id) => ({
          id,
          creditsPerMinute: 2,
          free: { enabled: true, seconds: id === 'analyze_audio' ? null : 60, dailyUses: 3 },
          unavailable: null,
        })),
      quote: async (_account, tool) => ({ tool, seconds: 62, credits: 3, free: { seconds: 60, usesLeftToday: 3 } }),
      pricesFor: (seconds) => forEachTool(Math.ceil(seconds / 60)),
      ...overrides.tools,
    },
    files: {
      create: async () => ticket(),
      name: async () => ticket(),
      partLinks: async () => [],
      importLink: async () =>
        storedFile({ status: 'processing', durationSeconds: null, media: null, format: null, sizeBytes: null }),
      abort: async () => undefined,
      list: async () => ({ items: [storedFile()], nextCursor: null }),
      get: async () => storedFile(),
      remove: async () => undefined,
      downloadLink: async (_account, fileId) => ({
        fileId,
        filename: 'talk.wav',
        url: 'http://127.0.0.1:1/f/tok/talk.wav',
        expiresAt: new Date(0),
      }),
      ticket: async () => ticket(),
      nameByToken: async () => ticket(),
      acceptUpload: async (_token, body) => {
        for await (const chunk of body) void chunk;
        return storedFile({ status: 'processing' });
      },
      acceptPart: async (_token, _part, body) => {
        for await (const chunk of body) void chunk;
      },
      completeUpload: async () => storedFile({ status: 'processing' }),
      open: async () => notHere(),
      openDownload: async () => notHere(),
      kept: async () => ({ files: 0, bytes: 0 }),
      sourcesOf: async () => new Map(),
      rename: async () => storedFile(),
      ...overrides.files,
    },
    said: { hear: () => () => undefined, ...overrides.said },
    jobs: {
      create: async () => view,
      list: async () => ({ items: [view], nextCursor: null }),
      get: async () => view,
      follow: followOnce(view),
      cancel: async () => ({ job: storedJob({ status: 'cancelled' }), outputs: [] }),
      ...overrides.jobs,
    },
    origins: {
      of: async () => ({
        file: storedFile({ id: 'file_2', kind: 'output', filename: 'talk.cut.wav' }),
        origin: {
          tool: 'cut_audio',
          result: { keptRanges: [[0, 30]] },
          inputs: { file_id: [storedFile()] },
          outputs: [],
        },
      }),
      ...overrides.origins,
    },
    chains: {
      recipes: [],
      quote: () => Promise.reject(notHere()),
      foretell: () => Promise.reject(notHere()),
      presets: () => Promise.resolve([]),
      savePreset: () => Promise.reject(notHere()),
      removePreset: () => Promise.reject(notHere()),
      create: () => Promise.reject(notHere()),
      list: () => Promise.resolve({ items: [], nextCursor: null }),
      get: () => Promise.reject(notHere()),
      follow: () => Promise.reject(notHere()),
      cancel: () => Promise.reject(notHere()),
      ...overrides.chains,
    },
    voices: { ...noVoices, ...overrides.voices },
    peaks: {
      get: async (_account, fileId, { level, first }) => ({
        fileId,
        status: 'ready',
        durationSeconds: 61.5,
        peak: 0.5,
        levels: [{ perSecond: 5, count: 308 }],
        bins: level === null ? null : { level, first, count: 2, data: Buffer.from([0xff, 1, 0x80, 0x7f]) },
      }),
      ...overrides.peaks,
    },
    transcripts: {
      window: async (_account, fileId, { from, detail }) => ({
        fileId,
        language: 'en',
        fromSeconds: from,
        toSeconds: from + 300,
        durationSeconds: 400,
        speakerCount: null,
        detail,
        sentences: [
          {
            startSeconds: 1,
            endSeconds: 2,
            text: 'Hello.',
            speaker: null,
            words: [{ text: 'Hello.', startSeconds: 1, endSeconds: 2, matched: true }],
          },
        ],
        nextFromSeconds: 300,
      }),
      ...overrides.transcripts,
    },
    edits: { ...noEdits, ...overrides.edits },
    shares: { ...noShares, ...overrides.shares },
    freeRuns: { ...noFreeRuns, ...overrides.freeRuns },
    payments: { ...noPayments, ...overrides.payments },
    legacyJobs: { ...noLegacyJobs, ...overrides.legacyJobs },
    signIn: { ...noSignIn, ...overrides.signIn },
    keys: { ...noKeys, ...overrides.keys },
    webhooks: { ...noWebhooks, ...overrides.webhooks },
    programs: null,
    overview: async () => notHere(),
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read whatever was answered
  readonly json: any;
}

export interface Running {
  readonly base: string;
  readonly app: Awaited<ReturnType<typeof createApp>>;
  /** What was logged, as JSON lines. */
  logged(): string;
  /** With the key unless headers say otherwise; the answer is held against openapi.json. */
  call(
    method: string,
    path: string,
    options?: { body?: unknown; headers?: Record<string, string>; raw?: string | Uint8Array<ArrayBuffer> },
  ): Promise<Answer>;
}

export type StartOptions = Partial<Omit<AppDeps, 'dialects' | 'config' | 'log'>> & {
  /** Spoken beside the interface. */
  readonly beside?: readonly Dialect[];
  readonly config?: Partial<Record<SettingName, string>>;
  /** Default: those of the interface. */
  readonly tools?: readonly OfferedTool[];
};

/** Starts apps that are closed after each test. */
export function useApps(): (service?: Overrides, options?: StartOptions) => Promise<Running> {
  const running: Running[] = [];
  afterEach(() => stopAll(running));
  return async (service = {}, options = {}) => {
    const made = await startApp(service, options);
    running.push(made);
    return made;
  };
}

/** One app for all tests of a file that do not care. */
export function useSharedApp(service: Overrides = {}): () => Promise<Running> {
  let made: Promise<Running> | undefined;
  afterAll(async () => {
    if (made !== undefined) await stopAll([await made]);
  });
  return () => (made ??= startApp(service, { config: { rateLimitAccount: '100000', rateLimitAddress: '100000' } }));
}

async function stopAll(running: Running[]): Promise<void> {
  for (const { app } of running.splice(0)) {
    app.server.closeAllConnections();
    await app.close();
  }
}

async function startApp(
  service: Overrides,
  { config: settings = {}, beside = [], tools = offeredTools, ...parts }: StartOptions,
): Promise<Running> {
  let lines = '';
  const log = pino({ level: 'debug' }, { write: (line: string) => void (lines += line) });
  const config = loadConfig({}, { graceSeconds: '1', metricsToken: key, ...settings });
  const app = await createApp({
    dialects: [...dialects({ service: fakeService(service), config, tools }), ...beside],
    config,
    log,
    ...parts,
  });
  const base = await app.listen({ port: 0, host: '127.0.0.1' });
  return { base, app, logged: () => lines, call: createCaller(base, key) };
}

let document: Promise<OpenApi> | undefined;

/** The document of an app of its own, so that reading it counts nowhere. It is the same whatever the app. */
export const openApiDocument = (): Promise<OpenApi> =>
  (document ??= (async () => {
    const config = loadConfig({});
    const app = await createApp({
      dialects: dialects({ service: fakeService(), config, tools: offeredTools }),
      config,
      log: pino({ level: 'silent' }),
    });
    const { body } = await app.inject('/api/openapi.json');
    await app.close();
    return JSON.parse(body) as OpenApi;
  })());

let contractCheck: Promise<ReturnType<typeof createContractCheck>> | undefined;

/** Calls with the key unless headers say otherwise, and holds each answer against openapi.json. */
export function createCaller(base: string, defaultKey: string): Running['call'] {
  return async (method, path, { body, headers = {}, raw } = {}) => {
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(path.startsWith('http') ? path : base + path, {
      method,
      headers: {
        authorization: `Bearer ${defaultKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(sent === undefined ? {} : { body: sent }),
      redirect: 'manual',
    });
    const text = await response.text();
    // Compiling the document's schemas for each app would take most of the tests' time.
    const check = await (contractCheck ??= openApiDocument().then(createContractCheck));
    check(method, path.replace(base, ''), response, text);
    const isJson = text !== '' && response.headers.get('content-type')?.startsWith('application/json') === true;
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
  };
}

export interface OpenApi {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}
export interface OpenApiOperation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly 'x-open-point'?: boolean;
  }[];
  readonly requestBody?: { readonly required: boolean };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly content?: Readonly<Record<string, { readonly schema: object }>>;
        readonly headers: object;
        readonly description: string;
      }
    >
  >;
  readonly security: readonly object[];
}

/**
 * Every answer carries the rate limit, has a documented status, and a body of the documented shape with no field beside
 * it.
 */
function createContractCheck(
  document: OpenApi,
): (method: string, path: string, response: Response, text: string) => void {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    formats: { 'date-time': (value: string) => value === new Date(value).toISOString(), binary: true },
  });
  ajv.addSchema({ $id: 'document', components: closed(document.components) });
  const compiled = new Map<string, ReturnType<typeof ajv.compile>>();

  return (method, path, response, text) => {
    const what = `${method} ${path} -> ${response.status} ${text.slice(0, 300)}`;
    expect(response.headers.get('ratelimit-policy'), what).toMatch(/^"default";q=\d+;w=60$/);
    expect(response.headers.get('ratelimit'), what).toMatch(/^"default";r=\d+;t=\d+$/);
    if (text !== '' && response.status >= 400 && response.headers.get('content-type')?.startsWith('application/json')) {
      const validate = (compiled.get('Error') ??
        compiled.set('Error', ajv.compile({ $ref: 'document#/components/schemas/Error' })).get('Error'))!;
      expect(validate(JSON.parse(text)), `${what} ${JSON.stringify(validate.errors)}`).toBe(true);
    }
    const segments = path.split('?')[0]!.split('/');
    const route = Object.keys(document.paths).find((pattern) => {
      const parts = pattern.split('/');
      return (
        parts.length === segments.length &&
        parts.every((part, index) => part === segments[index] || (part.startsWith('{') && segments[index] !== 'import'))
      );
    });
    const operation = route === undefined ? undefined : document.paths[route]?.[method.toLowerCase()];
    if (operation === undefined) return;
    const documented = operation.responses[String(response.status)];
    expect(documented, `${what} is documented`).toBeDefined();
    const schema = documented?.content?.['application/json']?.schema;
    if (schema === undefined || text === '') return;
    const name = `${operation.operationId} ${response.status}`;
    const validate = compiled.get(name) ?? ajv.compile(closed(prefixed(schema)) as object);
    compiled.set(name, validate);
    expect(validate(JSON.parse(text)), `${what} ${JSON.stringify(validate.errors)}`).toBe(true);
  };
}
