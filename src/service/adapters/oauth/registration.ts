/** Why a registration is refused, in the words of RFC 7591, 3.2.2. */
export class RegistrationError extends Error {
  readonly code: 'invalid_redirect_uri' | 'invalid_client_metadata';
  constructor(code: RegistrationError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** What is kept of a registration. Logos, policies, key addresses and the like are dropped: nothing is fetched. */
export interface Registration {
  readonly client_name?: string;
  readonly redirect_uris: readonly string[];
  readonly application_type: 'native' | 'web';
  readonly token_endpoint_auth_method: string;
  readonly grant_types: readonly string[];
  readonly response_types: readonly ['code'];
}

const mostRedirects = 10;
const longestRedirect = 1000;
const longestName = 80;
const authMethods = ['none', 'client_secret_basic', 'client_secret_post'];
const loopbacks = new Set(['127.0.0.1', '[::1]', 'localhost']);
/**
 * A domain name in reverse (RFC 8252, 7.1). Names without a dot belong to browsers (javascript:), to the system
 * (ms-msdt:), or to anyone who claims them first.
 */
const privateScheme = /^[a-z][a-z\d+-]*(?:\.[a-z\d+-]+)+:$/;

/**
 * Reads the body of a registration (RFC 7591). Desktop programs register http://127.0.0.1 or http://localhost without
 * saying that they are native, so that is decided by the redirects.
 * @throws RegistrationError
 */
export function readRegistration(text: string): Registration {
  const given = parsed(text);
  const redirects = readRedirects(given['redirect_uris']);
  const name = readName(given['client_name']);
  return {
    ...(name === '' ? {} : { client_name: name }),
    redirect_uris: redirects,
    application_type: redirects.some(isNative) ? 'native' : 'web',
    token_endpoint_auth_method: readAuthMethod(given['token_endpoint_auth_method']),
    grant_types: readGrantTypes(given['grant_types']),
    response_types: ['code'],
  };
}

/** Does the address lead to a program on the person's own machine? */
export function isNative(redirect: string): boolean {
  const { protocol, hostname } = new URL(redirect);
  return protocol === 'http:' ? loopbacks.has(hostname) : protocol !== 'https:';
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // As below.
  }
  throw new RegistrationError('invalid_client_metadata', 'Expected a JSON object');
}

function readRedirects(given: unknown): readonly string[] {
  const bad = (what: string): RegistrationError => new RegistrationError('invalid_redirect_uri', what);
  if (!Array.isArray(given) || given.length === 0 || given.length > mostRedirects)
    throw bad(`Expected redirect_uris with 1 to ${mostRedirects} addresses`);
  return given.map((each: unknown) => {
    const url = typeof each === 'string' && each.length <= longestRedirect ? URL.parse(each) : null;
    if (typeof each !== 'string' || url === null)
      throw bad(`Expected redirect_uris to be addresses of at most ${longestRedirect} characters`);
    if (each.includes('#') || url.username !== '' || url.password !== '')
      throw bad('Expected redirect_uris without fragments and passwords');
    if (url.protocol === 'http:' && !loopbacks.has(url.hostname))
      throw bad('Expected redirect_uris over https, or http to 127.0.0.1, [::1] or localhost');
    if (!['http:', 'https:'].includes(url.protocol) && !privateScheme.test(url.protocol))
      throw bad(
        'Expected redirect_uris over https, to 127.0.0.1, or with a scheme that holds a dot, such as ' +
          `com.example.app:, but received ${url.protocol}`,
      );
    return each;
  });
}

/** Shown to people: one line, without signs that change how it reads. */
function readName(given: unknown): string {
  if (given === undefined || given === null) return '';
  if (typeof given !== 'string')
    throw new RegistrationError('invalid_client_metadata', 'Expected client_name to be a string');
  return Array.from(given.replace(/[\p{C}\s]+/gu, ' ').trim())
    .slice(0, longestName)
    .join('');
}

function readAuthMethod(given: unknown): string {
  if (given === undefined || given === null) return 'client_secret_basic';
  if (typeof given === 'string' && authMethods.includes(given)) return given;
  throw new RegistrationError(
    'invalid_client_metadata',
    `Expected token_endpoint_auth_method to be one of ${authMethods.join(', ')}`,
  );
}

/** Others than ours are left out, as RFC 7591 allows. */
function readGrantTypes(given: unknown): readonly string[] {
  if (given === undefined || given === null) return ['authorization_code'];
  if (!Array.isArray(given) || !given.includes('authorization_code'))
    throw new RegistrationError('invalid_client_metadata', 'Expected grant_types with authorization_code');
  return given.includes('refresh_token') ? ['authorization_code', 'refresh_token'] : ['authorization_code'];
}
