import { realpathSync } from 'node:fs';
import { isIP } from 'node:net';
import { basename, dirname, join, resolve } from 'node:path';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { usableCores, usableMemoryBytes } from '../../../library/core/machine/machine.ts';
import { shownName, unknownName } from '../../../library/core/checks/names.ts';
import { readNumber } from '../../../library/core/checks/read-number.ts';
import { badValue } from '../../../library/core/checks/schema.ts';
import { serviceRestBytes, shareOut } from '../../../library/core/machine/sizing.ts';
import { toolIds, type ToolId } from '../../../library/contract/tool-ids.ts';
import type { Setting } from './setting.ts';
import { settings } from './settings.ts';

export { type Setting, settings };

/** Name of a setting in `Config`, such as "jobSlots". */
export type SettingName = keyof typeof settings;

/** The type of a setting's value, from its declaration. */
type ValueOf<Declared extends Setting> = Declared extends { readonly choices: readonly (infer Choice)[] }
  ? Choice
  : Declared['kind'] extends 'integer' | 'number'
    ? number
    : Declared['kind'] extends 'boolean'
      ? boolean
      : Declared['kind'] extends 'prices'
        ? Readonly<Partial<Record<ToolId, number>>>
        : string;

/** Sized for the machine where they are unset. */
type Sized = 'cores' | 'memoryBytes' | 'jobSlots' | 'jobMemoryBytes';

/**
 * The settings with their types, validated and frozen. `settings` says of each what it means, its unit, range and
 * default; null: unset. Of the texts, `data` and `modelsDir` are absolute paths, `data` without symbolic links, host
 * names are in lower case, addresses have no trailing slash, and lists have no spaces.
 */
export type Config = {
  readonly [Name in keyof typeof settings]:
    | ValueOf<(typeof settings)[Name]>
    | ((typeof settings)[Name]['default'] extends null ? (Name extends Sized ? never : null) : never);
};

export interface ReadSetting {
  readonly name: SettingName;
  readonly value: string | null;
  readonly source: 'flag' | 'environment' | 'default';
}

/**
 * All settings with their sources: a flag wins over the environment, the environment over the default. An empty string
 * in the environment counts as unset.
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

/** Fills in the settings that depend on the machine: cores, memory, and the jobs' shares. */
function sizedForMachine(read: readonly ReadSetting[]): readonly ReadSetting[] {
  const given = (name: SettingName): number | undefined => {
    const text = read.find((each) => each.name === name)?.value ?? null;
    if (text === null) return undefined;
    const value = Number(text);
    // `parse` reports invalid values.
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
  const data = realFolder(resolve(values.data));
  return Object.freeze({
    ...values,
    data,
    modelsDir: values.modelsDir === null ? null : resolve(values.modelsDir),
    baseUrl: values.baseUrl === null ? null : checkUrl('baseUrl', values.baseUrl),
    legacyHost: values.legacyHost === null ? null : checkHostName('legacyHost', values.legacyHost),
    corsOrigins: values.corsOrigins === null ? null : checkOrigins('corsOrigins', values.corsOrigins),
    stripeUrl: checkUrl('stripeUrl', values.stripeUrl),
    s3Endpoint: values.s3Endpoint === null ? null : checkUrl('s3Endpoint', values.s3Endpoint),
    s3PublicEndpoint: values.s3PublicEndpoint === null ? null : checkUrl('s3PublicEndpoint', values.s3PublicEndpoint),
    s3Prefix: values.s3Prefix === null ? null : checkPrefix(values.s3Prefix),
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
 * Settings from values, for embedders without a command line. Validated in the same way; the others have their
 * defaults.
 * @throws EarshotError bad_request naming the setting's variable and flag, what was expected and what came
 */
export function configFrom(given: Partial<Config>): Config {
  const unknown = Object.keys(given).find((name) => !(name in settings));
  if (unknown !== undefined) throw unknownName(unknown, 'the settings', Object.keys(settings), 'setting');
  const asText = (value: string | number | boolean | object): string =>
    typeof value === 'object' ? JSON.stringify(value) : String(value);
  const read = (Object.keys(settings) as SettingName[]).map((name): ReadSetting => {
    const value = given[name];
    // Every setting that may be null is null by default.
    return {
      name,
      value: value === undefined || value === null ? settings[name].default : asText(value),
      source: 'flag',
    };
  });
  return parseConfig(sizedForMachine(read));
}

/**
 * The folder without symbolic links. Anyone who names one folder in two ways means one database: its socket is found by
 * its
 * path. What does not exist yet is under the nearest folder that does.
 */
function realFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realFolder(parent), basename(path));
  }
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
  const { kind } = setting;
  if (kind === 'integer' || kind === 'number') return readNumber(setting.env, text, { ...setting, kind }, place);
  return setting.kind === 'prices' ? parsePrices(text, place) : text;
}

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
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw badValue(setting.env, 'http or https address', text, `${setting.env} (--${setting.flag})`);
  return url.href.replace(/\/$/, '');
}

/** Normalised as in the Origin header. */
function checkOrigins(name: SettingName, text: string): string {
  const { env, flag } = settings[name];
  if (text.trim() === '*') return '*';
  return text
    .split(',')
    .map((each) => {
      const given = each.trim();
      const url = URL.parse(given);
      const isOrigin = url !== null && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href;
      if (isOrigin && !given.includes('*')) return url.origin;
      throw badValue(env, 'origins such as https://app.example.org, or *', given, `${env} (--${flag})`);
    })
    .join(',');
}

/** A host name without a port. */
function checkHostName(name: SettingName, text: string): string {
  const { env, flag } = settings[name];
  if (/^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/i.test(text)) return text.toLowerCase();
  throw badValue(env, 'host name without a port', text, `${env} (--${flag})`);
}

/** A folder of object keys, without a slash at its ends. */
function checkPrefix(text: string): string {
  const { env, flag } = settings.s3Prefix;
  const bare = text.replace(/\/$/, '');
  if (bare.length <= 200 && bare.split('/').every((part) => /^[\w-][\w.-]*$/.test(part))) return bare;
  throw badValue(env, "letters, digits, '-', '_' and '.', with '/' between folders", text, `${env} (--${flag})`);
}

/** Addresses and networks, separated by commas. */
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
