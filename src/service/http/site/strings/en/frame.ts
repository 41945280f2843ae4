/** The frame of every page. */
export const frame = {
  brand: 'Earshot, front page',
  skip: 'Skip to content',
  main: 'Main',
  pages: 'Pages',
  tools: 'Tools',
  editor: 'Editor',
  docs: 'Docs',
  api: 'API reference',
  kept: 'What is kept, and how long',
  ownMachine: 'Earshot is open source. This service runs on the operator’s own machine.',
  theme: 'Theme',
  themes: { system: 'System', light: 'Light', dark: 'Dark' },
  language: 'Language',
  change: 'Change',
  signIn: 'Sign in',
  copy: 'Copy the command',
};

/** Errors as pages. */
export const problem = {
  title: 'This did not work',
  notFound: 'There is no such page',
  notFoundHelp:
    'The address may be mistyped, or what was here has been deleted: files go after a day, free runs after an hour.',
  limited: 'Too many requests',
  failed: 'Something went wrong here',
  toFront: 'To the front page',
  code: 'Code',
  request: 'request',
};

/** Formats of lengths, sizes and prices. */
export const units = {
  seconds: { one: '{n} second', other: '{n} seconds' },
  minutes: { one: '{n} minute', other: '{n} minutes' },
  hours: { one: '{n} hour', other: '{n} hours' },
  credits: { one: '{n} credit', other: '{n} credits' },
  creditsPerMinute: { one: '{n} credit a minute', other: '{n} credits a minute' },
};
