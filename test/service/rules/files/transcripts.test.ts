import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EarshotError } from '../../../../src/library/core/errors/errors.ts';
import { parseTranscript } from '../../../../src/library/contract/parse-transcript.ts';
import type { Transcript } from '../../../../src/library/contract/transcript.ts';
import type { Account } from '../../../../src/service/rules/accounts/account.ts';
import type { StoredFile } from '../../../../src/service/rules/files/stored-file.ts';
import { cutWindow } from '../../../../src/library/contract/transcript-window.ts';
import { createTranscripts } from '../../../../src/service/rules/files/transcripts.ts';

const documented =
  /```json\n([\s\S]*?)```/.exec(
    readFileSync(new URL('../../../../docs/transcript-format.md', import.meta.url), 'utf8'),
  )?.[1] ?? '';

const sentence = (
  startSeconds: number,
  endSeconds: number,
  text = 'Hello there.',
): Transcript['sentences'][number] => ({
  startSeconds,
  endSeconds,
  text,
  speaker: 1,
  words: [{ text: 'Hello', startSeconds, endSeconds, speaker: 1 }],
});
const transcript = (sentences: Transcript['sentences']): Transcript => ({
  format: 'earshot-transcript',
  version: 1,
  language: 'en',
  durationSeconds: 1000,
  speakerCount: 1,
  sentences,
});

const codeOf = async (work: () => unknown): Promise<[string, string]> => {
  try {
    await work();
  } catch (thrown) {
    const { code, message } = EarshotError.from(thrown);
    return [code, message];
  }
  throw new Error('nothing was refused');
};

describe('the transcript format', () => {
  it('is what the document shows', () => {
    expect(parseTranscript(documented)).toMatchObject({ language: 'en', speakerCount: 1 });
  });

  it('lets readers meet fields that they do not know', () => {
    expect(parseTranscript(JSON.stringify({ ...transcript([]), confidence: 0.9 })).sentences).toEqual([]);
  });

  it.each([
    ['no JSON', '{', 'it is not JSON'],
    ['another format', JSON.stringify({ ...transcript([]), format: 'srt' }), 'format must be earshot-transcript'],
    ['a later version', JSON.stringify({ ...transcript([]), version: 2 }), 'Expected 1 for version but received 2'],
    [
      'a missing field',
      JSON.stringify({ ...transcript([]), language: undefined }),
      'Expected a value for language but received nothing',
    ],
    [
      'a missing field inside',
      JSON.stringify(transcript([{ ...sentence(1, 2), words: [{ startSeconds: 1, endSeconds: 2 } as never] }])),
      'Expected a value for sentences[0].words[0].text but received nothing',
    ],
    [
      'a language that is none',
      JSON.stringify({ ...transcript([]), language: 'English' }),
      'Expected string matching ^[a-z]{2,3}$ for language but received English',
    ],
    ['a negative time', JSON.stringify(transcript([sentence(-1, 2)])), 'for sentences[0].startSeconds but received -1'],
    [
      'an end before its start',
      JSON.stringify(transcript([sentence(3, 2)])),
      'Expected number of at least 3 for sentences[0].endSeconds but received 2',
    ],
    [
      'a word that ends before it begins',
      JSON.stringify(transcript([{ ...sentence(3, 5), words: [{ text: 'Hello', startSeconds: 4, endSeconds: 3.5 }] }])),
      'for sentences[0].words[0].endSeconds',
    ],
    [
      'sentences out of order',
      JSON.stringify(transcript([sentence(5, 6), sentence(3, 4)])),
      'Expected number of at least 5, the start of the sentence before, for sentences[1].startSeconds',
    ],
  ])('refuses %s', async (_name, content, reason) => {
    const [code, message] = await codeOf(() => parseTranscript(content));
    expect(code).toBe('wrong_file_type');
    expect(message).toContain(reason);
  });
});

describe('a window', () => {
  const three = transcript([sentence(0, 4), sentence(5, 9), sentence(300, 310)]);

  it('holds what is at least partly inside', () => {
    const window = cutWindow(three, 3, 300, 'concise');
    expect(window).toMatchObject({
      fromSeconds: 3,
      toSeconds: 300,
      durationSeconds: 1000,
      detail: 'concise',
      nextFromSeconds: 300,
    });
    expect(window.sentences.map(({ startSeconds }) => startSeconds)).toEqual([0, 5]);
    expect(window.sentences[0]).not.toHaveProperty('words');
  });

  it('has words in full detail, and no next one at the end', () => {
    const window = cutWindow(three, 300, 600, 'full');
    expect(window.nextFromSeconds).toBeNull();
    expect(window.sentences[0]?.words).toEqual([{ text: 'Hello', startSeconds: 300, endSeconds: 310, speaker: 1 }]);
  });

  it('after window shows every sentence', () => {
    const seed = Date.now() % 1_000_000;
    console.log(`seed ${seed}`);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.float({ min: 0, max: 900, noNaN: true }), fc.float({ min: 0, max: 30, noNaN: true })), {
          maxLength: 40,
        }),
        fc.integer({ min: 1, max: 400 }),
        (times, width) => {
          const all = transcript(
            times
              .map(([start, length]) => sentence(start, start + length))
              .sort((a, b) => a.startSeconds - b.startSeconds),
          );
          const seen = new Set<object>();
          const starts: number[] = [];
          for (let from: number | null = 0; from !== null;) {
            const window = cutWindow(all, from, from + width, 'concise');
            for (const each of window.sentences) {
              const original = all.sentences.filter(
                (one) => one.startSeconds === each.startSeconds && one.endSeconds === each.endSeconds,
              );
              for (const one of original) seen.add(one);
            }
            starts.push(from);
            if (window.nextFromSeconds !== null) expect(window.nextFromSeconds).toBeGreaterThan(from);
            from = window.nextFromSeconds;
          }
          expect(seen.size).toBe(all.sentences.length);
        },
      ),
      { seed },
    );
  });
});

describe('reading a file', () => {
  const account = { id: 'acc_1' } as Account;
  const stored = (patch: Partial<StoredFile>): StoredFile =>
    ({
      id: 'file_1',
      accountId: 'acc_1',
      status: 'ready',
      format: 'json',
      objectKey: 'a',
      sizeBytes: 10,
      filename: 'talk.json',
      kind: 'output',
      sourceJobId: 'job_1',
      contentType: 'application/json',
      media: null,
      hasAudio: false,
      hasVideo: false,
      expiresAt: new Date(Date.now() + 60_000),
      ...patch,
    }) as StoredFile;
  const reading = (file: StoredFile | null, content = JSON.stringify(transcript([sentence(1, 2)]))) => {
    let reads = 0;
    const transcripts = createTranscripts({
      files: { get: () => Promise.resolve(file) },
      objects: {
        read: () => {
          reads += 1;
          return Promise.resolve(Readable.from([content]));
        },
      },
    });
    return {
      window: (from = 0, to: number | null = null) =>
        transcripts.window(account, 'file_1', { from, to, detail: 'concise' }),
      reads: () => reads,
    };
  };

  it('parses it once, and ends 300 s after its start by itself', async () => {
    const { window, reads } = reading(stored({}));
    expect(await window(10)).toMatchObject({ fromSeconds: 10, toSeconds: 310 });
    expect((await window()).sentences).toHaveLength(1);
    expect(reads()).toBe(1);
  });

  it.each([
    ['somebody else’s', stored({ accountId: 'acc_2' }), 'not_found'],
    ['none', null, 'not_found'],
    ['a deleted one', stored({ status: 'deleted' }), 'file_expired'],
    ['one that is being checked', stored({ status: 'processing' }), 'file_not_ready'],
    ['one past its time', stored({ expiresAt: new Date(Date.now() - 1) }), 'file_expired'],
    ['a recording', stored({ format: 'wav', contentType: 'audio/wav', hasAudio: true }), 'wrong_file_type'],
    ['an uploaded transcript', stored({ kind: 'original', sourceJobId: null }), 'wrong_file_type'],
  ])('refuses %s', async (_name, file, code) => expect((await codeOf(() => reading(file).window()))[0]).toBe(code));

  it('refuses other JSON, naming the file', async () => {
    const [code, message] = await codeOf(() => reading(stored({}), '{"a": 1}').window());
    expect(code).toBe('wrong_file_type');
    expect(message).toContain('file_1');
  });

  it('refuses an end before its start', async () =>
    expect((await codeOf(() => reading(stored({})).window(10, 5)))[0]).toBe('bad_request'));
});
