// What may import what, as tables, and the other rules of the lint. test/lint/import-directions.test.ts shows that each
// fires.

interface Pattern {
  readonly regex?: string;
  readonly group?: readonly string[];
  readonly message: string;
}

const houses = ['service', 'cli', 'client', 'browser'];

/** The library's rooms, lowest first, and the rooms that each may import besides itself. */
const libraryRooms: Readonly<Record<string, readonly string[]>> = {
  core: [],
  contract: ['core'],
  pcm: ['core'],
  kernels: ['core'],
  models: ['core', 'kernels'],
  media: ['core', 'pcm', 'kernels'],
  dsp: ['core', 'pcm', 'kernels', 'models'],
  speech: ['core', 'contract', 'pcm', 'kernels', 'models', 'media', 'dsp'],
  waveform: ['core', 'pcm', 'kernels', 'media'],
  edit: ['core', 'contract', 'pcm', 'kernels', 'models', 'media', 'dsp'],
  timeline: ['core'],
  tools: ['core', 'contract', 'pcm', 'kernels', 'models', 'media', 'dsp', 'speech', 'waveform', 'edit'],
  runtime: [
    'core',
    'contract',
    'pcm',
    'kernels',
    'models',
    'media',
    'dsp',
    'speech',
    'waveform',
    'edit',
    'timeline',
    'tools',
  ],
};

/** The folders of the library's runtime, lowest first, and what each may import of the others. */
const runtimeFolders: Readonly<Record<string, readonly string[]>> = {
  confine: [],
  channel: [],
  files: ['confine'],
  process: ['confine', 'channel', 'files'],
  previews: [],
  job: ['channel', 'files', 'process', 'previews'],
  engine: ['confine', 'channel', 'files', 'process', 'job'],
  recipes: ['confine', 'channel', 'files', 'process', 'previews', 'engine'],
  chains: ['confine', 'channel', 'files', 'process', 'engine'],
  sound: ['confine', 'channel', 'files', 'process', 'previews', 'engine', 'recipes'],
};

/**
 * What the service's rooms may import: other rooms of the service, rooms of the library, and files of a further one.
 */
const serviceRooms: Readonly<Record<string, { rooms: string[]; library: string[]; further?: [string, ...string[]] }>> =
  {
    rules: { rooms: [], library: ['core', 'contract'] },
    adapters: { rooms: ['rules'], library: ['core', 'contract'] },
    offers: { rooms: ['rules'], library: ['core', 'contract', 'tools'] },
    http: { rooms: ['rules', 'offers'], library: ['core', 'contract', 'timeline', 'tools'] },
    serve: {
      rooms: ['rules', 'adapters', 'offers', 'http'],
      library: ['core', 'contract', 'tools'],
      further: [
        'runtime',
        'engine/media-work.ts',
        'engine/installed-models.ts',
        'engine/live-voices.ts',
        'process/compile-cache.ts',
        'channel/messages.ts',
        'chains/chain.ts',
        'chains/forms.ts',
        'chains/recipes.ts',
        'confine/**',
      ],
    },
    commands: { rooms: ['rules', 'adapters', 'serve'], library: ['core', 'contract', 'tools'] },
  };

/**
 * The folders of the service's rules, in layers, lowest first: each imports what lies below it. `service.ts` beside
 * them is what they are all together, for the dialects.
 */
const rulesLayers: readonly (readonly string[])[] = [
  ['shared', 'settings', 'tools', 'fleet'],
  ['money'],
  ['accounts'],
  ['files', 'mails'],
  ['voices'],
  ['jobs', 'webhooks'],
  ['chains'],
  ['edits', 'free-runs', 'legacy-jobs', 'sign-in'],
  ['payments', 'worker'],
  ['runners'],
  ['operator'],
];

/** The same of the adapter of the database, for which `stores.ts` puts all of them together. */
const postgresLayers: readonly (readonly string[])[] = [
  ['embedded', 'migrations'],
  ['database'],
  ['money', 'shared'],
  ['accounts', 'jobs'],
  ['files', 'fleet', 'free-runs', 'payments', 'webhooks'],
];

/** The service's adapters, and which others each may import. What lies beside their folders is for all of them. */
const adapters: Readonly<Record<string, readonly string[]>> = {
  disk: [],
  links: [],
  mail: [],
  oauth: [],
  operator: [],
  passkeys: [],
  // Changes of records and the tasks that follow from them are one transaction.
  postgres: ['queue'],
  queue: [],
  runner: [],
  s3: [],
  stripe: [],
  traces: [],
};

const up = '^(\\.\\./)+';

const notTheSurface: Pattern = {
  regex: `${up}(index|server|sound)\\.ts$`,
  message: 'Nothing imports the surface of the library from inside.',
};
const onlyMedia: Pattern = { regex: '^node-av(/|$)', message: 'Only src/library/media imports node-av.' };
const onlyModels: Pattern = {
  regex: '^(onnxruntime-node|sherpa-onnx-node)(/|$)',
  message: 'Only src/library/models imports onnxruntime-node and sherpa-onnx-node.',
};
const noOtherTool: Pattern = { regex: '^\\.\\./[a-z]+_[a-z_]+/', message: 'Tools never import tools.' };

/** Packages that only one room may import. */
const packagesFor = (room: string): Pattern[] => [
  ...(room === 'media' ? [] : [onlyMedia]),
  ...(room === 'models' ? [] : [onlyModels]),
];

const names = Object.keys(libraryRooms);
const none = (rooms: readonly string[]): string => (rooms.length === 0 ? 'nothing of ours' : rooms.join(', '));

/** What lies in the library may import these rooms of it, and nothing of the service and the commands. */
function inLibrary(allowed: readonly string[], message: string, prefix = up): Pattern {
  const forbidden = [...names.filter((name) => !allowed.includes(name)), ...houses];
  return { regex: `${prefix}(${forbidden.join('|')})/`, message };
}

/** Everything in a house but this. */
const allBut = (house: string, allowed: readonly string[]): string[] => [
  `../**/${house}/**`,
  ...allowed.map((path) => `!../**/${house}/${path}`),
];

/** What of the library runs in a browser's tab, too, and is small enough for a page. */
const forBrowsers = [
  'contract/edit-defaults.ts',
  'contract/join-words.ts',
  'contract/transcript.ts',
  'core/{plural,timecode}.ts',
  'dsp/pauses/{pauses,shortened}.ts',
  'dsp/spectrum/high-pass.ts',
  'edit/{edit-list,likeness}.ts',
  'edit/pieces.ts',
  'speech/word-edit/*.ts',
  'speech/text-edit/correct.ts',
  'speech/text-edit/edited-transcript.ts',
  'speech/fillers/mark-words.ts',
  'speech/transcript/write/{by-hand,caption,captions,formats,limits}.ts',
  'speech/transcript/write/sound-labels.ts',
  'speech/transcript/write/subtitles.ts',
  'timeline/form/{frames,timeline}.ts',
  'timeline/write-timeline.ts',
];

function inService(room: string): Pattern[] {
  const { rooms, library, further } = serviceRooms[room] ?? { rooms: [], library: [] };
  const others = Object.keys(serviceRooms).filter((name) => name !== room && !rooms.includes(name));
  const rest = names.filter((name) => !library.includes(name) && name !== further?.[0]);
  const commands = room === 'commands' ? ['terminal/**'] : [];
  return [
    {
      regex: `${up}(${[...others, 'client'].join('|')})/`,
      message: `src/service/${room} may import only ${none(rooms)} and a part of the library.`,
    },
    {
      regex: `${up}library/(${rest.join('|')})/`,
      message: `src/service/${room} may import of the library only ${[...library, ...(further ?? [])].join(', ')}.`,
    },
    {
      regex: `${up}library/tools/[a-z]+_[a-z_]+/`,
      message: 'The service knows the registry and what declares tools, never their work.',
    },
    ...(further
      ? [
          {
            group: allBut(`library/${further[0]}`, further.slice(1)),
            message: `src/service/${room} may import of src/library/${further.join(', ')} only.`,
          },
        ]
      : []),
    {
      group: allBut('cli', commands),
      message: `src/service/${room} may import of src/cli ${none(commands)}.`,
    },
    notTheSurface,
    ...packagesFor(room),
  ];
}

function inAdapter(adapter: string): Pattern[] {
  const allowed = adapters[adapter] ?? [];
  const others = Object.keys(adapters).filter((name) => name !== adapter && !allowed.includes(name));
  return [
    {
      regex: `${up}(${others.join('|')})/`,
      message: `This adapter may import of the others ${none(allowed)}; src/service/serve puts them together.`,
    },
    ...inService('adapters'),
  ];
}

const restricted = (files: string[], patterns: readonly Pattern[]) => ({
  files,
  rules: { 'no-restricted-imports': ['error', { patterns }] },
});

/**
 * What lies in the folders of a room may import only folders in lower layers, besides what is forbidden in the room.
 */
const layered = (room: string, layers: readonly (readonly string[])[], forbidden: readonly Pattern[]) =>
  layers.flatMap((folders, layer) =>
    folders.map((folder) => {
      const others = layers
        .slice(layer)
        .flat()
        .filter((name) => name !== folder);
      const message = `${room}/${folder} may import of its neighbours only those in lower layers.`;
      return restricted([`${room}/${folder}/**`], [{ regex: `${up}(${others.join('|')})/`, message }, ...forbidden]);
    }),
  );

const http = inService('http');
/** A folder of src/service/http may import these of its neighbours. `depth`: how far up they are. */
const neighbours = (message: string, depth: string, allowed: readonly string[], further: readonly string[] = []) => ({
  message,
  group: [`${depth}*/**`, ...further, ...allowed.map((name) => `!${depth}${name}/**`), `!${depth}../**`],
});
const shared = ['server', 'interface'];
const dialect = 'A dialect imports src/service/http/server and src/service/http/interface, never another dialect.';
const noDialect = 'src/service/http/server imports no dialect.';

const toolDeclaration = 'A tool.ts imports only core, contract, ../declare, its options.ts and rules.ts';
const toolOptions = 'An options.ts imports only core, contract and ../declare.';
const vocabularyRooms = ['core', 'contract'];

/** What a declaration of a tool may import of its own folder and of those beside it. */
const declaration = (files: string, message: string, own: readonly string[]) =>
  restricted(
    [files],
    [
      inLibrary(vocabularyRooms, message),
      noOtherTool,
      { group: ['./*', ...own.map((name) => `!./${name}`)], message },
      { regex: '^\\.\\./registry\\.ts$', message },
      ...packagesFor('tools'),
    ],
  );

export default {
  plugins: ['eslint', 'typescript', 'unicorn', 'oxc', 'import', 'promise', 'node'],
  categories: { correctness: 'error', suspicious: 'error' },
  env: { node: true, es2024: true },
  ignorePatterns: ['dist', 'build', 'native', 'node_modules'],
  rules: {
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/await-thenable': 'error',
    'typescript/switch-exhaustiveness-check': 'error',
    'typescript/no-unnecessary-type-assertion': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/only-throw-error': 'off',
    'typescript/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
    'no-console': 'error',
    'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
    'import/no-cycle': ['error', { ignoreTypes: false }],
    eqeqeq: 'error',
    'typescript/no-unsafe-type-assertion': 'off',
    'import/no-named-as-default-member': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'no-shadow': 'off',
    'unicorn/no-array-sort': 'off',
    'unicorn/require-post-message-target-origin': 'off',
    'no-underscore-dangle': 'off',
    'typescript/unbound-method': 'off',
    'typescript/no-unnecessary-type-parameters': 'off',
    'prefer-const': 'error',
    'no-var': 'error',
    'no-restricted-properties': [
      'error',
      {
        object: 'URL',
        property: 'canParse',
        message: 'Node 22 comes to refuse letters beyond ASCII (test/service/adapters/links): use URL.parse.',
      },
    ],
  },
  overrides: [
    // Browsers read it right, and the older ones have no URL.parse.
    { files: ['src/site/**'], rules: { 'no-restricted-properties': 'off' } },
    ...Object.entries(libraryRooms)
      .filter(([room]) => room !== 'tools')
      .map(([room, rooms]) =>
        restricted(
          [`src/library/${room}/**`],
          [
            inLibrary([room, ...rooms], `src/library/${room} may import only ${none(rooms)}.`),
            notTheSurface,
            ...packagesFor(room),
          ],
        ),
      ),
    ...Object.entries(runtimeFolders).map(([folder, allowed]) =>
      restricted(
        [`src/library/runtime/${folder}/**`],
        [
          {
            regex: `${up}(${Object.keys(runtimeFolders)
              .filter((name) => name !== folder && !allowed.includes(name))
              .join('|')})/`,
            message: `src/library/runtime/${folder} may import of its neighbours only ${none(allowed)}.`,
          },
          inLibrary(
            ['runtime', ...(libraryRooms['runtime'] ?? [])],
            `src/library/runtime may import only ${none(libraryRooms['runtime'] ?? [])}.`,
          ),
          notTheSurface,
          ...packagesFor('runtime'),
        ],
      ),
    ),
    ...Object.keys(serviceRooms)
      .filter((room) => room !== 'adapters')
      .map((room) => restricted([`src/service/${room}/**`], inService(room))),
    ...layered('src/service/rules', rulesLayers, inService('rules')),
    restricted(
      ['src/service/adapters/**'],
      [
        {
          regex: `^\\./(${Object.keys(adapters).join('|')})/`,
          message: 'What adapters share imports none of them.',
        },
        ...inService('adapters'),
      ],
    ),
    ...Object.keys(adapters).map((adapter) => restricted([`src/service/adapters/${adapter}/**`], inAdapter(adapter))),
    ...layered('src/service/adapters/postgres', postgresLayers, inAdapter('postgres')),
    restricted(['src/service/http/*/*.ts'], [...http, neighbours(dialect, '../', shared)]),
    restricted(['src/service/http/*/*/**'], [...http, neighbours(dialect, '../../', shared)]),
    restricted(['src/service/http/server/*.ts'], [...http, neighbours(noDialect, '../', [], ['../*.ts'])]),
    restricted(
      ['src/client/**'],
      [
        { regex: `${up}[^.]`, message: 'src/client goes to browsers: it imports nothing but itself.' },
        { regex: '^[^.]', message: 'src/client goes to browsers: it imports no package and no node: module.' },
      ],
    ),
    restricted(
      ['src/site/**'],
      [
        {
          // All of service but http/site/strings, without a look-ahead, which the linter does not know.
          regex: `${up}(cli/|service/(?:[a-gi-z]|http/(?:[a-rt-z]|s(?:erver|ite/(?:[a-rt-z]|s(?:[^t]|t[^r]))))))`,
          message: 'src/site goes to browsers: it imports of ours only src/client and the types of texts.',
        },
        {
          group: allBut('library', forBrowsers),
          message: 'src/site goes to browsers: it imports of the library only what runs there, the list `forBrowsers`.',
        },
      ],
    ),
    restricted(
      ['src/cli/**'],
      [
        {
          group: allBut('service', ['commands/**', 'rules/settings/config.ts']),
          message: 'src/cli takes of the service only its commands, and the settings that doctor looks at.',
        },
        notTheSurface,
        ...packagesFor('cli'),
      ],
    ),
    restricted(
      ['src/library/tools/*.ts'],
      [
        inLibrary(
          ['tools', ...vocabularyRooms],
          'Declarations and the registry import only core, contract.',
          '^\\.\\./',
        ),
        {
          message: 'The registry imports declarations, the types of results and their vocabulary only.',
          group: ['./*/*', '!./*/tool.ts', '!./*/result.ts', '!./declare/*'],
        },
        ...packagesFor('tools'),
      ],
    ),
    restricted(
      ['src/library/tools/*/**'],
      [
        inLibrary(
          ['tools', ...(libraryRooms['tools'] ?? [])],
          `src/library/tools may import only ${none(libraryRooms['tools'] ?? [])}.`,
        ),
        notTheSurface,
        ...packagesFor('tools'),
        noOtherTool,
      ],
    ),
    declaration('src/library/tools/*/tool.ts', `${toolDeclaration}; its run.ts only lazily.`, [
      'options.ts',
      'rules.ts',
      'run.ts',
      'availability.ts',
    ]),
    declaration('src/library/tools/*/options.ts', toolOptions, []),
    restricted(
      ['src/library/tools/declare/**'],
      [
        inLibrary(vocabularyRooms, 'src/library/tools/declare may import only core, contract.'),
        {
          regex: '^\\.\\./([a-z]+_[a-z_]+/|[a-z-]+\\.ts$)',
          message: 'src/library/tools/declare knows no tool and no registry.',
        },
        notTheSurface,
        ...packagesFor('tools'),
      ],
    ),
    restricted(['src/*.ts'], packagesFor('')),
    {
      files: ['src/**'],
      rules: { 'max-lines-per-function': ['error', { max: 100 }] },
    },
    {
      files: ['src/cli/**', 'src/service/{serve,commands}/**', 'bench/**', 'scripts/**', 'test/**'],
      rules: { 'no-console': 'off' },
    },
  ],
};
