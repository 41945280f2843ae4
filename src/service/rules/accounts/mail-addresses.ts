import { badValue } from '../../../library/core/checks/schema.ts';

/** One @, no spaces or control characters, and a domain. Whether the address exists is shown by following the link. */
const form = /^[^\s@<>,;:"()[\]\\\p{Cc}]{1,64}@[^\s@<>,;:"()[\]\\\p{Cc}.]+(?:\.[^\s@<>,;:"()[\]\\\p{Cc}.]+)*$/u;

/**
 * Normalises an e-mail address: lower case, without surrounding spaces.
 * @throws EarshotError bad_request
 */
export function readAddress(given: string): string {
  const address = given.trim().toLowerCase();
  if (address.length <= 254 && form.test(address)) return address;
  throw badValue('email', 'e-mail address such as ann@example.org', given.slice(0, 300));
}
