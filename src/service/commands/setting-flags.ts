import { Option, type Command } from 'commander';
import { readSettings, settings, type ReadSetting, type Setting, type SettingName } from '../rules/settings/config.ts';

/** Settings of commands that only use the service's database. */
export const storageSettings: readonly SettingName[] = ['data', 'databaseUrl', 'databaseOwnerUrl'];

/** Settings that say where objects are, besides the data folder. */
export const bucketSettings: readonly SettingName[] = [
  's3Bucket',
  's3Prefix',
  's3Endpoint',
  's3Region',
  's3AccessKeyId',
  's3SecretAccessKey',
];

/** Adds a flag per setting, with its environment variable and default in the help. */
export function addSettingFlags(
  command: Command,
  names: readonly SettingName[] = Object.keys(settings) as SettingName[],
): Command {
  for (const name of names) {
    const setting: Setting = settings[name];
    const kind =
      setting.kind === 'choice'
        ? (setting.choices ?? []).join('|')
        : setting.kind === 'boolean'
          ? 'true|false'
          : setting.kind === 'secret'
            ? setting.flag.endsWith('url')
              ? 'url'
              : 'text'
            : setting.kind === 'prices'
              ? 'json'
              : setting.kind;
    const fallback = setting.default === null ? '' : `; default: ${setting.default}`;
    command.addOption(new Option(`--${setting.flag} <${kind}>`, `${setting.description} (${setting.env}${fallback})`));
  }
  return command;
}

/** The settings from flags, environment and defaults. */
export function settingsOf(
  command: Command,
  env: Readonly<Record<string, string | undefined>> = process.env,
): readonly ReadSetting[] {
  const given = command.opts<Record<string, string | undefined>>();
  const flags: Partial<Record<SettingName, string>> = {};
  for (const name of Object.keys(settings) as SettingName[]) {
    const value = given[camelCase(settings[name].flag)];
    if (value !== undefined) flags[name] = value;
  }
  return readSettings(env, flags);
}

const camelCase = (flag: string): string => flag.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
