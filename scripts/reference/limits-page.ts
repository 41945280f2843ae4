// docs/reference/limits.md: bounds of sizes, lengths, rates, times and counts, each read where it holds.
import { tools } from '../../src/library/tools/registry.ts';
import type { InputRole } from '../../src/library/contract/tool-inputs.ts';
import { mostChannels, mostSampleRate } from '../../src/library/media/ffmpeg/sound-decoder.ts';
import { outputFormats } from '../../src/library/media/formats.ts';
import { longestSilenceSeconds } from '../../src/library/runtime/files/fifo-source.ts';
import { defaultMaxSpooledBytes } from '../../src/library/runtime/files/spooled-inputs.ts';
import { mostWaitSeconds as longestLocalCall } from '../../src/cli/mcp/jobs/local-jobs.ts';
import { mostWaitSeconds as longestMcpWait } from '../../src/service/http/mcp/calls/waiting.ts';
import { accessTokenSeconds } from '../../src/service/adapters/oauth/signing-keys.ts';
import { offerOf } from '../../src/service/offers/offers.ts';
import { mostTranscriptBytes } from '../../src/service/rules/files/transcript-file.ts';
import type { SettingName } from '../../src/service/rules/settings/config.ts';
import type { Setting } from '../../src/service/rules/settings/setting.ts';
import { settings as declared } from '../../src/service/rules/settings/settings.ts';
import { code, madeBy, table } from './markdown.ts';

const settings: Readonly<Record<SettingName, Setting>> = declared;

/** Settings that bound what people send, keep or wait for, in the order of the table. */
const limits: Readonly<Record<string, readonly SettingName[]>> = {
  Files: ['maxFileBytes', 'maxSeconds', 'singlePutBytes', 'partBytes', 'freeRequestBytes'],
  'How long links, files and records last': [
    'uploadSeconds',
    'downloadSeconds',
    'retentionSeconds',
    'freeRetentionSeconds',
    'projectDays',
    'projectBytes',
    'jobRowDays',
    'idempotencyDays',
  ],
  Accounts: [
    'accountUploads',
    'addressUploads',
    'accountBytes',
    'accountFiles',
    'accountJobs',
    'accountRunningJobs',
    'accountSockets',
    'accountRealtimeSessions',
    'realtimeSessions',
    'realtimeSeconds',
    'realtimeIdleSeconds',
    'realtimeBufferBytes',
    'realtimeAppendBytes',
    'previewsPerDay',
    'rateLimitAccount',
    'rateLimitAddress',
  ],
  'Free runs': ['freeBudgetSeconds', 'freeWaiting'],
  Timeouts: ['freeWaitSeconds', 'importSeconds', 'jobSeconds', 'runnerLeaseSeconds', 'silentSeconds', 'graceSeconds'],
  'One job': ['jobMemoryBytes', 'jobAttempts'],
  Sessions: ['sessionDays', 'freshSignInMinutes', 'tokenKeyDays'],
};
/** Numbers that bound nothing of a user's: where it listens, how the machine is shared, money. */
const noLimits = new Set<string>([
  'port',
  'legacyPort',
  'metricsPort',
  'cores',
  'memoryBytes',
  'jobSlots',
  'freeSlots',
  'paidSlots',
  'jobReuse',
  'jobTimeFactor',
  's3CacheBytes',
  'runnerJobs',
  'diskReserveBytes',
  'mcpAskCredits',
  'firstCredits',
  'minimumPaymentCents',
]);

const inUnits = (value: number, units: readonly (readonly [size: number, name: string])[]): string => {
  const [size, name] = units.find(([each]) => value >= each && Number.isInteger((value / each) * 10)) ?? [1, ''];
  return `${value / size} ${name}`.trim();
};
const bytes = (value: number): string =>
  inUnits(value, [
    [2 ** 30, 'GiB'],
    [2 ** 20, 'MiB'],
    [1e9, 'GB'],
    [1024, 'KiB'],
    [1, 'bytes'],
  ]);
const seconds = (value: number): string =>
  inUnits(value, [
    [86_400, 'days'],
    [3600, 'h'],
    [60, 'min'],
    [1, 's'],
  ]).replace(/^1 days$/, '1 day');

/** The unit of a setting is in its name. */
function valueOf(name: SettingName): string {
  const { default: preset, description } = settings[name];
  if (preset === null) return /Default: (.*)/.exec(description)?.[1] ?? 'none';
  const value = Number(preset);
  if (name.endsWith('Bytes')) return bytes(value);
  if (name.endsWith('Seconds')) return seconds(value);
  if (name.endsWith('Days')) return `${value} days`;
  return name.endsWith('Minutes') ? `${value} min` : String(value);
}

const rates = ({ sampleRates, sampleRateRange: range }: (typeof outputFormats)[keyof typeof outputFormats]): string =>
  range !== undefined
    ? `${range[0]} to ${range[1]} Hz`
    : sampleRates.length === 0
      ? 'any'
      : `${sampleRates.join(', ')} Hz`;

const windowOf = (length: number | null): string => (length === null ? 'whole' : seconds(length));

/** @throws Error where a number of the settings is neither in the table nor named as no limit */
export function limitsPage(): string {
  const named = new Set<string>(Object.values(limits).flat());
  for (const [name, { kind }] of Object.entries(settings))
    if ((kind === 'integer' || kind === 'number') && named.has(name) === noLimits.has(name))
      throw new Error(`Expected the setting ${name} in one list of scripts/reference/limits-page.ts`);
  const rows = Object.entries(limits).flatMap(([group, names]) =>
    names.map((name, index) => {
      const { env, description } = settings[name];
      return [index === 0 ? `**${group}**` : '', description.replace(/\.? Default: .*/, ''), valueOf(name), code(env)];
    }),
  );
  const texts = Object.values(tools.flatMap(({ inputs }) => Object.values(inputs) as InputRole[])).flatMap((role) =>
    role.kind === 'text' && role.maxBytes !== null ? [role.maxBytes] : [],
  );
  const fixed = [
    ['A recording: sample rate, channels', `${mostSampleRate} Hz, ${mostChannels} channels`],
    ['A recording, in the library and on the command line: length, size', 'none but the disk'],
    ['A script, a list of captions or words', `${bytes(Math.min(...texts))} to ${bytes(Math.max(...texts))}, by tool`],
    ['A transcript that is read back', bytes(mostTranscriptBytes)],
    ['Bytes and streams as input, standard input (`maxSpooledBytes`)', bytes(defaultMaxSpooledBytes)],
    ['Standard input, a FIFO: without a byte', seconds(longestSilenceSeconds)],
    ['`?wait=` of REST, waiting calls of `/mcp`', seconds(longestMcpWait)],
    ['A call of `earshot mcp`, before it becomes a job', seconds(longestLocalCall)],
    ['An access token of the service', seconds(accessTokenSeconds)],
  ];
  const several = tools.flatMap(({ id, inputs }) =>
    Object.entries(inputs).flatMap(([name, role]: [string, InputRole]) =>
      role.multiple ? [[code(id), code(name), `${role.minGiven} to ${role.max}`]] : [],
    ),
  );
  return [
    madeBy(
      'Limits',
      'What is refused beyond, in one place; made from the code in which each holds. Ranges of options: ' +
        '[tools.md](tools.md). What exceeds a limit is refused with `file_too_large`, `file_too_long`, `limit_exceeded`, ' +
        '`upload_limit_reached`, `rate_limited` or `free_limit_reached` ([errors.md](errors.md)).',
    ),
    '## The service\n\nDefaults, which the operator sets (`earshot config` shows those in force); the website, REST, the free API and assistants share them.',
    table(['', 'Limit', 'Default', 'Setting'], rows),
    '## Free runs a day\n\nThe first part of a file, and how often, by `EARSHOT_FREE_VARIANT`.',
    table(
      ['Tool', 'Variant a', 'Variant b'],
      tools.map(({ id }) => {
        const { free } = offerOf(id);
        return [code(id), ...[free.a, free.b].map((each) => `${windowOf(each.seconds)}, ${each.dailyUses} times`)];
      }),
    ),
    '## Everywhere',
    table(['Limit', 'Value'], fixed),
    '## Several files of one run',
    table(['Tool', 'Input', 'Files'], several),
    '## Formats that are written',
    table(
      ['Format', 'Channels', 'Sample rates'],
      Object.values(outputFormats).map((format) => [code(format.id), `up to ${format.maxChannels}`, rates(format)]),
    ),
    'Everything else is converted on the way, with the warning `sample_rate_changed` or `channels_reduced`.',
    '',
  ].join('\n\n');
}
