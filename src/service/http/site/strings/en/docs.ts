/** The guides. */
export const docs = {
  title: 'Docs',
  lead: 'Guides, and the reference of every tool, command and operation.',
  search: 'Search the docs',
  find: 'Search',
  found: { one: '{n} place for “{query}”', other: '{n} places for “{query}”' },
  nothing: 'Nothing for “{query}”. Try fewer or other words.',
  onPage: 'On this page',
  groups: { start: 'Start', use: 'Use', run: 'Run a service', more: 'Background', reference: 'Reference' },
};
