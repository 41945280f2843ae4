// Commands that pages promise are taken by this version (`npm run docs:check`): each `earshot …` in code, and in
// tables of docs/coming-from.md also flags alone, which belong to the command of their section's first lines. Commands
// that plan are planned over stand-ins of their files, the others parsed; nothing is written. `npm run test:slower`
// runs the pages for real.
import { globSync, linkSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { createProgram, runCli } from '../src/cli/program.ts';
import { asTyped } from '../src/cli/tool/as-typed.ts';
import { acceptApiForms } from '../src/cli/tool/flags.ts';
import { tools } from '../src/library/tools/registry.ts';
import { openapiDocument } from './reference/openapi-document.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const given = process.argv.slice(2);
const pages = given.length > 0 ? given : ['docs/coming-from.md', 'docs/symptoms.md'];
const files =
  'host.wav guest.wav music.wav intro.wav outro.wav part-1.wav part-2.wav show.wav show.mp3 film.mp4 interview.wav interview.mka ' +
  'conversation.wav hum.wav call.wav clipped.wav opposite.wav left.wav episode.mp3';
const problems: string[] = [];
/** What is planned and not here: downloads, voices of people, pictures. */
const notHere =
  /Expected the recogniser hf:\S+ in .* but it is missing|There is no voice named Anna here|Expected a video .* but it has no picture/;

/** As bash splits them, with quotes; `*` is left to the command. */
const words = (line: string): string[] =>
  [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));

interface Promised {
  readonly page: string;
  readonly code: string;
  /** What flags alone belong to. */
  readonly command: string;
}

/** The pieces of code that a page promises, by section. */
function promised(page: string): Promised[] {
  const found: Promised[] = [];
  for (const section of readFileSync(resolve(root, page), 'utf8').split(/^## /m)) {
    const blocks = [...section.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, code = '']) => code.split('\n'));
    const lines = blocks.filter((line) => line.startsWith('earshot ')).map((line) => line.replace(/ {2,}#.*/, ''));
    const command = words(lines[0] ?? '')
      .slice(0, 3)
      .join(' ');
    // Their side, ours, and what differs: code of ours is in the second cell and behind.
    const cells = [...section.matchAll(/^\|(.*)\|$/gm)].flatMap(([, row = '']) =>
      row
        .split(/(?<!\\)\|/)
        .slice(1)
        .flatMap((cell, index) =>
          [...cell.matchAll(/`([^`]+)`/g)]
            .map(([, code = '']) => code.replaceAll('\\|', '|'))
            .filter((code) => index === 0 || code.startsWith('earshot ')),
        ),
    );
    for (const code of [...lines, ...cells]) found.push({ page, code, command });
  }
  return found;
}

/** Two minutes of silence. */
function silence(): Buffer {
  const [rate, header] = [8000, 44];
  const wav = Buffer.alloc(header + 2 * 120 * rate);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(rate, 24);
  wav.writeUInt32LE(2 * rate, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(wav.length - header, 40);
  return wav;
}

/** A folder with the files that commands name: sound, whatever their endings say. */
function standIns(): string {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-docs-'));
  const first = join(folder, 'talk.wav');
  writeFileSync(first, silence());
  for (const name of files.split(' ')) linkSync(first, join(folder, name));
  writeFileSync(join(folder, 'script.txt'), 'What is said.');
  writeFileSync(join(folder, 'earshot.presets.json'), '{"music": {"loudness": {"target": "streaming"}}}');
  return folder;
}

/** The command that a line means, below commands such as `models`. */
function commandOf(program: Command, args: readonly string[]): Command | undefined {
  let command: Command | undefined = program;
  for (const arg of args) {
    const next: Command | undefined = command?.commands.find(
      (each) => each.name() === arg || each.aliases().includes(arg),
    );
    if (next === undefined) break;
    command = next;
  }
  return command === program ? undefined : command;
}

/** What a piece of work prints or throws, where it fails; '': it does not. */
async function heard(work: () => Promise<unknown>): Promise<string> {
  let said = '';
  const streams = [process.stdout, process.stderr] as const;
  const writes = streams.map((stream) => stream.write.bind(stream));
  for (const stream of streams)
    stream.write = (text: string | Uint8Array): boolean => {
      said += String(text);
      return true;
    };
  try {
    const code = await work();
    return code === 0 || code === undefined ? '' : said || `exit ${String(code)}`;
  } catch (thrown) {
    return said || String(thrown);
  } finally {
    for (const [index, stream] of streams.entries()) stream.write = writes[index] as typeof stream.write;
  }
}

/** Why a line with `earshot` in it is not taken; '': it is. Only commands over files that plan are planned. */
async function refusal(line: string): Promise<string> {
  for (const part of line.split(/ \| /).filter((each) => /\bearshot /.test(each))) {
    const args = words(part.slice(part.indexOf('earshot ') + 8));
    const program = await createProgram({ signal: new AbortController().signal, finish: () => undefined });
    const command = commandOf(program, args);
    if (command === undefined) return 'there is no such command';
    // A command by its name alone is spoken of.
    if (args.every((arg) => /^[a-z-]+$/.test(arg)) && args.length <= 2) continue;
    const plans =
      command.options.some(({ long }) => long === '--dry-run') && part === line && line.startsWith('earshot ');
    if (plans) {
      const said = await heard(() => runCli([...args, '-y', '--dry-run'], new AbortController().signal));
      delete process.env['EARSHOT_RECOGNISER'];
      if (said !== '' && !notHere.test(said)) return said;
      continue;
    }
    command.action(() => undefined);
    const said = await heard(async () => {
      // What `xargs` puts behind is not there yet.
      const files = line.startsWith('xargs') ? ['talk.wav'] : [];
      await program.parseAsync(asTyped(acceptApiForms([...args, ...files], tools), program), { from: 'user' });
    });
    if (said !== '') return said;
  }
  return '';
}

/** A way of the REST API. */
const requestIn = /^(GET|POST|PUT|DELETE) (\/\S+)$/;

async function wrongWith({ code, command }: Promised): Promise<string> {
  const [, method = '', path = ''] = requestIn.exec(code) ?? [];
  if (path !== '') return (await openapiDocument()).paths[path]?.[method.toLowerCase()] ? '' : 'no such request';
  if (/\bearshot /.test(code)) return refusal(code);
  if (code.startsWith('-')) return refusal(`${command} ${code}`);
  const [, variable] = /^([A-Z][A-Z_]+)(?:=\S+)?$/.exec(code) ?? [];
  if (variable === 'TMPDIR') return '';
  if (variable !== undefined) return variables.has(variable) ? '' : 'no such variable';
  // Code of the library is run with docs/library.md; here the tool has to be there.
  const [, tool] = /^engine\.run\('(\w+)'/.exec(code) ?? [];
  if (tool !== undefined) return tools.some(({ id }) => id === tool) ? '' : 'no such tool';
  return 'is no command, no flag, no request and no variable';
}

const variables = new Set(
  globSync('src/**/*.ts', { cwd: root }).flatMap(
    (file) => readFileSync(join(root, file), 'utf8').match(/EARSHOT_\w+/g) ?? [],
  ),
);
const folder = standIns();
let checked = 0;
process.chdir(folder);
try {
  for (const page of pages)
    for (const each of promised(page)) {
      checked += 1;
      const why = await wrongWith(each);
      if (why !== '') problems.push(`${page}: ${each.code}: ${why.trim()}`);
    }
} finally {
  process.chdir(root);
  rmSync(folder, { recursive: true, force: true });
}
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(1);
}
console.log(`docs:check: ${checked} commands, flags and requests of ${pages.length} pages are taken`);
