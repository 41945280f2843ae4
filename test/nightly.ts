// What `npm test` leaves to `npm run test:soak`.

/**
 * Every command of the long pages, which takes a minute of processor time, and the README's picture made again: each
 * night with `npm run test:soak`. What they name is checked each time (scripts/docs-links.mjs), and the README's commands
 * run each time.
 */
export const nightly = [
  'test/docs/{picture,recipes,tutorial}.test.ts',
  'test/fleet/hosts.test.ts',
  'test/service/serve/runner.test.ts',
  'test/cli/mcp/{every-tool,stdio}.test.ts',
  'test/service/http/mcp/every-tool.test.ts',
];
