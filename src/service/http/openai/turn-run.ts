import { Readable } from 'node:stream';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { JsonObject } from '../../../library/core/json.ts';
import type { Transcript } from '../../../library/contract/transcript.ts';
import type { Account } from '../../rules/accounts/account.ts';
import type { FreeRunView } from '../../rules/free-runs/free-run-use-cases.ts';
import type { Service } from '../../rules/service.ts';
import { ended, keepSeconds, readTranscript, tool } from './runs.ts';
import { sentenceEvents } from './stream.ts';

/** A turn as a file, and how it is transcribed. */
export interface TurnOrder {
  readonly wave: Buffer;
  readonly options: JsonObject;
  /** Of the session, transcribed and billed before. */
  readonly billedSeconds: number;
}

/**
 * Transcribes a turn as an ordinary run. Its sound and its transcript are deleted once the transcript is told.
 * @param stopped cancels it
 * @param onText called with each sentence as it is finished, with the space before it
 * @throws EarshotError as the endpoint of whole files; AbortError
 */
export async function runTurn(
  service: Pick<Service, 'freeRuns' | 'jobs' | 'said' | 'files'>,
  account: Account,
  { wave, options, billedSeconds }: TurnOrder,
  stopped: AbortSignal,
  onText: (text: string) => void,
): Promise<Transcript> {
  const { freeRuns, said } = service;
  const admission = await freeRuns.admit(freeRuns.visitor(account, ''), tool, keepSeconds);
  let id: string;
  let sound: string;
  try {
    const sent = { filename: 'turn.wav', contentType: 'audio/wav', body: Readable.from([wave]), signal: stopped };
    const file = await admission.receive(sent);
    sound = file.id;
    id = await admission.start({
      inputs: { file_id: [file] },
      options,
      format: 'json',
      free: false,
      maxCredits: null,
      idempotencyKey: null,
      billedSeconds,
    });
  } finally {
    await admission.end();
  }
  const sentences = sentenceEvents(false, (event) => {
    if (!stopped.aborted && 'delta' in event) onText(String(event.delta));
  });
  const leave = said.hear(id, sentences.heard);
  let view: FreeRunView | null = null;
  try {
    view = await ended(service, account, id, stopped, false);
    const transcript = await readTranscript(view, freeRuns);
    leave();
    sentences.rest(transcript);
    return transcript;
  } finally {
    leave();
    await forget(service, account, [sound, ...(view?.outputs ?? []).map(({ file }) => file.id)]);
  }
}

/** What cannot be deleted now goes when its time is over. */
async function forget({ files }: Pick<Service, 'files'>, account: Account, ids: readonly string[]): Promise<void> {
  for (const id of ids) await files.remove(account, id).catch((thrown: unknown) => EarshotError.from(thrown));
}
