import { existsSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, resolve, sep } from 'node:path';
import { EarshotError } from '../../library/core/errors/errors.ts';
import type { RunOptions } from '../../library/runtime/engine/engine-types.ts';
import { expectedNames, fittingPath, nameKey } from '../../library/runtime/files/output-names.ts';
import type { AnyTool } from '../../library/tools/declare/define.ts';
import { standardStream } from './standard-streams.ts';

/** Where the outputs of one run go, and their most likely names. */
export interface CliDestination {
  readonly control: Pick<RunOptions, 'output' | 'outputDir' | 'nameOutput' | 'overwrite' | 'formats'>;
  /** For a tool without output files: where its result goes as JSON, if -o asks for it. */
  readonly resultPath: string | null;
  /** Most likely paths of its files, absolute; the run may change extensions. */
  readonly expected: readonly string[];
  /** The outputs exist already and are kept. */
  readonly isThere: boolean;
  /** The only output goes to standard output. */
  readonly toStandardOutput: boolean;
}

export interface DestinationRequest {
  readonly tool: AnyTool;
  /** The first file of each run, in order. */
  readonly inputs: readonly string[];
  /** Of each input, where it goes below the folder that -o names. Default: right into it. */
  readonly folders?: readonly string[];
  /** Every file that is read: none of them is ever written. */
  readonly allInputs: readonly string[];
  /** The files that each run reads besides its first. */
  readonly others: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  /** Formats to write, where the tool has a choice. */
  readonly formats: readonly string[] | undefined;
  readonly output: string | undefined;
  /** What happens to existing files. */
  readonly existing: 'refuse' | 'replace' | 'skip';
}

/**
 * Plans the destination of every run of a batch before the first starts. Without -o: beside the input; with a folder:
 * in that folder. Names are the library's.
 * @throws EarshotError bad_request, conflict
 */
export function planDestinations(request: DestinationRequest): CliDestination[] {
  const { inputs, output, existing, tool } = request;
  const overwrite = existing === 'replace';
  const formats = request.formats === undefined ? {} : { formats: request.formats };
  if (output === standardStream) return [standardOutput(request)];
  if (output !== undefined && !isFolder(output, inputs.length)) {
    const path = resolve(output);
    refuseInput(path, request);
    const isThere = isTaken(path, existing);
    return [
      {
        control: { ...formats, output: path, overwrite },
        resultPath: path,
        expected: [path],
        isThere,
        toStandardOutput: false,
      },
    ];
  }
  const placeOf = (input: string, index: number): string =>
    output === undefined ? dirname(resolve(input)) : join(resolve(output), request.folders?.[index] ?? '');
  const copies = copyNumbers(inputs, placeOf);
  return inputs.map((input, index) => {
    const suffix = copies[index] === 1 ? '' : `-${copies[index]}`;
    const outputDir = placeOf(input, index);
    const nameOutput = (usual: string): string => {
      const extension = extname(usual);
      const path = fittingPath(join(outputDir, `${basename(usual, extension)}${suffix}${extension}`));
      refuseInput(path, request);
      return basename(path);
    };
    const resultPath = output === undefined ? null : join(outputDir, `${stemOf(input)}.${tool.slug}${suffix}.json`);
    const names = expectedNames(tool, [input, ...request.others], request.options, request.formats).map((name) =>
      join(outputDir, nameOutput(name)),
    );
    const expected = names.length === 0 && resultPath !== null ? [resultPath] : names;
    // An existing file of that name means that the run would be refused at its end.
    const isThere = expected.length > 0 && expected.map((path) => isTaken(path, existing)).every(Boolean);
    return {
      control: { ...formats, outputDir, nameOutput, overwrite },
      resultPath,
      expected,
      isThere,
      toStandardOutput: false,
    };
  });
}

/** @throws EarshotError bad_request: standard output takes one file */
function standardOutput({ inputs, tool, formats }: DestinationRequest): CliDestination {
  const refuse = (what: string, nextAction: string): EarshotError =>
    new EarshotError('bad_request', `Expected one file for standard output but ${what}`, {
      nextAction,
      details: { field: 'output', expected: 'one file', received: standardStream },
    });
  if (inputs.length > 1) throw refuse(`there are ${inputs.length} inputs`, 'Name a folder with -o.');
  const written = formats ?? tool.formats ?? [];
  if (written.length > 1)
    throw refuse(
      `${tool.slug} writes ${written.join(', ')}`,
      `Choose one, such as --formats ${written[0]}, or name a folder with -o.`,
    );
  return {
    control: formats === undefined ? {} : { formats },
    resultPath: null,
    expected: [],
    isThere: false,
    toStandardOutput: true,
  };
}

/** Is an existing file to be kept? @throws EarshotError conflict when it may not be replaced */
function isTaken(path: string, existing: DestinationRequest['existing']): boolean {
  if (existing === 'skip') return existsSync(path) && !isWrittenInto(path);
  refuseExisting(path, existing === 'replace');
  return false;
}

/**
 * @param flag that names the place
 * @throws EarshotError bad_request when a folder is expected and it is a file
 */
export function isFolder(output: string, runs: number, flag = '-o'): boolean {
  if (output.endsWith('/') || output.endsWith(sep) || runs > 1) {
    if (existsSync(output) && !statSync(output).isDirectory()) {
      throw new EarshotError(
        'bad_request',
        `Expected a folder for ${flag} because ${runs > 1 ? 'there are several inputs' : 'it ends with a slash'}, ` +
          `but ${output} is a file`,
        {
          details: { field: flag === '-o' ? 'output' : flag.slice(2), expected: 'folder', received: output },
        },
      );
    }
    return true;
  }
  return existsSync(output) && statSync(output).isDirectory();
}

const stemOf = (path: string): string => basename(path, extname(path));

/** Inputs of one batch that would get the same name, ignoring case, are numbered: 1, 2, ... */
function copyNumbers(inputs: readonly string[], placeOf: (input: string, index: number) => string): number[] {
  const seen = new Map<string, number>();
  return inputs.map((input, index) => {
    const key = nameKey(join(placeOf(input, index), stemOf(input)));
    const copy = (seen.get(key) ?? 0) + 1;
    seen.set(key, copy);
    return copy;
  });
}

/** @throws EarshotError bad_request when the path is an input under any name */
export function refuseInput(path: string, { allInputs }: Pick<DestinationRequest, 'allInputs'>): void {
  const target = fileAt(path);
  if (target !== null && allInputs.some((input) => fileAt(input) === target)) {
    throw new EarshotError('bad_request', `The output ${path} would replace an input`, {
      nextAction: 'Choose another name with -o.',
      details: { field: 'output', expected: 'a file that is not an input', received: path },
    });
  }
}

/** The file's identity in the file system, independent of its name; null: no file is there. */
function fileAt(path: string): string | null {
  const facts = statSync(path, { bigint: true, throwIfNoEntry: false });
  return facts === undefined ? null : `${facts.dev} ${facts.ino}`;
}

/** Is the path a FIFO or a device, such as /dev/null? */
export function isWrittenInto(path: string): boolean {
  const facts = statSync(path, { throwIfNoEntry: false });
  return facts !== undefined && (facts.isFIFO() || facts.isCharacterDevice());
}

/** @throws EarshotError conflict when the file exists and may not be replaced */
export function refuseExisting(path: string, overwrite: boolean): void {
  // A FIFO or device is not replaced.
  if (!overwrite && existsSync(path) && !isWrittenInto(path)) {
    throw new EarshotError('conflict', `The file ${path} exists already`, {
      nextAction: 'Use -y to replace it, or choose another name with -o.',
      details: { field: 'output', path },
    });
  }
}
