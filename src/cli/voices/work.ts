import { existsSync, rmSync } from 'node:fs';
import { checkVoiceName, everyVoice, isSameName, type VoicePrint } from '../../library/contract/voice-print.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { shortPath } from '../../library/core/files/short-path.ts';
import { formatSeconds } from '../../library/core/readable.ts';
import { asRange } from '../../library/core/time-range.ts';
import { makeVoicePrint } from '../../library/runtime/recipes/voice-print.ts';
import { joinVoicePrints } from '../../library/speech/voices/join-prints.ts';
import type { Display } from '../terminal/display.ts';
import { exitCodes, type ExitCode } from '../terminal/exit.ts';
import { reporting } from '../terminal/failed.ts';
import { columns } from '../terminal/values.ts';
import { readRanges } from '../../library/tools/said-values.ts';
import {
  requireVoice,
  readVoicesOf,
  storedVoices,
  type StoredVoice,
  voicesFile,
  writeVoicesTo,
} from '../tool/stored-voices.ts';

export interface VoicesFlags {
  readonly json?: boolean;
}
export interface AddFlags extends VoicesFlags {
  readonly from?: string;
  readonly consent?: string;
  readonly modelsDir?: string;
}
export interface ExportFlags extends VoicesFlags {
  readonly output: string;
  readonly overwrite?: boolean;
}

const done = (flags: VoicesFlags, work: (display: Display) => void): Promise<ExitCode> =>
  reporting({ json: flags.json ?? false }, (display) => {
    work(display);
    return exitCodes.ok;
  });

/** A voice as it is listed: without its numbers. */
const shown = ({ name, consent, addedAt, print: { seconds, recordings, model } }: StoredVoice) => ({
  name,
  recordings,
  seconds,
  addedAt,
  consent,
  model,
});

const save = (voices: readonly StoredVoice[]): void => writeVoicesTo(voicesFile(), voices);

export const listVoices = (flags: VoicesFlags): Promise<ExitCode> =>
  done(flags, (display) => {
    const voices = storedVoices();
    const rows = voices.map(({ name, print, addedAt, consent }) => [
      name,
      String(print.recordings),
      formatSeconds(print.seconds),
      addedAt.slice(0, 10),
      consent,
    ]);
    const text =
      voices.length === 0
        ? `No voices in ${shortPath(voicesFile())}`
        : `${columns(['Name', 'Recordings', 'Speech', 'Added', 'Consent'], rows)}\nIn ${shortPath(voicesFile())}`;
    display.result('voices', { path: voicesFile(), voices: voices.map(shown) }, text, true);
  });

export async function addVoice(
  typed: string,
  files: readonly string[],
  flags: AddFlags,
  signal: AbortSignal,
): Promise<ExitCode> {
  return reporting({ json: flags.json ?? false }, async (display) => {
    const name = checkVoiceName(typed);
    const before = storedVoices().find((voice) => isSameName(voice.name, name));
    const consent = flags.consent?.trim() || before?.consent;
    if (consent === undefined)
      throw new EarshotError('bad_request', 'Expected --consent with what the person agreed to', {
        nextAction: 'Ask the person, and add --consent "Anna agreed on 2026-11-30". A voice print is biometric data.',
      });
    const ranges = flags.from === undefined ? undefined : readRanges(flags.from)?.map(asRange);
    if (flags.from !== undefined && (ranges === undefined || files.length > 1))
      throw new EarshotError('bad_request', 'Expected ranges such as 0:10-0:40 of one recording for --from');
    let print: VoicePrint | undefined = before?.print;
    for (const file of files) {
      const made = await makeVoicePrint(file, {
        signal,
        onProgress: (progress) => display.progress(file, progress),
        // Several together may be long enough.
        ...(files.length > 1 || before !== undefined ? { leastSeconds: leastTogether } : {}),
        ...(ranges === undefined ? {} : { ranges }),
        ...(flags.modelsDir === undefined ? {} : { modelsDir: flags.modelsDir }),
      });
      print = print === undefined ? made : joinVoicePrints(print, made);
    }
    if (print === undefined || print.seconds < leastInAll)
      throw new EarshotError('bad_request', `Expected at least ${leastInAll} s of speech in all recordings together`, {
        nextAction: 'Use longer recordings of this person.',
      });
    const voice: StoredVoice = { name: before?.name ?? name, consent, addedAt: new Date().toISOString(), print };
    // Read again: another command may have added one meanwhile.
    save([...storedVoices().filter((other) => !isSameName(other.name, name)), voice]);
    const of = `${formatSeconds(print.seconds)} of speech in ${print.recordings} recording${print.recordings === 1 ? '' : 's'}`;
    display.result(name, shown(voice), `${voice.name}: ${of}, in ${shortPath(voicesFile())}`, true);
    if (print.seconds < goodSeconds) display.note('10 s or more of speech, and another recording, make it surer.');
    return exitCodes.ok;
  });
}

/** Speech of each recording of several, and of all, seconds. */
const leastTogether = 2;
const leastInAll = 5;
const goodSeconds = 10;

export const nameVoice = (name: string, other: string, flags: VoicesFlags): Promise<ExitCode> =>
  done(flags, (display) => {
    const voices = storedVoices();
    const voice = requireVoice(voices, name);
    const fresh = checkVoiceName(other);
    if (voices.some((each) => each !== voice && isSameName(each.name, fresh)))
      throw new EarshotError('conflict', 'Another voice has this name');
    save(voices.map((each) => (each === voice ? { ...each, name: fresh } : each)));
    display.result(fresh, { name: fresh, before: voice.name }, `${voice.name} is now ${fresh}`, true);
  });

export const removeVoices = (names: readonly string[], flags: VoicesFlags): Promise<ExitCode> =>
  done(flags, (display) => {
    const voices = storedVoices();
    const isAll = names.length === 1 && isSameName(names[0] ?? '', everyVoice);
    const gone = isAll ? voices : names.map((name) => requireVoice(voices, name));
    const rest = voices.filter((voice) => !gone.includes(voice));
    if (rest.length === 0) rmSync(voicesFile(), { force: true });
    else save(rest);
    const removed = gone.map(({ name }) => name);
    display.result('voices', { removed }, removed.length === 0 ? 'No voices' : `Removed ${removed.join(', ')}`, true);
  });

export const exportVoices = (names: readonly string[], flags: ExportFlags): Promise<ExitCode> =>
  done(flags, (display) => {
    const voices = storedVoices();
    const chosen = names.length === 0 ? voices : names.map((name) => requireVoice(voices, name));
    if (existsSync(flags.output) && flags.overwrite !== true)
      throw new EarshotError('conflict', `The file ${flags.output} exists already`, {
        nextAction: 'Choose another path, or --overwrite.',
      });
    writeVoicesTo(flags.output, chosen);
    const exported = chosen.map(({ name }) => name);
    const voice = chosen.length === 1 ? 'voice' : 'voices';
    const text =
      `${chosen.length} ${voice} -> ${shortPath(flags.output)}. ` +
      'Keep it to yourself: it tells who speaks in any recording';
    display.result('voices', { path: flags.output, exported }, text, true);
  });

export const importVoices = (file: string, flags: VoicesFlags): Promise<ExitCode> =>
  done(flags, (display) => {
    const voices = storedVoices();
    const fresh = readVoicesOf(file).filter(({ name }) => !voices.some((voice) => isSameName(voice.name, name)));
    if (fresh.length > 0) save([...voices, ...fresh]);
    const imported = fresh.map(({ name }) => name);
    display.result(
      'voices',
      { imported },
      imported.length === 0 ? 'Nothing new' : `Added ${imported.join(', ')}`,
      true,
    );
  });
