// Voices that an account has known again in its recordings. They are personal data: see docs/voices.md.
import {
  checkVoiceName,
  chosenVoices,
  type KnownVoice,
  type VoiceReference,
} from '../../../library/contract/voice-print.ts';
import { badValue } from '../../../library/core/checks/schema.ts';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { JsonObject } from '../../../library/core/json.ts';
import type { ToolId } from '../../../library/contract/tool-ids.ts';
import type { TimeRange } from '../../../library/core/time-range.ts';
import type { Account } from '../accounts/account.ts';
import type { FileStore } from '../files/file-store.ts';
import { isTextFile, ownFile, requireReady } from '../files/guards.ts';
import { newId } from '../shared/ids.ts';
import type { AccountVoice, VoiceStore } from './voice-store.ts';

/** Of one account. */
const mostOfAccount = 200;
/** Where the words of the consent are not given. */
const usualConsent = 'The person has agreed that a print of the voice is stored to name them in recordings (2026-11).';

/** A voice that is to be known again. */
export interface VoiceWish {
  readonly name: string;
  readonly fileId: string;
  readonly ranges: readonly TimeRange[] | null;
  /** What the person agreed to; null: to what the service says. */
  readonly consent: string | null;
}

/** An account's voices. */
export interface Voices {
  /**
   * A print of the recording is made in a few seconds: `status` is then ready or failed.
   * @throws EarshotError bad_request, conflict, limit_exceeded; of the file not_found, file_expired, file_not_ready,
   *   no_audio, wrong_file_type
   */
  create(account: Account, wish: VoiceWish): Promise<AccountVoice>;
  /** Those of the account, in the order of their names. */
  list(account: Account): Promise<readonly AccountVoice[]>;
  /** One of the account, also of which there is no print. @throws EarshotError not_found */
  get(account: Account, id: string): Promise<AccountVoice>;
  /** @throws EarshotError not_found, bad_request, conflict */
  rename(account: Account, id: string, name: string): Promise<AccountVoice>;
  /** At once, with its print. @throws EarshotError not_found */
  remove(account: Account, id: string): Promise<void>;
}

const missing = (): EarshotError => new EarshotError('not_found', 'There is no such voice');

export function createVoices({
  voices,
  files,
  now = () => new Date(),
}: {
  readonly voices: VoiceStore;
  readonly files: Pick<FileStore, 'get'>;
  readonly now?: () => Date;
}): Voices {
  const found = (voice: AccountVoice | null): AccountVoice => {
    if (voice === null) throw missing();
    return voice;
  };
  return {
    async create(account, { name, fileId, ranges, consent }) {
      const file = requireReady(await ownFile(files, account, fileId, now()));
      const details = { id: file.id };
      if (isTextFile(file))
        throw new EarshotError('wrong_file_type', 'Expected an audio or video file with the voice', { details });
      if (!file.hasAudio) throw new EarshotError('no_audio', 'The file has no sound', { details });
      for (const [at, { startSeconds, endSeconds }] of (ranges ?? []).entries())
        if (!(endSeconds > startSeconds))
          throw badValue(`ranges[${at}]`, 'start and an end behind it', [startSeconds, endSeconds]);
      const voice = { id: newId('voice'), accountId: account.id, name: checkVoiceName(name), fileId, ranges };
      return await voices.create({ ...voice, consent: consent?.trim() || usualConsent }, mostOfAccount);
    },
    list: (account) => voices.list(account.id),
    get: async (account, id) => found(await voices.get(account.id, id)),
    rename: async (account, id, name) => found(await voices.rename(account.id, id, checkVoiceName(name))),
    async remove(account, id) {
      if (!(await voices.remove(account.id, id))) throw missing();
    },
  };
}

/** What the worker reads of voices. */
export type VoicesOfJobs = Pick<VoiceStore, 'known' | 'references'>;

/** Does a job ask for known voices? */
const asksForVoices = (options: JsonObject): boolean => Array.isArray(options['voices']);

/**
 * Refuses the name of a voice that an account does not have.
 * @throws EarshotError bad_request
 */
export async function requireVoices(
  store: Pick<VoiceStore, 'known'>,
  accountId: string | null,
  options: JsonObject,
): Promise<void> {
  if (!asksForVoices(options)) return;
  const names = options['voices'] as readonly string[];
  chosenVoices(names, accountId === null ? [] : await store.known(accountId));
}

/** What a job knows of voices. */
interface JobVoices {
  readonly knownVoices?: readonly KnownVoice[];
  readonly voiceReferences?: readonly VoiceReference[];
}

/** The voices for a job that asks for some: read when it runs, so that one that was deleted is not there. */
export async function voicesOf(
  store: VoicesOfJobs | undefined,
  job: { readonly id: string; readonly tool: ToolId; readonly accountId: string | null; readonly options: JsonObject },
): Promise<JobVoices> {
  const { accountId, options } = job;
  if (store === undefined || accountId === null || job.tool !== 'transcribe_audio') return {};
  const voiceReferences = await store.references(job.id);
  return {
    ...(asksForVoices(options) ? { knownVoices: await store.known(accountId) } : {}),
    ...(voiceReferences.length > 0 ? { voiceReferences } : {}),
  };
}
