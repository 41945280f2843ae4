// Checks of a run's options before it starts.
import { extname } from 'node:path';
import { badValue } from '../../core/checks/schema.ts';
import type { InputRoles, InputShapes } from '../../contract/tool-inputs.ts';
import type { WindowPlan } from '../../tools/declare/run.ts';
import type { SoundChoice } from '../../media/ffmpeg/sound-choice.ts';
import type { JobWindow } from '../channel/protocol.ts';

interface Windowed {
  readonly inputs: InputRoles;
  planWindow?(options: Readonly<Record<string, unknown>>, seconds: number): WindowPlan;
}

/** null: all outputs. @throws EarshotError bad_request for a format that the tool does not write */
export function chosenFormats(
  known: readonly string[],
  { formats, output }: { readonly formats?: readonly string[]; readonly output?: string },
): readonly string[] | null {
  const unknown = formats?.find((format) => !known.includes(format));
  if (unknown !== undefined || formats?.length === 0)
    throw badValue(
      'formats',
      known.length === 0 ? 'none: this tool has no choice of formats' : `some of ${known.join(', ')}`,
      unknown,
    );
  if (formats !== undefined || known.length === 0 || output === undefined) return formats ?? null;
  const extension = extname(output).slice(1).toLowerCase();
  if (known.includes(extension)) return [extension];
  throw badValue('output', `name that ends in ${known.map((one) => `.${one}`).join(', ')}, or formats`, output);
}

/**
 * The outputs in these formats, and those that are no choice of formats; the one that the output's name asks for comes
 * first.
 */
export function inFormats<Output extends { readonly format: string }>(
  outputs: readonly Output[],
  formats: readonly string[],
  known: readonly string[],
  name: string | undefined,
): Output[] {
  const promised = name === undefined ? '' : extname(name).slice(1).toLowerCase();
  return outputs
    .filter(({ format }) => formats.includes(format) || !known.includes(format))
    .toSorted((a, b) => Number(b.format === promised) - Number(a.format === promised));
}

/** What the job process must know of the inputs' roles. */
export function shapesOf(inputs: InputRoles): InputShapes {
  return Object.fromEntries(Object.entries(inputs).map(([field, { min, multiple }]) => [field, { min, multiple }]));
}

export function windowOf(tool: Windowed, options: Readonly<Record<string, unknown>>, seconds: number): JobWindow {
  const plan = tool.planWindow?.(options, seconds) ?? {};
  const media = Object.entries(tool.inputs).filter(([, { kind }]) => kind === 'media');
  return {
    ...plan,
    seconds,
    secondsByField: Object.fromEntries(media.map(([field]) => [field, plan.secondsByField?.[field] ?? seconds])),
  };
}

/**
 * What a run wants of the sound tracks of its inputs; null: nothing.
 * @throws EarshotError bad_request
 */
export function soundChoice({
  soundTrack,
  keepSoundTracks: keepOthers = false,
}: {
  readonly soundTrack?: number | string;
  readonly keepSoundTracks?: boolean;
}): SoundChoice | null {
  const track = soundTrack ?? null;
  if (typeof track === 'number') requireAtLeast('soundTrack', track, 1, true);
  else if (track !== null && !/^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/iu.test(track))
    throw badValue('soundTrack', 'number from 1, or a language such as deu', track);
  return track === null && !keepOthers ? null : { track, keepOthers };
}

/** @throws EarshotError bad_request */
export function requireAtLeast(field: string, value: number, minimum: number, integer: boolean): void {
  const valid = integer ? Number.isInteger(value) : value > 0 && !Number.isNaN(value);
  if (!valid || value < minimum)
    throw badValue(field, `${integer ? 'integer' : 'number'} of at least ${minimum}`, value);
}
