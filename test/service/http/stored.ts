// A file, a job, a session and an upload as the service's rules answer them.
import type { StoredFile } from '../../../src/service/rules/files/stored-file.ts';
import type { StoredJob } from '../../../src/service/rules/jobs/stored-job.ts';
import type { UploadTicket } from '../../../src/service/rules/files/upload-tickets.ts';
import type { Session } from '../../../src/service/rules/accounts/sign-in-store.ts';

export const browserSession: Session = {
  id: 'ses_1',
  accountId: 'acc_1',
  createdAt: new Date('2026-11-20T10:00:00Z'),
  seenAt: new Date('2026-11-20T10:00:00Z'),
  expiresAt: new Date('2026-12-20T10:00:00Z'),
  idleSeconds: null,
  method: 'link',
  device: 'Firefox on Linux',
};

export const storedFile = (changes: Partial<StoredFile> = {}): StoredFile => ({
  id: 'file_1',
  accountId: 'acc_1',
  kind: 'original',
  status: 'ready',
  filename: 'talk.wav',
  contentType: 'audio/wav',
  sizeBytes: 1000,
  sha256: 'ab'.repeat(32),
  durationSeconds: 61.5,
  format: 'wav',
  hasVideo: false,
  hasAudio: true,
  media: { codec: 'pcm_s16le', sampleRate: 48_000, channels: 2, width: null, height: null },
  error: null,
  upload: null,
  uploadId: null,
  objectKey: 'objects/file_1',
  importHash: null,
  sourceJobId: null,
  peaksStatus: null,
  peaks: null,
  peaksKey: null,
  createdAt: new Date('2026-11-20T10:00:00Z'),
  expiresAt: new Date('2026-11-21T10:00:00Z'),
  ...changes,
});

export const storedJob = (changes: Partial<StoredJob> = {}): StoredJob => ({
  id: 'job_1',
  accountId: 'acc_1',
  tool: 'adjust_loudness',
  status: 'queued',
  inputs: { file_id: ['file_1'] },
  options: {},
  free: false,
  windowSeconds: null,
  price: 2,
  billing: { seconds: 61.2, creditsPerMinute: 1 },
  progress: 0,
  stage: 'queued',
  estimatedSecondsLeft: null,
  processedSeconds: null,
  result: null,
  outputFileIds: [],
  error: null,
  warnings: [],
  cancelRequested: false,
  attempt: 0,
  createdAt: new Date('2026-11-20T10:00:00Z'),
  startedAt: null,
  finishedAt: null,
  ...changes,
});

export const ticket = (changes: Partial<UploadTicket> = {}): UploadTicket => ({
  file: storedFile({
    status: 'awaiting_upload',
    durationSeconds: null,
    media: null,
    format: null,
    upload: { mode: 'single', partSizeBytes: null, partCount: null },
  }),
  upload: {
    url: 'http://127.0.0.1:1/upload/tok/file',
    headers: { 'content-type': 'audio/wav' },
    expiresAt: new Date('2026-11-20T16:00:00Z'),
  },
  multipart: null,
  uploadPageUrl: 'http://127.0.0.1:1/upload/tok',
  ...changes,
});
