// Which transcript of a recording is opened, and which lie beside it.
import { expect, it } from 'vitest';
import type { Transcription } from '../../../../src/service/rules/edits/edit-store.ts';
import { createTranscriptLists, translationsIn } from '../../../../src/service/rules/edits/transcript-lists.ts';
import { account } from '../../http/support.ts';
import { storedFile } from '../../http/stored.ts';

const now = new Date('2026-11-20T11:00:00Z');
const text = (id: string, changes: object = {}) =>
  storedFile({
    id,
    accountId: account.id,
    kind: 'output',
    sourceJobId: 'job_1',
    media: null,
    hasAudio: false,
    format: 'json',
    ...changes,
  });
const files = [
  text('file_en'),
  text('file_de'),
  text('file_old'),
  text('file_gone', { expiresAt: now }),
  text('file_other', { accountId: 'acc_9' }),
  storedFile({ id: 'file_srt', accountId: account.id, format: 'srt' }),
];
const made = (outputFileIds: string[], language: string | null, isTranslation = false): Transcription => ({
  outputFileIds,
  language,
  isTranslation,
});
const listOf = (...jobs: Transcription[]) =>
  createTranscriptLists({
    edits: { transcribed: async () => jobs },
    files: { getMany: async (ids) => ids.map((id) => files.find((file) => file.id === id) ?? null) },
    now: () => now,
  }).of(account, 'file_1');

it('has translations behind what is spoken, and nothing that cannot be read', async () => {
  const list = await listOf(
    made(['file_gone'], 'fr'),
    made(['file_srt', 'file_en'], 'en', true),
    made(['file_other'], 'it'),
    made(['file_missing'], 'es'),
    made(['file_de'], 'de'),
    made(['file_old'], 'de'),
  );
  expect(list.map(({ id }) => id)).toEqual(['file_de', 'file_old', 'file_en']);
  expect(translationsIn(list, 'file_de')).toEqual([{ language: 'en', transcriptFileId: 'file_en' }]);
  expect(translationsIn(list, 'file_en')).toEqual([{ language: 'de', transcriptFileId: 'file_de' }]);
});

it('opens a translation where there is nothing else, and shows no transcript whose language is not known', async () => {
  const list = await listOf(made(['file_en'], 'en', true), made(['file_old'], null, true));
  expect(list[0]?.id).toBe('file_en');
  expect(translationsIn(list, 'file_en')).toEqual([]);
});
