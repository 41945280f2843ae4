// The archive of a chain where something goes wrong while it is downloaded: it breaks off, and nothing stays open.
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { type ArchivedFile, archiveOf } from '../../../../src/service/http/site/recipes/archive.ts';

const report = { name: 'a.report.json', bytes: Buffer.from('{}') };
const archive = (files: readonly ArchivedFile[]) => archiveOf(files, report, new Date(0), () => undefined);
const pieces = 64;
const file = (read: (this: Readable) => void): ArchivedFile & { readonly stream: Readable } => {
  const stream = new Readable({ read, highWaterMark: 1024 });
  return { name: 'a.wav', sizeBytes: pieces * 1024, open: async () => stream, stream };
};
const whole = () => {
  let left = pieces;
  return file(function () {
    this.push((left -= 1) < 0 ? null : Buffer.alloc(1024));
  });
};

it('says its own length, and has all of each file', async () => {
  const [one, two] = [whole(), { ...whole(), name: 'b.wav' }];
  const { sent, sizeBytes } = await archive([one, two]);
  const bytes = await buffer(sent);
  expect(bytes.length).toBe(sizeBytes);
  expect(['a.wav', 'b.wav', report.name].every((name) => bytes.includes(name))).toBe(true);
});

it('has a name like that of a drive in another form', async () => {
  const { sent } = await archiveOf(
    [{ ...whole(), name: 'C:..wav' }],
    { ...report, name: 'A: intro.report.json' },
    new Date(0),
    () => undefined,
  );
  const bytes = await buffer(sent);
  expect(['C_..wav', 'A_ intro.report.json'].every((name) => bytes.includes(name))).toBe(true);
});

it('breaks off where a file cannot be read on, is shorter than it was, or is gone', async () => {
  const lost = file(function () {
    this.destroy(new Error('the connection was lost'));
  });
  await expect(buffer((await archive([lost])).sent)).rejects.toThrow('connection was lost');
  const short = file(function () {
    this.push(null);
  });
  await expect(buffer((await archive([short])).sent)).rejects.toThrow('unexpected number of bytes');
  const gone: ArchivedFile = { ...whole(), open: () => Promise.reject(new Error('it was deleted')) };
  await expect(buffer((await archive([gone])).sent)).rejects.toThrow('it was deleted');
});

it('closes the file that is being read when the download is broken off', async () => {
  const endless = file(function () {
    this.push(Buffer.alloc(1024));
  });
  const { sent } = await archive([endless]);
  await new Promise((resolve) => sent.once('readable', resolve));
  sent.destroy();
  await expect.poll(() => endless.stream.destroyed).toBe(true);
  // And one that is opened only then.
  const late = whole();
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const { sent: second } = await archive([{ ...late, open: () => opened.then(() => late.stream) }]);
  second.destroy();
  open();
  await expect.poll(() => late.stream.destroyed).toBe(true);
});
