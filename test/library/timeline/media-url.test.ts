// Addresses of recordings, made without Node's own parts, as Node makes them.
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { endingOf, fileNameOf, lastOf, mediaUrl, stemOf } from '../../../src/library/timeline/form/media-url.ts';

it.each(['/m/ü & 1.mov', '/a b/100%?#;"<>.wav', "/it's (1) [2].wav", '/日本語/~$@=+,.mp3'])(
  '%s leads to the same file as by Node',
  (path) => {
    expect(fileURLToPath(mediaUrl(path))).toBe(path);
    expect(fileNameOf(mediaUrl(path))).toBe(lastOf(path));
  },
);

it.each(['C:\\Users\\ü & 1\\a b.mov', '\\\\server\\share\\a#1.wav'])('%s is a file of Windows', (path) => {
  expect(mediaUrl(path)).toBe(pathToFileURL(path, { windows: true }).href.replaceAll('&', '%26'));
  expect(lastOf(path)).toBe(path.split('\\').at(-1));
});

it('a bare name is a relative reference', () => {
  expect(mediaUrl('ü & 1.wav')).toBe('%C3%BC%20%26%201.wav');
  expect(fileNameOf(mediaUrl('ü & 1.wav'))).toBe('ü & 1.wav');
  expect(mediaUrl('\uD800.wav')).toBe('%EF%BF%BD.wav');
});

it.each([
  ['/m/a.b.WAV', 'a.b', '.wav'],
  ['.hidden', '.hidden', ''],
  ['plain', 'plain', ''],
  ['/m.x/plain', 'plain', ''],
])('%s is %s and %s', (path, stem, ending) => {
  expect([stemOf(path), endingOf(path)]).toEqual([stem, ending]);
});
