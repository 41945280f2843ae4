// iXML (Gallery): what recorders on a set say of a take, and where it is on the day's clock.
import { historyLine, movedReference, type NewSound } from './bext.ts';

/** Where the text of the first element of this name is; null: there is none. */
function textOf(xml: string, name: string, from = 0): { readonly start: number; readonly end: number } | null {
  const opened = xml.indexOf(`<${name}>`, from);
  if (opened < 0) return null;
  const start = opened + name.length + 2;
  const end = xml.indexOf(`</${name}>`, start);
  return end < 0 ? null : { start, end };
}

function replaced(xml: string, name: string, change: (text: string) => string | number | bigint): string {
  const found = textOf(xml, name);
  return found === null
    ? xml
    : xml.slice(0, found.start) + String(change(xml.slice(found.start, found.end))) + xml.slice(found.end);
}

function without(xml: string, name: string): string {
  const found = textOf(xml, name);
  return found === null ? xml : xml.slice(0, found.start - name.length - 2) + xml.slice(found.end + name.length + 3);
}

const whole = (text: string): bigint | null => (/^\s*\d{1,19}\s*$/u.test(text) ? BigInt(text.trim()) : null);
const low = (value: bigint): bigint => BigInt.asUintN(32, value);
const high = (value: bigint): bigint => BigInt.asUintN(64, value) >> 32n;

/** A number of 64 bits in two elements. */
function movedPair(xml: string, lowName: string, highName: string, move: (value: bigint) => bigint): string {
  const [lowText, highText] = [textOf(xml, lowName), textOf(xml, highName)];
  const lowWord = lowText && whole(xml.slice(lowText.start, lowText.end));
  if (lowWord === null) return xml;
  const highWord = (highText && whole(xml.slice(highText.start, highText.end))) ?? 0n;
  const value = move((highWord << 32n) + lowWord);
  return replaced(
    replaced(xml, lowName, () => low(value)),
    highName,
    () => high(value),
  );
}

/** Sync points: samples from the file's start, or on the day's clock. One that is not kept goes. */
function movedSyncPoints(xml: string, sound: NewSound, moment: (seconds: number) => number | null): string {
  const list = textOf(xml, 'SYNC_POINT_LIST');
  if (list === null) return xml;
  let rest = xml.slice(list.start, list.end);
  let moved = '';
  let count = 0;
  for (let point = textOf(rest, 'SYNC_POINT'); point; point = textOf(rest, 'SYNC_POINT')) {
    const text = rest.slice(point.start, point.end);
    rest = rest.slice(point.end);
    const type = textOf(text, 'SYNC_POINT_TYPE');
    const isAbsolute = type !== null && text.slice(type.start, type.end).trim() === 'ABSOLUTE';
    let isKept = true;
    const changed = movedPair(text, 'SYNC_POINT_LOW', 'SYNC_POINT_HIGH', (samples) => {
      if (isAbsolute) return movedReference(samples, { ...sound, firstSeconds: 0 });
      const seconds = moment(Number(samples) / sound.fromRate);
      isKept = seconds !== null;
      return BigInt(Math.round((seconds ?? 0) * sound.toRate));
    });
    if (!isKept) continue;
    moved += `<SYNC_POINT>${changed}</SYNC_POINT>`;
    count += 1;
  }
  const counted = moved === '' ? '' : `<SYNC_POINT_COUNT>${count}</SYNC_POINT_COUNT>${moved}`;
  return xml.slice(0, list.start) + counted + xml.slice(list.end);
}

const loudnessNames = [
  'BWF_LOUDNESS_VALUE',
  'BWF_LOUDNESS_RANGE',
  'BWF_MAX_TRUE_PEAK_LEVEL',
  'BWF_MAX_MOMENTARY_LOUDNESS',
  'BWF_MAX_SHORT_TERM_LOUDNESS',
];

function movedText(xml: string, sound: NewSound, moment: (seconds: number) => number | null): string {
  const { fromRate, toRate, bits } = sound;
  const scaled = (text: string): string | number => {
    const rate = whole(text);
    return rate === null || fromRate === toRate ? text : Math.round((Number(rate) * toRate) / fromRate);
  };
  // Time stamps may have a clock of their own: a rate pulled up or down.
  const stamped = textOf(xml, 'TIMESTAMP_SAMPLE_RATE');
  const clock = Number((stamped && whole(xml.slice(stamped.start, stamped.end))) ?? fromRate) || fromRate;
  const onClock = { ...sound, fromRate: clock, toRate: Math.round((clock * toRate) / fromRate) };
  let moved = movedPair(xml, 'TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_LO', 'TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_HI', (samples) =>
    movedReference(samples, onClock),
  );
  moved = movedPair(moved, 'BWF_TIME_REFERENCE_LOW', 'BWF_TIME_REFERENCE_HIGH', (samples) =>
    movedReference(samples, sound),
  );
  moved = movedSyncPoints(moved, sound, moment);
  for (const name of ['FILE_SAMPLE_RATE', 'TIMESTAMP_SAMPLE_RATE']) moved = replaced(moved, name, scaled);
  if (sound.isEncoded) {
    moved = replaced(moved, 'AUDIO_BIT_DEPTH', () => bits);
    moved = replaced(moved, 'BWF_CODING_HISTORY', (history) => history + historyLine(sound));
  }
  return sound.isChanged ? loudnessNames.reduce(without, moved) : moved;
}

/**
 * The text for the new sound.
 * @param moment where a moment of the source is in it; null: nowhere
 */
export function movedIxml(
  body: Buffer,
  sound: NewSound,
  moment: (seconds: number) => number | null,
  keepsTracks: boolean,
): Buffer {
  // Names and numbers are ASCII, so other letters of UTF-8 may pass as bytes.
  const isWide = body.subarray(0, 2).equals(Buffer.from([0xff, 0xfe])) || (body[0] === 0x3c && body[1] === 0);
  const encoding = isWide ? 'utf16le' : 'latin1';
  const xml = movedText(body.toString(encoding), sound, moment);
  return Buffer.from(keepsTracks ? xml : without(xml, 'TRACK_LIST'), encoding);
}
