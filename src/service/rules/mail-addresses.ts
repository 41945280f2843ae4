import { badValue } from '../../library/core/schema.ts';

/** One @, no spaces or control characters, and a domain: whether it exists is what the link shows. */
const form = /^[^\s@<>,;:"()[\]\\\p{Cc}]{1,64}@[^\s@<>,;:"()[\]\\\p{Cc}.]+(?:\.[^\s@<>,;:"()[\]\\\p{Cc}.]+)*$/u;

/**
 * An e-mail address in the form in which it is stored: in lower case, without spaces around it.
 * @throws EarshotError bad_request
 */
export function readAddress(given: string): string {
  const address = given.trim().toLowerCase();
  if (address.length <= 254 && form.test(address)) return address;
  throw badValue('email', 'e-mail address such as ann@example.org', given.slice(0, 300));
}
