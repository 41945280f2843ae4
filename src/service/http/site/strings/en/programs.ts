/** Programs that ask to use an account. */
export const consent = {
  title: 'Let a program use your account?',
  here: 'A program on this computer wants to use your account',
  elsewhere: 'A program elsewhere wants to use your account',
  files: 'Read, upload and delete your files',
  jobs: 'Start jobs and spend your credits',
  not: 'Not: make keys, buy credits, or change the account',
  name: 'It says its name is',
  noName: 'It gives no name',
  goesTo: 'It goes back to',
  account: 'Your account',
  allow: 'Allow',
  refuse: 'Refuse',
  help: 'You can take this back at any time.',
  toAccount: 'Programs that act for you',
  unasked: 'If you did not just connect a program, refuse.',
  gone: 'This question was answered, is too old, or began in another browser',
  goneHelp: 'Connect again from the program.',
};

/** Programs that act for the account. */
export const programs = {
  title: 'Programs that act for you',
  program: 'Program',
  may: 'May',
  rights: 'Files, jobs, credits',
  since: 'Since',
  lastUsed: 'Last used',
  never: 'never',
  goesTo: 'goes back to {target}',
  noName: 'A program without a name',
  none: 'None. Programs such as Claude or VS Code ask here when you connect them.',
  end: 'Take back',
  endHelp: 'The program is refused from its next request on. Jobs that it started continue.',
  endYes: 'Take it back',
  keys: 'Keys of your own are under',
};
