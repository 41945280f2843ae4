// What a file's first bytes say that it is, before FFmpeg guesses from what follows.
import { InputFormat } from 'node-av/lib';

/** The first bytes of a format, "?" for any byte, and FFmpeg's name of its reader. */
const marks: readonly (readonly [bytes: string, demuxer: string])[] = [
  ['RIFF????WAVE', 'wav'],
  ['RIFX????WAVE', 'wav'],
  ['RF64????WAVE', 'wav'],
  ['BW64????WAVE', 'wav'],
  ['RIFF????AVI ', 'avi'],
  ['RIFF????QLCM', 'qcp'],
  // The GUID whose first word is "riff".
  ['riff\x2E\x91\xCF\x11\xA5\xD6', 'w64'],
  ['FORM????AIFF', 'aiff'],
  ['FORM????AIFC', 'aiff'],
  ['FORM????8SVX', 'iff'],
  ['FRM8????????DSD ', 'iff'],
  ['DSD \x1C\0\0\0', 'dsf'],
  ['caff\0\x01', 'caf'],
  ['.snd\0\0', 'au'],
  ['fLaC', 'flac'],
  ['OggS\0', 'ogg'],
  ['\x30\x26\xB2\x75\x8E\x66\xCF\x11', 'asf'],
  ['#!AMR', 'amr'],
  ['????ftyp', 'mov'],
  ['\x1A\x45\xDF\xA3', 'matroska'],
  ['FLV\x01', 'flv'],
  ['wvpk', 'wv'],
  ['MAC ', 'ape'],
  ['TTA1', 'tta'],
  ['tBaK', 'tak'],
  ['MP+\x07', 'mpc'],
  ['MPCK', 'mpc8'],
  ['.RMF\0\0', 'rm'],
  ['NIST_1A\n', 'nistsphere'],
  ['ea3\x03\0', 'oma'],
  ['\x06\x0E\x2B\x34\x02\x05\x01\x01\x0D\x01\x02\x01\x01\x02', 'mxf'],
];

function isAt(text: string, bytes: string): boolean {
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] !== '?' && bytes[at] !== text[at]) return false;
  return true;
}

/**
 * The format that a file names in its first bytes; null where it names none. FFmpeg's guess weighs these against what
 * samples look like: a tone whose samples repeat every 192 bytes is MPEG-TS to it.
 * @param head the file's first bytes
 */
export function namedFormat(head: Buffer): InputFormat | null {
  const text = head.subarray(0, 16).toString('latin1');
  const found = marks.find(([bytes]) => isAt(text, bytes));
  return found ? InputFormat.findInputFormat(found[1]) : null;
}
