// Windows that an interrupted run has read are answered from what it left.
import { expect, test } from 'vitest';
import type { FinishedPart } from '../../../../src/library/core/progress/finished-parts.ts';
import type { PlacedWord } from '../../../../src/library/speech/recognise/windows/place-words.ts';
import { resumedReader } from '../../../../src/library/speech/recognise/windows/resumed-reader.ts';
import type { WindowReader } from '../../../../src/library/speech/recognise/windows/window-reader.ts';
import type { ListeningWindow } from '../../../../src/library/speech/recognise/windows/windows.ts';
import { partsOf } from '../../../fixtures/finished-parts.ts';

const windowAt = (startSeconds: number): ListeningWindow => {
  const range = { startSeconds, endSeconds: startSeconds + 20 };
  return { pieces: [range], voices: [range] };
};
const wordAt = (startSeconds: number): PlacedWord => ({
  text: `word-${startSeconds}`,
  startSeconds,
  endSeconds: startSeconds + 0.25,
  confidence: 0.875,
});

function countingReader(): { readonly reader: WindowReader; readonly read: number[] } {
  const read: number[] = [];
  return {
    read,
    reader: {
      groups: [],
      lanes: 1,
      read: (windows, from) => {
        read.push(from);
        return Promise.resolve(windows.map(({ pieces: [piece] }) => [wordAt(piece?.startSeconds ?? 0)]));
      },
    },
  };
}

const english = { id: 'whisper-base', language: 'en', verbatim: false };

test('what was read is not read again, and reads the same', async () => {
  const parts: FinishedPart[] = [];
  const first = countingReader();
  const before = await resumedReader(first.reader, english, partsOf(parts)).read([windowAt(0), windowAt(20)], 0);
  expect(first.read).toEqual([0]);
  const second = countingReader();
  const resumed = resumedReader(second.reader, english, partsOf(parts));
  expect(await resumed.read([windowAt(0), windowAt(20)], 0)).toEqual(before);
  expect(second.read).toEqual([]);
  expect(await resumed.read([windowAt(40)], 2)).toEqual([[wordAt(40)]]);
  expect(second.read).toEqual([2]);
  expect(parts).toHaveLength(2);
});

test('other windows, another recogniser and other options are read', async () => {
  const parts: FinishedPart[] = [];
  await resumedReader(countingReader().reader, english, partsOf(parts)).read([windowAt(0)], 0);
  for (const [identity, at] of [
    [english, 0.02],
    [{ ...english, id: 'whisper-tiny' }, 0],
    [{ ...english, language: 'de' }, 0],
    [{ ...english, verbatim: true }, 0],
  ] as const) {
    const { reader, read } = countingReader();
    await resumedReader(reader, identity, partsOf([...parts])).read([windowAt(at)], 0);
    expect(read, JSON.stringify([identity, at])).toEqual([0]);
  }
});

test('what is no list of words is read again', async () => {
  const parts: FinishedPart[] = [];
  await resumedReader(countingReader().reader, english, partsOf(parts)).read([windowAt(0)], 0);
  const [{ key }] = parts as [FinishedPart];
  for (const value of [
    null,
    7,
    'words',
    [],
    [[], []],
    [7],
    [[{ text: 'a' }]],
    [[{ ...wordAt(0), startSeconds: -1 }]],
  ]) {
    const { reader, read } = countingReader();
    const damaged = partsOf([{ key, value: value }]);
    expect(await resumedReader(reader, english, damaged).read([windowAt(0)], 0)).toEqual([[wordAt(0)]]);
    expect(read, JSON.stringify(value)).toEqual([0]);
  }
});
