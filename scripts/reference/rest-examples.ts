// The same request in a shell, in JavaScript and in Python, from an operation of openapi.json and its examples.
import type { DocumentOperation, DocumentSchema, PlacedOperation } from './openapi-document.ts';

/** A field of a form: a file of this folder, or text. */
interface FormField {
  readonly name: string;
  readonly value: string;
  readonly isFile: boolean;
}

/** What an example sends. */
interface Request {
  readonly method: string;
  /** With everything filled in, from the service's address on. */
  readonly path: string;
  readonly keyed: boolean;
  readonly body: { readonly json: unknown; readonly form?: readonly FormField[] } | { readonly file: string } | null;
  /** What comes back is no JSON. */
  readonly saves: string | null;
}

/** Query parameters that an example shows though they may be left out. */
const shown = new Set(['wait', 'level', 'count']);

function requestOf({ method, path, operation }: PlacedOperation): Request {
  const { parameters = [], requestBody, security = [], responses } = operation;
  const valueOf = (name: string): string =>
    encodeURIComponent((parameters.find((parameter) => parameter.name === name)?.example ?? '') as string | number);
  const query = parameters
    .filter(({ in: place, name, required }) => place === 'query' && (required || shown.has(name)))
    .map(({ name }) => `${name}=${valueOf(name)}`);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => valueOf(name));
  const answers = Object.keys(responses['200']?.content ?? {});
  return {
    method,
    path: query.length === 0 ? filled : `${filled}?${query.join('&')}`,
    // The free API takes a key and does without one.
    keyed: security.some((each) => 'bearer' in each) && !security.some((each) => Object.keys(each).length === 0),
    body: bodyOf(requestBody, path),
    saves: answers.includes('text/html')
      ? 'page.html'
      : answers.includes('application/octet-stream')
        ? path.startsWith('/api/try/')
          ? 'result'
          : 'interview.loudness.mp3'
        : null,
  };
}

function bodyOf(requestBody: DocumentOperation['requestBody'], path: string): Request['body'] {
  const { content = {} } = requestBody ?? {};
  // A tool of the free API takes bytes, too, beside its form.
  if (content['application/octet-stream'] && !content['multipart/form-data'])
    return { file: path.endsWith('/file') ? 'interview.wav' : 'part-1' };
  const json = content['application/json'];
  if (json === undefined) return null;
  const examples = Object.values((json.examples ?? {}) as Record<string, { readonly value: unknown }>);
  const value = json.example ?? examples.find((each) => JSON.stringify(each.value).includes('adjust_loudness'))?.value;
  const form = content['multipart/form-data'];
  return form === undefined ? { json: value } : { json: value, form: formOf(form.schema, value as object) };
}

/** The files that a tool must have, and the options without a default. */
function formOf({ properties = {} }: DocumentSchema, json: object): FormField[] {
  const files = Object.entries(properties).flatMap(([name, { format, items }]): string[][] => {
    if (!['file', 'video', 'audio'].includes(name)) return [];
    if (items?.format === 'binary')
      return [
        [name, 'interview.wav'],
        [name, 'outro.wav'],
      ];
    return format === 'binary' ? [[name, name === 'video' ? 'film.mp4' : 'interview.wav']] : [];
  });
  const texts = Object.entries(json).filter(([name]) => !name.endsWith('url'));
  return [
    ...files.map(([name = '', value = '']) => ({ name, value, isFile: true })),
    ...texts.map(([name, value]: [string, unknown]) => ({
      name,
      value: typeof value === 'string' ? value : JSON.stringify(value),
      isFile: false,
    })),
  ];
}

const formFieldsOf = (body: Request['body']): readonly FormField[] | undefined =>
  body !== null && 'form' in body ? body.form : undefined;

const jsonOf = (body: Request['body']): unknown => (body !== null && 'json' in body ? body.json : undefined);
const fileOf = (body: Request['body']): string | undefined => (body !== null && 'file' in body ? body.file : undefined);

function curl({ method, path, keyed, body, saves }: Request): string {
  const json = jsonOf(body);
  const file = fileOf(body);
  const form = formFieldsOf(body);
  const usual = body === null ? 'GET' : file === undefined ? 'POST' : 'PUT';
  const lines = [
    `curl -sS --fail-with-body${method === usual ? '' : ` -X ${method}`} "$BASE${path}"`,
    ...(keyed ? ['-H "Authorization: Bearer $KEY"'] : []),
    ...(file === undefined ? [] : [`-T ${file}`]),
    ...(form ?? []).map(({ name, value, isFile }) => `-F '${name}=${isFile ? '@' : ''}${value}'`),
    ...(json === undefined || form !== undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(json)}'`]),
    ...(saves === null ? [] : [`-o ${saves}`]),
  ];
  return lines.join(' \\\n  ');
}

function javascript({ method, path, keyed, body, saves }: Request): string {
  const form = formFieldsOf(body);
  const json = form === undefined ? jsonOf(body) : undefined;
  const file = fileOf(body);
  const headers = [
    ...(keyed ? ['Authorization: `Bearer ${KEY}`'] : []),
    ...(json === undefined ? [] : ["'Content-Type': 'application/json'"]),
  ];
  const fields = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(headers.length === 0 ? [] : [`headers: { ${headers.join(', ')} }`]),
    ...(file === undefined ? [] : [`body: await openAsBlob('${file}')`]),
    ...(form === undefined ? [] : ['body: form']),
    ...(json === undefined ? [] : [`body: JSON.stringify(${indented(JSON.stringify(json, null, 2))})`]),
  ];
  const options = fields.length === 0 ? '' : `, {\n  ${fields.join(',\n  ')},\n}`;
  return [
    ...(form === undefined ? [] : ['const form = new FormData();']),
    ...(form ?? []).map(({ name, value, isFile }) =>
      isFile
        ? `form.append('${name}', await openAsBlob('${value}'), '${value}');`
        : `form.append('${name}', '${value}');`,
    ),
    `const answer = await fetch(\`\${BASE}${path}\`${options});`,
    'if (!answer.ok) throw new Error(await answer.text());',
    saves === null
      ? 'console.log(answer.status, await answer.text());'
      : `await writeFile('${saves}', await answer.bytes());`,
  ].join('\n');
}

const indented = (text: string): string => text.replaceAll('\n', '\n  ');

/** A JSON value as Python writes it. */
function pythonValue(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(', ')}]`;
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([name, each]) => `${JSON.stringify(name)}: ${pythonValue(each)}`)
      .join(', ')}}`;
  return JSON.stringify(value);
}

function python({ method, path, keyed, body, saves }: Request): string {
  const json = jsonOf(body);
  const file = fileOf(body);
  const headers = [
    ...(keyed ? ['"Authorization": f"Bearer {KEY}"'] : []),
    ...(json === undefined ? [] : ['"Content-Type": "application/json"']),
    // urllib would else call it a form.
    ...(file === undefined ? [] : ['"Content-Type": "application/octet-stream"']),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`method="${method}"`]),
    ...(headers.length === 0 ? [] : [`headers={${headers.join(', ')}}`]),
    ...(file === undefined ? [] : [`data=open("${file}", "rb").read()`]),
    ...(json === undefined ? [] : [`data=json.dumps(${pythonValue(json)}).encode()`]),
  ];
  return [
    `request = urllib.request.Request(${[`BASE + "${path}"`, ...options].map((each) => `\n    ${each},`).join('')}\n)`,
    'with urllib.request.urlopen(request) as answer:',
    saves === null
      ? '    print(answer.status, answer.read().decode())'
      : `    open("${saves}", "wb").write(answer.read())`,
  ].join('\n');
}

/** What has to stand in front of the examples of a language. */
export const preambles = {
  sh: 'BASE=http://127.0.0.1:3000; KEY=svc_sk_...',
  js: [
    "import { openAsBlob } from 'node:fs';",
    "import { writeFile } from 'node:fs/promises';",
    '',
    "const BASE = 'http://127.0.0.1:3000';",
    "const KEY = 'svc_sk_...';",
  ].join('\n'),
  python: ['import json', 'import urllib.request', '', 'BASE = "http://127.0.0.1:3000"', 'KEY = "svc_sk_..."'].join(
    '\n',
  ),
} as const;

/** One example a language. */
export function examplesOf(placed: PlacedOperation): Readonly<Record<keyof typeof preambles, string>> {
  const request = requestOf(placed);
  return { sh: curl(request), js: javascript(request), python: python(request) };
}
