import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { EarshotError } from '../../library/core/errors.ts';
import { usableCores, usableMemoryBytes } from '../../library/core/machine.ts';
import { shownName, unknownName } from '../../library/core/names.ts';
import { badValue } from '../../library/core/schema.ts';
import { serviceRestBytes, shareOut } from '../../library/core/sizing.ts';
import { toolIds, type ToolId } from '../../library/contract/tool-ids.ts';
import type { Setting } from './setting.ts';
import { settings } from './settings.ts';

export { type Setting, settings };

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
  /** Host name that the older API answers under, in lower case; null: none. */
  readonly legacyHost: string | null;
  /** TCP port of the older API alone, 0 to 65535; null: it has none of its own. */
  readonly legacyPort: number | null;
  /** What opens a result of the older API: the token in its path, or a key. */
  readonly legacyDownloads: 'link' | 'key';
  /** The public address that links start with; null: taken from each request. */
  readonly baseUrl: string | null;
  /** Origins whose pages may read answers, as browsers write them, with commas between, or "*"; null: none. */
  readonly corsOrigins: string | null;
  /** Of a PostgreSQL elsewhere; null: the embedded one, in `data`. */
  readonly databaseUrl: string | null;
  /** By the role that owns the tables; null: `databaseUrl` is that role's, or there is none. */
  readonly databaseOwnerUrl: string | null;
  /** Does the client's address come from X-Forwarded-For? */
  readonly trustProxy: boolean;
  /** Addresses and networks whose X-Forwarded-For is believed, with commas between; null: see `trustProxy`. */
  readonly trustedProxies: string | null;
  /** Cores that jobs share out, at least 1. */
  readonly cores: number;
  /** Memory that the whole service plans with, in bytes. */
  readonly memoryBytes: number;
  /** Jobs of media that run at the same time, at least 1. */
  readonly jobSlots: number;
  /** How many runs of one account a job process does, at least 1. */
  readonly jobReuse: number;
  readonly jobMemoryBytes: number;
  readonly jobSeconds: number;
  /** How many times longer than on one quiet core a job may take, at least 1. */
  readonly jobTimeFactor: number;
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
  /** Days after its end that a job's row is deleted, at least 2. */
  readonly jobRowDays: number;
  /** Days that a job's idempotency key is remembered, at least 1. */
  readonly idempotencyDays: number;
  /** What GET /metrics asks for; null: the API has none. */
  readonly metricsToken: string | null;
  /** TCP port of /metrics alone, 0 to 65535; null: it has none. */
  readonly metricsPort: number | null;
  /** Address that `metricsPort` listens on. */
  readonly metricsHost: string;
  /** Days that one key signs links, at least 1. */
  readonly tokenKeyDays: number;
  readonly importSeconds: number;
  /** How many uploads of one account may be under way at the same time. */
  readonly accountUploads: number;
  /** Bytes of the disk that uploads leave free, at least 0. */
  readonly diskReserveBytes: number;
  /** Of uploads and outputs that one account may keep, at least 1. */
  readonly accountBytes: number;
  /** Files that one account may keep, at least 1. */
  readonly accountFiles: number;
  /** Jobs of one account that may wait or run, at least 1. */
  readonly accountJobs: number;
  /** How many websockets of one account may be open in one API process, at least 1. */
  readonly accountSockets: number;
  readonly rateLimitAccount: number;
  /** Requests a minute for one address without credentials. */
  readonly rateLimitAddress: number;
  readonly freeVariant: 'a' | 'b';
  /** May tools be used without credits, within their allowances? */
  readonly freeEnabled: boolean;
  /** Seconds of sound that all free runs of a UTC day may process together; null: no limit. */
  readonly freeBudgetSeconds: number | null;
  readonly freeWaitSeconds: number;
  readonly freeRetentionSeconds: number;
  readonly freeRequestBytes: number;
  /** Files of one address that may wait for a payment, in an hour; at least 0. */
  readonly freeWaiting: number;
  /** Uploads of one address without an account that may arrive at the same time, at least 1. */
  readonly addressUploads: number;
  readonly payments: 'none' | 'operator' | 'stripe';
  /** null: the finish page only names the payment. */
  readonly paymentInstructions: string | null;
  /** Least payment: US cents, at least 1. */
  readonly minimumPaymentCents: number;
  /** Secret key of Stripe's API; null: none, and payments are not Stripe's. */
  readonly stripeKey: string | null;
  /** What Stripe signs its events with; null: none, and payments are not Stripe's. */
  readonly stripeWebhookSecret: string | null;
  /** Address of Stripe's API, without a slash at its end. */
  readonly stripeUrl: string;
  readonly prices: Readonly<Partial<Record<ToolId, number>>>;
  readonly firstCredits: number;
  /** Issuer of the access tokens that are taken; null: no sign-in by OAuth. */
  readonly oauthIssuer: string | null;
  /** Where the issuer's public keys are; null: no sign-in by OAuth. */
  readonly oauthJwksUrl: string | null;
  /** The audience that a token must name; null: no sign-in by OAuth. */
  readonly oauthAudience: string | null;
  /** The type in a token's head, such as "at+jwt". */
  readonly oauthTokenType: string;
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
  const read = (Object.keys(settings) as SettingName[]).map((name): ReadSetting => {
    const flag = flags[name];
    if (flag !== undefined) return { name, value: flag, source: 'flag' };
    const set = env[settings[name].env];
    if (set !== undefined && set !== '') return { name, value: set, source: 'environment' };
    return { name, value: settings[name].default, source: 'default' };
  });
  return sizedForMachine(read);
}

/** Fills in what follows from the machine: cores, memory, and how jobs share them. */
function sizedForMachine(read: readonly ReadSetting[]): readonly ReadSetting[] {
  const given = (name: SettingName): number | undefined => {
    const text = read.find((each) => each.name === name)?.value ?? null;
    if (text === null) return undefined;
    const value = Number(text);
    // What is wrong is said by name when it is parsed.
    return Number.isSafeInteger(value) && value > 0 ? value : 1;
  };
  const machine = {
    cores: given('cores') ?? usableCores({}),
    memoryBytes: given('memoryBytes') ?? usableMemoryBytes({}),
  };
  const jobMemoryBytes = given('jobMemoryBytes');
  const slots = given('jobSlots');
  const sizing = shareOut(machine, serviceRestBytes, {
    ...(slots === undefined ? {} : { slots }),
    ...(jobMemoryBytes === undefined ? {} : { jobMemoryBytes }),
  });
  const found: Partial<Record<SettingName, number>> = {
    ...machine,
    jobSlots: sizing.slots,
    jobMemoryBytes: sizing.jobMemoryBytes,
  };
  return read.map((each) => {
    const value = each.value === null ? found[each.name] : undefined;
    return value === undefined ? each : { ...each, value: String(value) };
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
    legacyHost: values.legacyHost === null ? null : checkHostName('legacyHost', values.legacyHost),
    corsOrigins: values.corsOrigins === null ? null : checkOrigins('corsOrigins', values.corsOrigins),
    stripeUrl: checkUrl('stripeUrl', values.stripeUrl),
    trustedProxies: values.trustedProxies === null ? null : checkNetworks('trustedProxies', values.trustedProxies),
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

/**
 * Settings as values, for whoever has no command line and reads no environment: checked like those, the rest by default.
 * @throws EarshotError bad_request naming the setting's variable and flag, what was expected and what came
 */
export function configFrom(given: Partial<Config>): Config {
  const unknown = Object.keys(given).find((name) => !(name in settings));
  if (unknown !== undefined) throw unknownName(unknown, 'the settings', Object.keys(settings), 'setting');
  const asText = (value: string | number | boolean | object): string =>
    typeof value === 'object' ? JSON.stringify(value) : String(value);
  const read = (Object.keys(settings) as SettingName[]).map((name): ReadSetting => {
    const value = given[name];
    // null stands for "none", which is what every setting that may be null has by default.
    return {
      name,
      value: value === undefined || value === null ? settings[name].default : asText(value),
      source: 'flag',
    };
  });
  return parseConfig(sizedForMachine(read));
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
        `Unknown tool ${shownName(tool)} in ${place}; expected names among ${toolIds.join(', ')}`,
        { details: { field: 'EARSHOT_PRICES', received: shownName(tool) } },
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

/** As browsers write them in the header Origin. */
function checkOrigins(name: SettingName, text: string): string {
  const { env, flag } = settings[name];
  if (text.trim() === '*') return '*';
  return text
    .split(',')
    .map((each) => {
      const given = each.trim();
      const url = URL.canParse(given) ? new URL(given) : null;
      const isOrigin = url !== null && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href;
      if (isOrigin && !given.includes('*')) return url.origin;
      throw badValue(env, 'origins such as https://app.example.org, or *', given, `${env} (--${flag})`);
    })
    .join(',');
}

/** A name alone, as the header Host has it in front of its port. */
function checkHostName(name: SettingName, text: string): string {
  const { env, flag } = settings[name];
  if (/^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/i.test(text)) return text.toLowerCase();
  throw badValue(env, 'host name without a port', text, `${env} (--${flag})`);
}

/** Addresses and networks with commas between, as they were given. */
function checkNetworks(name: SettingName, text: string): string {
  const setting = settings[name];
  for (const entry of text.split(',').map((each) => each.trim())) {
    const [address = '', prefix, ...more] = entry.split('/');
    const bits = { 4: 32, 6: 128 }[isIP(address)] ?? -1;
    const fits = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
    if (bits < 0 || !fits || more.length > 0)
      throw badValue(setting.env, 'IP addresses and networks', entry, `${setting.env} (--${setting.flag})`);
  }
  return text.replaceAll(/\s/g, '');
}
