import { expect, test } from 'vitest';
import { cleanFilename, contentTypeFor } from '../../../../src/service/rules/files/names.ts';
import { thrownBy } from '../../../fixtures/media/media.ts';

test.each([
  ['talk.wav', ' Audio/MPEG ', 'audio/mpeg'],
  ['talk.wav', 'audio/ogg; codecs=opus', 'audio/ogg; codecs=opus'],
  // Nothing said, or nothing that says anything: the name knows more.
  ['talk.wav', undefined, 'audio/wav'],
  ['talk.wav', null, 'audio/wav'],
  ['talk.wav', '  ', 'audio/wav'],
  ['talk.wav', 'application/octet-stream', 'audio/wav'],
  ['talk.wav', 'not a media type', 'audio/wav'],
  ['talk.wav', 'audio/mpeg\r\nX-Injected: yes', 'audio/wav'],
  ['TALK.FLAC', '', 'audio/flac'],
  ['talk', '', 'application/octet-stream'],
  ['talk.xyz', null, 'application/octet-stream'],
  ['talk.constructor', null, 'application/octet-stream'],
  ['talk.flv', null, 'video/x-flv'],
  ['notes.txt', null, 'text/plain; charset=utf-8'],
])('%s said to be %j is %s', (name, said, type) => {
  expect(contentTypeFor(name, said)).toBe(type);
});

test.each([
  ['../../etc/passwd', 'passwd'],
  ['C:\\Users\\ann\\talk.wav', 'talk.wav'],
  [' a\u0000b\u001f.wav ', 'ab.wav'],
  ['\u{1f600}'.repeat(255), '\u{1f600}'.repeat(255)],
])('%j becomes the name %j', (given, name) => {
  expect(cleanFilename(given)).toBe(name);
});

test.each(['', ' ', 'a/', '.', '..', 'x/..', '\u0007', 'x'.repeat(256)])('%j is no name', async (given) => {
  expect(await thrownBy(() => cleanFilename(given))).toMatchObject({
    code: 'bad_request',
    details: { field: 'filename' },
  });
});
