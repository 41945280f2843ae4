// Writes the made files of clients/python: records of the REST API as dataclasses, inputs of the tools as typed
// dictionaries, and a typed signature of each tool, from openapi.json.
// Usage: npm run client:types, or with --check to be told when a file is stale
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { DocumentSchema } from './reference/openapi-document.ts';
import {
  chainRecords,
  components,
  docOf,
  errorCodes,
  namedEnums,
  ownFields,
  records,
  renamed,
  titles,
  toolIds,
  toolJobs,
} from './reference/client-schemas.ts';

const folder = fileURLToPath(new URL('../clients/python/src/earshot_client/', import.meta.url));
const lineLength = 120;

/** A file as it is, or with --check a word if it is stale. */
function write(name: string, source: string): void {
  const path = folder + name;
  if (!process.argv.includes('--check')) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, source);
    return;
  }
  if (readFileSync(path, 'utf8') === source) return;
  console.error(`clients/python/src/earshot_client/${name} is stale: "npm run client:types" makes it anew`);
  process.exitCode = 1;
}

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const pascal = (name: string): string =>
  name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase()).replace(/s$/, '');
const literal = (value: unknown): string => (value === null ? 'None' : JSON.stringify(value));
const literals = (values: readonly unknown[]): string => `Literal[${values.map(literal).join(', ')}]`;
const refName = (ref: string): string => ref.split('/').at(-1) ?? '';
const isFileId = ({ pattern }: DocumentSchema): boolean => pattern?.startsWith('^file_') === true;

/** Lines of text after an indent, at most as long as a line may be. */
function wrapped(text: string, indent: string, first = indent): string {
  const lines = [first];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)}${lines.at(-1)!.trim() === '' || lines.at(-1)!.endsWith('"""') ? '' : ' '}${word}`;
    if (longer.length > lineLength - 3) lines.push(indent + word);
    else lines[lines.length - 1] = longer;
  }
  return lines.join('\n');
}

const docstring = (text: string, indent: string): string => {
  const escaped = text.replaceAll('\\', '\\\\');
  const ended = escaped.endsWith('"') ? `${escaped} ` : escaped;
  return `${wrapped(ended, indent, `${indent}"""`)}"""`;
};

/** What parts of records and inputs are, where the schema does not say it. */
const parts: Readonly<Record<string, string>> = {
  FileMedia: 'What is in a media file.',
  Track: 'A track of a media file.',
  ErrorRecord: 'What went wrong with a file, a job or a chain.',
  QuoteFree: 'What would be free.',
  JobWarning: 'A warning of a job.',
  Card: 'A bank card, as far as it is kept.',
  ToolDescriptorFree: 'The free allowance of a tool.',
  ToolFree: 'The free allowance of a tool.',
  PeaksLevel: 'A level of the waveform.',
  PeakBins: 'A window of the waveform.',
  TranscriptSentence: 'A sentence with its times.',
  TranscriptSentenceWord: 'A word with its times.',
  TranscriptEvent: 'What is heard besides words.',
  ChainStepWarning: 'A warning of a step.',
  ChainWarning: 'A warning of a chain.',
  ChainStepPrice: 'What a step would cost at most.',
  CheckAudioInputsRule: 'A rule of your own.',
  MixTracksInputsTrack: 'A track of a mix.',
  RecipeOption: 'An option of a recipe.',
};

/** Classes that were met, in the order in which Python must read them. */
const classes = new Map<string, string>();

type Kind = 'record' | 'input';

function typeOf(schema: DocumentSchema, name: string, kind: Kind): string {
  if (schema.$ref !== undefined) {
    const found = refName(schema.$ref);
    const own = renamed[found] ?? found;
    const target = components.schemas[found] ?? {};
    if (target.properties === undefined || 'remove_noise' in target.properties) return typeOf(target, own, kind);
    addClass(own, target, titles[found] ?? parts[found] ?? target.description ?? '', kind);
    return own;
  }
  if (schema.enum !== undefined) return namedEnums[String(schema.enum[0])] ?? literals(schema.enum);
  if (schema.const !== undefined) return literals([schema.const]);
  if (schema.anyOf !== undefined)
    return [...new Set(schema.anyOf.map((each) => typeOf(each, name, kind)))].join(' | ').replace('null', 'None');
  if (kind === 'input' && isFileId(schema)) return 'FileRef';
  return [schema.type ?? []]
    .flat()
    .map((type) => typeNamed(type, schema, name, kind))
    .join(' | ')
    .replace(/^$/, 'Any');
}

function typeNamed(type: string, schema: DocumentSchema, name: string, kind: Kind): string {
  switch (type) {
    case 'integer':
      return 'int';
    case 'number':
      return 'float';
    case 'string':
      return schema.format === 'date-time' && kind === 'record' ? 'datetime' : 'str';
    case 'boolean':
      return 'bool';
    case 'null':
      return 'None';
    case 'array': {
      const { items = {}, minItems, maxItems } = schema;
      const item = typeOf(items, name, kind);
      if (kind === 'record') return `list[${item}]`;
      return minItems === 2 && maxItems === 2 ? `tuple[${item}, ${item}] | Sequence[${item}]` : `Sequence[${item}]`;
    }
    case 'object': {
      const { properties, additionalProperties } = schema;
      if (properties !== undefined && 'remove_noise' in properties)
        return `dict[ToolId, ${typeOf(properties['remove_noise']!, name, kind)}]`;
      if (properties === undefined) {
        const value = typeof additionalProperties === 'object' ? typeOf(additionalProperties, name, kind) : 'Any';
        return kind === 'record' ? `dict[str, ${value}]` : `Mapping[str, ${value}]`;
      }
      addClass(name, schema, parts[name] ?? schema.description ?? '', kind);
      return name;
    }
    default:
      throw new TypeError(`No Python type is known for ${JSON.stringify(schema)}`);
  }
}

function addClass(name: string, schema: DocumentSchema, said: string, kind: Kind): void {
  if (classes.has(name)) return;
  if (said === '') throw new Error(`Expected a line in "parts" that says what ${name} is`);
  const written = kind === 'record' ? recordClass(name, schema, said) : inputClass(name, schema, said);
  classes.set(name, written);
}

function recordClass(name: string, { properties = {}, required = [] }: DocumentSchema, said: string): string {
  const fields = Object.entries(properties).map(([field, schema]) => {
    const isThere = required.includes(field);
    const type = typeOf(schema, name + pascal(field.replace(/^[a-z]/, (letter) => letter.toUpperCase())), 'record');
    const optional = isThere || type.endsWith('None') ? type : `${type} | None`;
    const doc = docOf(schema, false);
    const line = `    ${snake(field)}: ${optional}${isThere ? '' : ' = None'}`;
    return doc === '' ? line : `${line}\n${docstring(pythonWords(doc), '    ')}`;
  });
  return `@dataclass(frozen=True, slots=True, kw_only=True)
class ${name}:
${docstring(pythonWords(said), '    ')}

${fields.join('\n')}
`;
}

/** Descriptions speak of null, true and false. */
const pythonWords = (text: string): string =>
  text
    .replaceAll(/\bnull\b/g, 'None')
    .replaceAll(/\btrue\b/g, 'True')
    .replaceAll(/\bfalse\b/g, 'False');

function inputClass(
  name: string,
  { properties = {}, required = [] }: DocumentSchema,
  said: string,
  skipped: readonly string[] = [],
  byPlace: readonly string[] = [],
): string {
  const fields = Object.entries(properties).flatMap(([field, schema]) => {
    if (skipped.includes(field)) return [];
    const type = typeOf(schema, name + pascal(field), 'input');
    const needed = required.includes(field) && !byPlace.includes(field) ? `Required[${type}]` : type;
    const doc = docOf(schema, true);
    return [`    ${field}: ${needed}${doc === '' ? '' : `\n${docstring(pythonWords(doc), '    ')}`}`];
  });
  return `class ${name}(TypedDict, total=False):
${docstring(pythonWords(said), '    ')}

${fields.join('\n')}
`;
}

/** Takes the classes that were met since. */
function taken(): string {
  const all = [...classes.values()].join('\n\n');
  classes.clear();
  return all;
}

const madeBy =
  '# Made by scripts/write-python-types.ts from openapi.json: edit the schemas, then `npm run client:types`.';

for (const name of [...records, ...chainRecords])
  if (name !== 'PartLinks')
    addClass(renamed[name] ?? name, components.schemas[name] ?? {}, titles[name] ?? '', 'record');

/** A list of literals, one a line. */
const lines = (values: readonly unknown[]): string => values.map((value) => `    ${literal(value)},\n`).join('');

write(
  'records.py',
  `${madeBy}
"""Records of the REST API. Names are those of the API in Python's form: durationSeconds is duration_seconds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

ToolId = Literal[
${lines(toolIds)}]
"""Identifier of a tool."""

ErrorCode = Literal[
${lines(errorCodes)}]
"""What went wrong, as the service says it."""


${taken()}`,
);

interface FilePlaces {
  /** Inputs of one file each, in order. */
  readonly single: readonly string[];
  /** The input of several; null: none. */
  readonly many: string | null;
  /** Does it take objects with a file_id? */
  readonly objects: boolean;
}

function placesOf({ properties = {} }: DocumentSchema): FilePlaces {
  const entries = Object.entries(properties);
  const many = entries.find(
    ([, { type, items }]) =>
      type === 'array' && items !== undefined && (isFileId(items) || items.properties?.['file_id'] !== undefined),
  );
  return {
    single: entries.filter(([, schema]) => isFileId(schema)).map(([name]) => name),
    many: many?.[0] ?? null,
    objects: many?.[1].items?.properties !== undefined,
  };
}

const places = toolJobs.map(({ id, schema }) => ({ id, ...placesOf(schema) }));
for (const { name, schema } of toolJobs) {
  const { single, many } = placesOf(schema);
  const said = `${schema.properties?.['tool']?.description ?? ''} ${schema.description ?? ''}`.trim();
  classes.set(name, inputClass(name, schema, said, ownFields, [...single, ...(many === null ? [] : [many])]));
}

const inputTypes = taken();
write(
  'inputs.py',
  `${madeBy}
"""Inputs of the tools, as REST takes them, and which of them are files."""

from __future__ import annotations

from collections.abc import ${inputTypes.includes('Mapping') ? 'Mapping, ' : ''}Sequence
from typing import ${inputTypes.includes('Any') ? 'Any, ' : ''}Literal, NamedTuple, Required, TypedDict

from .records import FileRecord, ToolId

FileRef = str | FileRecord
"""A file of the account: its record or its id."""


class FilePlaces(NamedTuple):
    """Which inputs of a tool the files of a call are for."""

    single: tuple[str, ...]
    """Inputs of one file each, in order."""
    many: str | None
    """The input of several."""
    objects: bool
    """Does it take objects with a file_id?"""


FILE_PLACES: dict[ToolId, FilePlaces] = {
${places
  .map(({ id, single, many, objects }) => {
    const names = single.map((name) => `"${name}"`).join(', ') + (single.length === 1 ? ',' : '');
    return `    "${id}": FilePlaces((${names}), ${many === null ? 'None' : `"${many}"`}, ${objects ? 'True' : 'False'}),\n`;
  })
  .join('')}}


${inputTypes}`,
);

const options = (wait: boolean): readonly string[] => [
  'idempotency_key: str | None = None',
  ...(wait ? ['on_progress: Callable[[Job], object] | None = None', 'timeout: float | None = None'] : []),
];

/** The head of a method, one parameter a line. */
const head = (call: string, parameters: readonly string[], isAsync: boolean): string =>
  `    ${isAsync ? 'async ' : ''}def ${call}(
        self,
${parameters.map((each) => `        ${each},\n`).join('')}    ) -> Job:`;

/** Signatures of a call, one a tool. */
const signatures = (call: string, wait: boolean, isAsync: boolean): string =>
  toolJobs
    .map(
      ({ id, name }) => `    @overload
${head(call, [`tool: Literal["${id}"]`, '*files: FileInput', ...options(wait), `**inputs: Unpack[${name}]`], isAsync)} ...

`,
    )
    .join('');

const callOf = (isAsync: boolean): string => {
  const [asyncWord, awaitWord] = isAsync ? ['async ', 'await '] : ['', ''];
  return `class ${isAsync ? 'Async' : ''}ToolCalls(ABC):
    """Starts tools, each with its own inputs."""

    @abstractmethod
    ${asyncWord}def _do(self, flow: Flow[Result]) -> Result: ...

    @property
    @abstractmethod
    def _jobs(self) -> JobFlows: ...

${signatures('run', true, isAsync)}${head('run', ['tool: ToolId', '*files: FileInput', ...options(true), '**inputs: Any'], isAsync)}
        """Starts a tool and waits until it has succeeded. Files that are not of the account yet are uploaded first.

        Files are paths, files of the account (record or id) or Sounds, in the order of the tool's inputs.
        on_progress is called on every change. A wait longer than timeout seconds, Ctrl+C or a cancelled task cancels
        the job. Raises JobError when the job failed, ApiError when it was refused, UnreachableError without an answer,
        TimeoutError after the timeout.
        """
        flow = self._jobs.run(
            tool, files, inputs, idempotency_key=idempotency_key, on_progress=on_progress, timeout=timeout
        )
        return ${awaitWord}self._do(flow)

${signatures('start', false, isAsync)}${head('start', ['tool: ToolId', '*files: FileInput', ...options(false), '**inputs: Any'], isAsync)}
        """Starts a tool and returns at once, with files as in run()."""
        return ${awaitWord}self._do(self._jobs.start(tool, files, inputs, idempotency_key=idempotency_key))
`;
};

write(
  '_tool_calls.py',
  `${madeBy}
"""run() and start() with the inputs of each tool."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Literal, TypeVar, Unpack, overload

from ._flow import Flow
from ._jobs import JobFlows
from ._sources import FileInput
from .inputs import (
${toolJobs
  .map(({ name }) => `    ${name},\n`)
  .toSorted()
  .join('')})
from .records import Job, ToolId

Result = TypeVar("Result")


${callOf(false)}

${callOf(true)}`,
);
