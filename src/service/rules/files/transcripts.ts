import { text } from 'node:stream/consumers';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { badValue } from '../../../library/core/checks/schema.ts';
import { cutWindow, usualStretchSeconds, type TranscriptStretch } from '../../../library/contract/transcript-window.ts';
import { parseTranscript } from '../../../library/contract/parse-transcript.ts';
import type { Transcript } from '../../../library/contract/transcript.ts';
import { ownFile, requireReady } from './guards.ts';
import { isTranscriptFile, mostTranscriptBytes } from './transcript-file.ts';
import type { FileStore } from './file-store.ts';
import type { ObjectStore } from './object-store.ts';
import type { StoredFile } from './stored-file.ts';
import type { Account } from '../accounts/account.ts';

export interface TranscriptWindow extends TranscriptStretch {
  readonly fileId: string;
}

/** Transcripts made by jobs, read in time windows. */
export interface Transcripts {
  /**
   * The sentences from second `from` to second `to`; null: a default window.
   * @throws EarshotError not_found, wrong_file_type
   */
  window(
    account: Account,
    fileId: string,
    wanted: { readonly from: number; readonly to: number | null; readonly detail: 'concise' | 'full' },
  ): Promise<TranscriptWindow>;
}

export interface TranscriptsDeps {
  readonly files: Pick<FileStore, 'get'>;
  readonly objects: Pick<ObjectStore, 'read'>;
  readonly now?: () => Date;
}

/** Parsed transcripts are cached: clients read one window after the other, and parsing dominates the cost. */
const keepMs = 60_000;
const keepBytes = 32 * 1024 * 1024;

/** Windows of transcript files that our tools wrote. */
export function createTranscripts({ files, objects, now = () => new Date() }: TranscriptsDeps): Transcripts {
  const kept = new Map<
    string,
    { readonly bytes: number; readonly transcript: Promise<Transcript>; readonly timer: NodeJS.Timeout }
  >();
  const forget = (key: string): void => {
    clearTimeout(kept.get(key)?.timer);
    kept.delete(key);
  };

  const parsed = (objectKey: string, bytes: number): Promise<Transcript> => {
    const before = kept.get(objectKey);
    if (before !== undefined) {
      before.timer.refresh();
      return before.transcript;
    }
    const transcript = read(objectKey);
    kept.set(objectKey, { bytes, transcript, timer: setTimeout(forget, keepMs, objectKey).unref() });
    transcript.catch(() => forget(objectKey));
    let total = [...kept.values()].reduce((sum, entry) => sum + entry.bytes, 0);
    for (const [key, entry] of kept) {
      if (total <= keepBytes || key === objectKey) break;
      forget(key);
      total -= entry.bytes;
    }
    return transcript;
  };

  const read = async (objectKey: string): Promise<Transcript> =>
    parseTranscript(await text(await objects.read(objectKey)));

  return {
    async window(account, fileId, { from, to, detail }) {
      const file = requireReady(await ownFile(files, account, fileId, now()));
      const end = to ?? from + usualStretchSeconds;
      if (end < from) throw badValue('to', `number of at least ${from}, the value of from`, end);
      requireTranscriptFile(file);
      const transcript = await parsed(file.objectKey, file.sizeBytes ?? mostTranscriptBytes).catch(
        (thrown: unknown) => {
          const { code, message } = EarshotError.from(thrown);
          throw code === 'wrong_file_type'
            ? new EarshotError(code, `${message} (${fileId})`, { details: { id: fileId } })
            : thrown;
        },
      );
      return { fileId, ...cutWindow(transcript, from, end, detail) };
    },
  };
}

function requireTranscriptFile(file: StoredFile): void {
  if (isTranscriptFile(file)) return;
  const isOutput = file.kind === 'output' && file.sourceJobId !== null;
  throw new EarshotError(
    'wrong_file_type',
    `Expected a transcript JSON file that transcribe_audio, align_script or remove_fillers made but ${file.id} is ` +
      (isOutput ? `${file.format ?? file.contentType} output` : 'an uploaded file'),
    { details: { id: file.id } },
  );
}
