import { badInput, badValue } from '../../../library/core/checks/schema.ts';
import { checkVoiceName, isSameName } from '../../../library/contract/voice-print.ts';
import type { SentReference } from '../../rules/free-runs/free-run-store.ts';

const names = 'known_speaker_names';
const references = 'known_speaker_references';
/** As that API documents it. */
const most = 4;
/** Of one reference as base64: 10 s of sound with 24 bits, two channels and 48 kHz. */
export const mostReferenceBytes = 4 * 2 ** 20;

const dataUrl =
  /^data:(?:(?:audio|video)\/[\w.+-]{1,60}|application\/(?:octet-stream|ogg|mp4))?(?:;[\w.-]{1,60}=[\w.-]{1,60}){0,4};base64,/i;
const expectedReference = 'a data URL of audio (data:audio/wav;base64,...)';

/** Collects known_speaker_names and known_speaker_references, decoded as they come. */
export class KnownSpeakers {
  private readonly names: string[] = [];
  private readonly sounds: Buffer[] = [];

  /** @returns was it one of these fields? @throws EarshotError bad_request */
  add(field: string, value: string): boolean {
    if (field !== names && field !== references) return false;
    const list = field === names ? this.names : this.sounds;
    if (value !== '' && list.length === most) throw badInput(field, `at most ${most} of them`, 'more');
    if (value === '') return true;
    if (field === names) this.names.push(value);
    else this.sounds.push(decoded(value, this.sounds.length));
    return true;
  }

  /** @throws EarshotError bad_request */
  finish(format: string): readonly SentReference[] {
    const [field, count] = [this.names.length > 0 ? names : references, this.names.length];
    if (count === 0 && this.sounds.length === 0) return [];
    if (format !== 'diarized_json') throw badValue(field, 'response_format diarized_json together with it', format);
    if (this.sounds.length !== count)
      throw badInput(references, `one for each of the ${count} known_speaker_names`, String(this.sounds.length));
    const checked = this.names.map((name, at) => {
      // The rule's own message has no field.
      if (/[\p{Cc},]/u.test(name) || name.trim() === '' || name.trim().length > 80 || isSameName(name, 'all'))
        throw badInput(
          names,
          'a name of 1 to 80 characters, without commas, and not "all"',
          'another',
          `${names}[${at}]`,
        );
      return checkVoiceName(name);
    });
    if (checked.some((name, at) => checked.slice(0, at).some((other) => isSameName(name, other))))
      throw badInput(names, 'different names', 'one twice');
    return checked.map((name, at) => ({ name, sound: this.sounds[at] as Buffer }));
  }
}

function decoded(value: string, at: number): Buffer {
  const start = dataUrl.exec(value)?.[0];
  const sound = Buffer.from(start === undefined ? '' : value.slice(start.length), 'base64');
  // Never shown: it is the voice of a person.
  if (sound.length === 0) throw badInput(references, expectedReference, 'something else', `${references}[${at}]`);
  return sound;
}
