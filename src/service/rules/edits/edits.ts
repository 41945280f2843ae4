import { EarshotError } from '../../../library/core/errors/errors.ts';
import { toolWork } from '../../../library/contract/tool-work.ts';
import { isTextFile, ownFile, requireReady } from '../files/guards.ts';
import { openFile } from '../files/open-file.ts';
import { isTranscriptFile } from '../files/transcript-file.ts';
import type { FileStore } from '../files/file-store.ts';
import type { JobStore } from '../jobs/job-store.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { ObjectStore } from '../files/object-store.ts';
import type { Account } from '../accounts/account.ts';
import type { StoredFile } from '../files/stored-file.ts';
import type { EditStore } from './edit-store.ts';
import type { Files } from '../files/file-use-cases.ts';
import { createTranscriptLists, translationsIn } from './transcript-lists.ts';
import { createVersions } from './versions.ts';
import { createProjects, type ProjectDeps } from './projects.ts';
import { editKey, orderOnce, resumedJobs } from './edit-jobs.ts';
import type { Edits } from './edit-use-cases.ts';

export interface EditsDeps extends Pick<ProjectDeps, 'config'> {
  readonly edits: EditStore;
  readonly files: Pick<FileStore, 'get' | 'getMany'>;
  readonly jobs: Pick<JobStore, 'get'>;
  readonly create: Jobs['create'];
  readonly remove: Files['remove'];
  readonly objects: Pick<ObjectStore, 'stat' | 'read'>;
  readonly now?: () => Date;
}

/** Editing recordings by their words: what the website's editor works on. */
export function createEdits(deps: EditsDeps): Edits {
  const { edits, files, jobs, create, remove, objects, config, now = () => new Date() } = deps;
  const projects = createProjects({ edits, config, now });
  const own = (account: Account, fileId: string): Promise<StoredFile> => ownFile(files, account, fileId, now());

  const recording = async (account: Account, fileId: string): Promise<StoredFile> => {
    const file = requireReady(await own(account, fileId));
    if (isTextFile(file))
      throw new EarshotError(
        'wrong_file_type',
        `Expected an audio or video file but ${fileId} is ${file.format ?? 'text'}`,
        { details: { id: fileId } },
      );
    if (!file.hasAudio)
      throw new EarshotError('no_audio', `The file ${fileId} has no sound to edit`, { details: { id: fileId } });
    return file;
  };

  /** The recording of a transcript that one of our tools made. */
  const recordingOf = async (account: Account, transcript: StoredFile): Promise<StoredFile> => {
    const job = transcript.sourceJobId === null ? null : await jobs.get(transcript.sourceJobId);
    // What removes fillers writes down what is left.
    const isOfOutput = job !== null && toolWork[job.tool].transcriptOf === 'output';
    const id = isOfOutput ? job.outputFileIds[0] : job?.inputs['file_id']?.[0];
    if (job === null || job.accountId !== account.id || id === undefined)
      throw new EarshotError('wrong_file_type', `It is not known which recording ${transcript.id} is the text of`, {
        details: { id: transcript.id },
        nextAction: 'Open the recording instead, and have it transcribed again.',
      });
    return recording(account, id);
  };

  const transcripts = createTranscriptLists({ edits, files, now });

  return {
    async open(account, fileId) {
      const asked = requireReady(await own(account, fileId));
      const isTranscript = isTranscriptFile(asked);
      const file = isTranscript ? await recordingOf(account, asked) : await recording(account, fileId);
      const stored = await edits.get(file.id);
      const written = await transcripts.of(account, file.id);
      const before = stored?.transcriptFileId ?? null;
      const known = before === null ? null : await files.get(before);
      const transcriptFileId = isTranscript
        ? asked.id
        : transcripts.isUsable(account, known)
          ? (known?.id ?? null)
          : (written[0]?.id ?? null);
      const orders = await edits.jobs(account.id, editKey(file.id));
      if (stored !== null) await projects.keep(account, file);
      const translations = translationsIn(written, transcriptFileId);
      return { file, transcriptFileId, translations, edit: stored, jobs: resumedJobs(orders) };
    },

    async save(account, fileId, edit) {
      const file = await recording(account, fileId);
      const saved = await edits.save({ ...edit, fileId, accountId: account.id });
      if (saved !== null) {
        await projects.keepChanged(account, file);
        return saved;
      }
      const stored = await edits.get(fileId);
      throw new EarshotError('conflict', 'The edit was changed elsewhere since it was read', {
        details:
          stored === null
            ? { id: fileId }
            : { id: fileId, version: stored.version, state: stored.state, transcriptFileId: stored.transcriptFileId },
        nextAction: 'Join the two and save again.',
      });
    },

    ...createVersions({ edits, recording, own, remove, projects }),

    async order(account, fileId, { tool, options, free }) {
      const { id } = await recording(account, fileId);
      return orderOnce(create, account, id, { tool, inputs: { file_id: [id] }, options, maxCredits: null, free });
    },

    sound: async (account, fileId) => openFile(objects, requireReady(await recording(account, fileId))),
  };
}
