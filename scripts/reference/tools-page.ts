// docs/reference/tools.md and docs/reference/errors.md, which has the warnings, too.
import { errorCatalogue, type ErrorCode } from '../../src/library/core/errors/errors.ts';
import { warningCatalogue } from '../../src/library/core/errors/warnings.ts';
import type { OptionSchema } from '../../src/library/core/checks/schema.ts';
import type { InputRole } from '../../src/library/contract/tool-inputs.ts';
import { boundStatus, statusByCode } from '../../src/service/http/server/errors.ts';
import type { AnyTool } from '../../src/library/tools/declare/define.ts';
import { interfaceOf } from '../../src/service/offers/interface-tool.ts';
import { offerOf } from '../../src/service/offers/offers.ts';
import { code, defaultOf, expected, fenced, madeBy, table } from './markdown.ts';

const optionsOf = (tool: AnyTool): OptionSchema => tool.options;

function countOf({ min, minGiven, max, multiple }: InputRole): string {
  if (!multiple) return min === 0 ? '0 or 1' : '1';
  return min === 0 ? `none, or ${minGiven} to ${max}` : `${minGiven} to ${max}`;
}

function kindOf({ kind, needs, extensions, maxBytes }: InputRole): string {
  if (kind === 'text') return `${extensions.map((each) => each.toUpperCase()).join(', ')}, at most ${maxBytes} bytes`;
  return {
    audio: 'with sound',
    video: 'with a picture',
    'audio+video': 'with sound and a picture',
    any: 'sound or picture',
  }[needs];
}

const windowOf = (seconds: number | null): string =>
  seconds === null ? 'the whole file' : seconds === 3600 ? 'the first hour' : `the first ${seconds / 60} min`;

function optionRows({ properties = {}, required = [] }: OptionSchema, prefix = ''): string[][] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const items = schema.items as OptionSchema | undefined;
    const inner = items?.type === 'object' ? optionRows(items, `${prefix}${name}[].`) : [];
    return [
      [
        code(prefix + name) + (required.includes(name) ? ' *' : ''),
        prefix === '' ? code(`--${name.replaceAll('_', '-')}`) : '',
        expected(schema),
        defaultOf(schema),
        schema.description ?? '',
      ],
      ...inner,
    ];
  });
}

function section(tool: AnyTool): string {
  const { id, slug, title, description, inputs, formats, examples } = tool;
  const { alwaysFree, creditsPerMinute, free } = offerOf(id);
  const { localFields } = interfaceOf(id);
  const rows = optionRows(optionsOf(tool));
  return [
    `## ${id}`,
    `**${title}**: ${description} On the command line: \`earshot ${slug}\`; free: \`POST /api/try/${slug}\`.`,
    table(
      ['Input', 'Files', 'Kind', 'Meaning'],
      Object.entries(inputs).map(([name, role]) => [code(name), countOf(role), kindOf(role), role.title]),
    ),
    ...(localFields.length === 0
      ? []
      : [`Only in the library and on the command line: ${localFields.map(code).join(', ')}.`]),
    rows.length === 0 ? 'It has no options.' : table(['Option', 'Flag', 'Value', 'Default', 'Meaning'], rows),
    ...(formats === undefined
      ? []
      : [`Outputs of text: ${formats.map(code).join(', ')}; the first is what the free API answers.`]),
    `Price: ${alwaysFree ? 'free' : `${creditsPerMinute} credit${creditsPerMinute === 1 ? '' : 's'} a minute`}. Free ` +
      `uses a day: ${free.a.dailyUses}, ${windowOf(free.a.seconds)} (variant a); ${free.b.dailyUses}, ` +
      `${windowOf(free.b.seconds)} (variant b).`,
    fenced('sh', examples.map((each) => `# ${each.description}\nearshot ${each.command}`).join('\n')),
  ].join('\n\n');
}

export function toolsPage(tools: readonly AnyTool[]): string {
  return [
    madeBy(
      'Tools and their options',
      'Options have one name everywhere: in `engine.run(id, input, options)`, in the body of `POST ' +
        '/api/v1/jobs`, in the fields of the free API; on the command line with dashes. Values out of their range ' +
        'are refused before anything is done. * must be given. In REST bodies inputs are ids of files; the library ' +
        'takes paths, bytes and streams. Prices are defaults of the service (`EARSHOT_PRICES`).',
    ),
    table(
      ['Tool', 'Command', 'What it does'],
      tools.map(({ id, slug, description }) => [`[${id}](#${id})`, code(`earshot ${slug}`), description]),
    ),
    ...tools.map(section),
    '',
  ].join('\n\n');
}

export function errorsPage(): string {
  const codes = Object.keys(errorCatalogue) as ErrorCode[];
  return [
    madeBy(
      'Errors',
      'One catalogue for the library (`EarshotError`), the REST and the free API, and `earshot/client` ' +
        '(`ApiError`). The `message` says what was expected and what came, `nextAction` what to do; where it ' +
        'knows better than this table, it says so. `details` holds the same for programs. The status is that of an ' +
        'HTTP answer.',
    ),
    fenced(
      'json',
      JSON.stringify(
        {
          error: {
            code: 'bad_request',
            message: 'Expected integer between 10 and 100 for noise_reduction but received 5 of type number',
            retryable: false,
            nextAction: errorCatalogue.bad_request.nextAction,
            details: { field: 'noise_reduction', expected: 'integer between 10 and 100', received: '5 of type number' },
          },
        },
        null,
        2,
      ),
    ),
    table(
      ['Code', 'Status', 'When', 'May pass by itself', 'What to do'],
      codes.map((each) => {
        const { meaning, retryable, nextAction } = errorCatalogue[each];
        return [code(each), String(statusByCode[each]), meaning, retryable ? 'yes' : 'no', nextAction];
      }),
    ),
    `\`limit_exceeded\` is ${statusByCode.limit_exceeded} for what an account is given. A job that needs more ` +
      'memory, time or disk than the service gives one job fails with the same code; where that is the answer ' +
      `itself, in the free API, it is ${boundStatus}.`,
    'Errors that may pass carry `Retry-After` in seconds. The command line ends with 1 for all of them, with 2 for ' +
      'wrong usage and with 130 when it is interrupted.',
    '## Warnings',
    'A run that succeeds may say more, as `warnings` with a `code` and a `message`, which has the names and ' +
      'figures of the run.',
    table(
      ['Code', 'What it says'],
      Object.entries(warningCatalogue).map(([each, meaning]) => [code(each), meaning]),
    ),
    '',
  ].join('\n\n');
}
