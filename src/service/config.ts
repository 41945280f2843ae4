import { cpus } from 'node:os';
import { resolve } from 'node:path';
import { EarshotError } from '../core/errors.ts';
import { badValue } from '../core/schema.ts';
import { toolIds, type ToolId } from '../contract/tool-ids.ts';

/**
 * Everything an operator can set, in one table: environment variable, flag, kind, default, meaning. `earshot config`
 * prints it, `earshot serve --help` and the README list it, and it is read once, validated, and frozen.
 */
export interface Setting {
  /** Name of the environment variable. */
  readonly env: string;
  /** Flag of `earshot serve`, without the dashes. */
  readonly flag: string;
  readonly kind: 'text' | 'integer' | 'number' | 'choice' | 'boolean' | 'prices' | 'secret';
  /** The values that a setting of kind 'choice' takes; absent for every other kind. */
  readonly choices?: readonly string[];
  /** Smallest number, in the setting's own unit; absent: no limit. */
  readonly minimum?: number;
  /** Largest number, in the setting's own unit; absent: no limit. */
  readonly maximum?: number;
  /** As it would stand in the environment; null: unset. */
  readonly default: string | null;
  /** One line with the unit, for help and for the README. */
  readonly description: string;
}

const mebibyte = 1024 * 1024;

/** Every setting of the service by name, with its environment variable, flag, kind, default and meaning. */
export const settings = {
  data: {
    env: 'EARSHOT_DATA',
    flag: 'data',
    kind: 'text',
    default: './data',
    description: 'Folder that holds everything: database, files, work in progress',
  },
  role: {
    env: 'EARSHOT_ROLE',
    flag: 'role',
    kind: 'choice',
    choices: ['all', 'api', 'worker'],
    default: 'all',
    description: 'What this machine does: all, only the API, or only the jobs',
  },
  host: {
    env: 'EARSHOT_HOST',
    flag: 'host',
    kind: 'text',
    default: '127.0.0.1',
    description: 'Address to listen on; 0.0.0.0 for every network',
  },
  port: {
    env: 'EARSHOT_PORT',
    flag: 'port',
    kind: 'integer',
    minimum: 0,
    maximum: 65535,
    default: '3000',
    description: 'Port to listen on; 0 picks a free one',
  },
  baseUrl: {
    env: 'EARSHOT_BASE_URL',
    flag: 'base-url',
    kind: 'text',
    default: null,
    description: 'Address that clients see, for links in answers. Default: http://<host>:<port>',
  },
  databaseUrl: {
    env: 'DATABASE_URL',
    flag: 'database-url',
    kind: 'secret',
    default: null,
    description: 'PostgreSQL to use. Default: one of our own in the data folder',
  },
  trustProxy: {
    env: 'EARSHOT_TRUST_PROXY',
    flag: 'trust-proxy',
    kind: 'boolean',
    default: 'false',
    description: "Take the client's address from X-Forwarded-For; only behind a proxy that sets it",
  },
  jobSlots: {
    env: 'EARSHOT_JOB_SLOTS',
    flag: 'job-slots',
    kind: 'integer',
    minimum: 1,
    maximum: 256,
    default: String(Math.max(1, cpus().length)),
    description: 'Jobs at the same time, each in a process of its own',
  },
  jobMemoryBytes: {
    env: 'EARSHOT_JOB_MEMORY_BYTES',
    flag: 'job-memory-bytes',
    kind: 'integer',
    minimum: 64 * mebibyte,
    default: String(2048 * mebibyte),
    description: 'Memory that one job may use',
  },
  jobSeconds: {
    env: 'EARSHOT_JOB_SECONDS',
    flag: 'job-seconds',
    kind: 'number',
    minimum: 1,
    default: '21600',
    description: 'Time that one job may take',
  },
  jobAttempts: {
    env: 'EARSHOT_JOB_ATTEMPTS',
    flag: 'job-attempts',
    kind: 'integer',
    minimum: 1,
    maximum: 10,
    default: '3',
    description: 'Starts of a job whose process keeps dying, before it fails',
  },
  graceSeconds: {
    env: 'EARSHOT_GRACE_SECONDS',
    flag: 'grace-seconds',
    kind: 'number',
    minimum: 0,
    default: '10',
    description: 'Time that running jobs get to finish when the service is stopped; then they go back to the queue',
  },
  maxFileBytes: {
    env: 'EARSHOT_MAX_FILE_BYTES',
    flag: 'max-file-bytes',
    kind: 'integer',
    minimum: 1,
    default: String(5 * 1024 * mebibyte),
    description: 'Largest file',
  },
  maxSeconds: {
    env: 'EARSHOT_MAX_SECONDS',
    flag: 'max-seconds',
    kind: 'number',
    minimum: 1,
    default: '36000',
    description: 'Longest file',
  },
  singlePutBytes: {
    env: 'EARSHOT_SINGLE_PUT_BYTES',
    flag: 'single-put-bytes',
    kind: 'integer',
    minimum: 1,
    maximum: 100 * mebibyte,
    default: String(100 * mebibyte),
    description: 'Largest upload in one PUT',
  },
  partBytes: {
    env: 'EARSHOT_PART_BYTES',
    flag: 'part-bytes',
    kind: 'integer',
    minimum: 5 * mebibyte,
    maximum: 100 * mebibyte,
    default: String(16 * mebibyte),
    description: 'Size of the parts of a multipart upload',
  },
  uploadSeconds: {
    env: 'EARSHOT_UPLOAD_SECONDS',
    flag: 'upload-seconds',
    kind: 'number',
    minimum: 60,
    default: '21600',
    description: 'How long an upload link works',
  },
  retentionSeconds: {
    env: 'EARSHOT_RETENTION_SECONDS',
    flag: 'retention-seconds',
    kind: 'number',
    minimum: 1,
    default: '86400',
    description: 'Files are deleted this long after their creation',
  },
  downloadSeconds: {
    env: 'EARSHOT_DOWNLOAD_SECONDS',
    flag: 'download-seconds',
    kind: 'number',
    minimum: 1,
    default: '900',
    description: 'How long a download link works',
  },
  importSeconds: {
    env: 'EARSHOT_IMPORT_SECONDS',
    flag: 'import-seconds',
    kind: 'number',
    minimum: 1,
    default: '1800',
    description: 'Longest fetch of one link',
  },
  accountUploads: {
    env: 'EARSHOT_ACCOUNT_UPLOADS',
    flag: 'account-uploads',
    kind: 'integer',
    minimum: 1,
    default: '4',
    description: 'Uploads of one account that may arrive at the same time',
  },
  rateLimitAccount: {
    env: 'EARSHOT_RATE_LIMIT_ACCOUNT',
    flag: 'rate-limit-account',
    kind: 'integer',
    minimum: 1,
    default: '600',
    description: 'Requests a minute for one account',
  },
  rateLimitAddress: {
    env: 'EARSHOT_RATE_LIMIT_ADDRESS',
    flag: 'rate-limit-address',
    kind: 'integer',
    minimum: 1,
    default: '120',
    description: 'Requests a minute for one address without credentials',
  },
  freeVariant: {
    env: 'EARSHOT_FREE_VARIANT',
    flag: 'free-variant',
    kind: 'choice',
    choices: ['a', 'b'],
    default: 'a',
    description: 'Which published table of free allowances applies',
  },
  freeEnabled: {
    env: 'EARSHOT_FREE',
    flag: 'free',
    kind: 'boolean',
    default: 'true',
    description: 'Is there a free tier?',
  },
  prices: {
    env: 'EARSHOT_PRICES',
    flag: 'prices',
    kind: 'prices',
    default: '{}',
    description:
      'Credits per minute by tool, as JSON: {"remove_noise": 3}. Tools that are not named keep their default',
  },
  firstCredits: {
    env: 'EARSHOT_FIRST_CREDITS',
    flag: 'first-credits',
    kind: 'integer',
    minimum: 0,
    default: '1000',
    description: 'Credits of the account that a first start makes',
  },
  oauthIssuer: {
    env: 'EARSHOT_OAUTH_ISSUER',
    flag: 'oauth-issuer',
    kind: 'text',
    default: null,
    description: 'Issuer of OAuth access tokens to accept',
  },
  oauthJwksUrl: {
    env: 'EARSHOT_OAUTH_JWKS_URL',
    flag: 'oauth-jwks-url',
    kind: 'text',
    default: null,
    description: "Where the issuer's keys are. Default: <issuer>/.well-known/jwks.json",
  },
  oauthAudience: {
    env: 'EARSHOT_OAUTH_AUDIENCE',
    flag: 'oauth-audience',
    kind: 'text',
    default: null,
    description: 'Audience that access tokens must carry. Default: any',
  },
  modelsDir: {
    env: 'EARSHOT_MODELS',
    flag: 'models',
    kind: 'text',
    default: null,
    description: 'Folder of installed models. Default: where earshot models install puts them',
  },
  logLevel: {
    env: 'EARSHOT_LOG_LEVEL',
    flag: 'log-level',
    kind: 'choice',
    choices: ['silent', 'error', 'warn', 'info', 'debug'],
    default: 'info',
    description: 'What is logged, as JSON lines on standard error',
  },
} as const satisfies Record<string, Setting>;

/** Name of a setting in `Config`, such as "jobSlots". */
export type SettingName = keyof typeof settings;

/** The settings with their types, validated and frozen. */
export interface Config {
  /** Folder of everything that is kept; an absolute path. */
  readonly data: string;
  readonly role: 'all' | 'api' | 'worker';
  /** Address to listen on. */
  readonly host: string;
  /** TCP port, 0 to 65535; 0 takes a free one. */
  readonly port: number;
  /** The public address that links start with; null: taken from each request. */
  readonly baseUrl: string | null;
  /** Of a PostgreSQL elsewhere; null: the embedded one, in `data`. */
  readonly databaseUrl: string | null;
  /** Does the client's address come from X-Forwarded-For? */
  readonly trustProxy: boolean;
  /** Jobs of media that run at the same time, at least 1. */
  readonly jobSlots: number;
  readonly jobMemoryBytes: number;
  readonly jobSeconds: number;
  /** How many times a job is started at most before it fails for good. */
  readonly jobAttempts: number;
  readonly graceSeconds: number;
  readonly maxFileBytes: number;
  readonly maxSeconds: number;
  readonly singlePutBytes: number;
  readonly partBytes: number;
  readonly uploadSeconds: number;
  readonly retentionSeconds: number;
  readonly downloadSeconds: number;
  readonly importSeconds: number;
  /** How many uploads of one account may be under way at the same time. */
  readonly accountUploads: number;
  readonly rateLimitAccount: number;
  /** Requests a minute for one address without credentials. */
  readonly rateLimitAddress: number;
  readonly freeVariant: 'a' | 'b';
  /** May tools be used without credits, within their allowances? */
  readonly freeEnabled: boolean;
  readonly prices: Readonly<Partial<Record<ToolId, number>>>;
  readonly firstCredits: number;
  /** Issuer of the access tokens that are taken; null: no sign-in by OAuth. */
  readonly oauthIssuer: string | null;
  /** Where the issuer's public keys are; null: no sign-in by OAuth. */
  readonly oauthJwksUrl: string | null;
  /** The audience that a token must name; null: no sign-in by OAuth. */
  readonly oauthAudience: string | null;
  /** Absolute; null: the models' own default place. */
  readonly modelsDir: string | null;
  readonly logLevel: 'silent' | 'error' | 'warn' | 'info' | 'debug';
}

export interface ReadSetting {
  readonly name: SettingName;
  readonly value: string | null;
  readonly source: 'flag' | 'environment' | 'default';
}

/**
 * Where each value comes from: a flag wins over the environment, the environment over the default. An empty text counts
 * as not given.
 * @param flags by setting name
 */
export function readSettings(
  env: Readonly<Record<string, string | undefined>>,
  flags: Readonly<Partial<Record<SettingName, string>>> = {},
): readonly ReadSetting[] {
  return (Object.keys(settings) as SettingName[]).map((name) => {
    const flag = flags[name];
    if (flag !== undefined) return { name, value: flag, source: 'flag' };
    const set = env[settings[name].env];
    if (set !== undefined && set !== '') return { name, value: set, source: 'environment' };
    return { name, value: settings[name].default, source: 'default' };
  });
}

/** @throws EarshotError bad_request naming the variable and the flag, what was expected and what came */
export function parseConfig(read: readonly ReadSetting[]): Config {
  const values = Object.fromEntries(
    read.map(({ name, value }) => [name, value === null ? null : parse(name, value)]),
  ) as unknown as Config;
  const data = resolve(values.data);
  return Object.freeze({
    ...values,
    data,
    modelsDir: values.modelsDir === null ? null : resolve(values.modelsDir),
    baseUrl: values.baseUrl === null ? null : checkUrl('baseUrl', values.baseUrl),
  });
}

/**
 * Reads, checks and freezes all settings: a flag wins over the environment, the environment over the default.
 * @param flags by setting name; default: none
 * @throws EarshotError bad_request naming the variable and the flag, what was expected and what came
 */
export function loadConfig(
  env: Readonly<Record<string, string | undefined>> = process.env,
  flags: Readonly<Partial<Record<SettingName, string>>> = {},
): Config {
  return parseConfig(readSettings(env, flags));
}

function parse(name: SettingName, text: string): unknown {
  const setting: Setting = settings[name];
  const place = `${setting.env} (--${setting.flag})`;
  const refuse = (expected: string): EarshotError =>
    badValue(setting.env, expected, setting.kind === 'secret' ? 'something else' : text, place);
  if (setting.kind === 'choice' && !setting.choices?.includes(text))
    throw refuse(`one of ${setting.choices?.join(', ')}`);
  if (setting.kind === 'boolean') {
    if (['true', '1', 'yes', 'on'].includes(text)) return true;
    if (['false', '0', 'no', 'off'].includes(text)) return false;
    throw refuse('true or false');
  }
  if (setting.kind === 'integer' || setting.kind === 'number') {
    const value = text.trim() === '' ? NaN : Number(text);
    const { minimum = -Infinity, maximum = Infinity } = setting;
    const whole = setting.kind === 'number' || Number.isSafeInteger(value);
    if (!Number.isFinite(value) || !whole || value < minimum || value > maximum)
      throw refuse(`${setting.kind} ${describeRange(minimum, maximum)}`);
    return value;
  }
  return setting.kind === 'prices' ? parsePrices(text, place) : text;
}

const describeRange = (minimum: number, maximum: number): string =>
  maximum === Infinity ? `of at least ${minimum}` : `between ${minimum} and ${maximum}`;

function parsePrices(text: string, place: string): Readonly<Record<string, number>> {
  const expected = 'JSON object of whole credits per minute by tool';
  let prices: unknown;
  try {
    prices = JSON.parse(text);
  } catch {
    throw badValue('EARSHOT_PRICES', expected, text, place);
  }
  if (typeof prices !== 'object' || prices === null || Array.isArray(prices))
    throw badValue('EARSHOT_PRICES', expected, text, place);
  for (const [tool, price] of Object.entries(prices)) {
    if (!(toolIds as readonly string[]).includes(tool))
      throw new EarshotError(
        'bad_request',
        `Unknown tool ${tool} in ${place}; expected names among ${toolIds.join(', ')}`,
        { details: { field: 'EARSHOT_PRICES', received: tool } },
      );
    if (!Number.isSafeInteger(price) || (price as number) < 0 || (price as number) > 1_000_000)
      throw badValue('EARSHOT_PRICES', 'integer between 0 and 1000000', price, `${tool} in ${place}`);
  }
  return Object.freeze(prices as Record<string, number>);
}

function checkUrl(name: SettingName, text: string): string {
  const setting = settings[name];
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw badValue(setting.env, 'http or https address', text, `${setting.env} (--${setting.flag})`);
  return url.href.replace(/\/$/, '');
}
