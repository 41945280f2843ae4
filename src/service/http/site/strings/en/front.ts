/** Purposes of the tools. */
export const groups = {
  clean: 'Clean',
  write: 'Write down',
  cut: 'Cut',
  together: 'Put together',
};

/** The front page. */
export const front = {
  title: 'Clean, cut and write down recordings',
  description:
    'Removes noise, sets loudness, cuts and transcribes recorded speech. Free without an account for the first ' +
    'minutes.',
  claim: 'Clean it, cut it, write it down.',
  lead:
    'Earshot works on recorded speech: podcasts, interviews, meetings, lectures. Drop a file, pick a tool, and hear ' +
    'the difference before you keep it.',
  free: 'Free without an account: the first minutes of a file, a few times a day for each tool.',
  toolsTitle: '{n} tools',
  prices: 'Prices are in credits: 1 credit is 1 US cent. You pay for what succeeds.',
  notInstalled: 'Not installed here',
  own: 'On your own machine',
  own1:
    'One command starts the service, its database and this site. Speech models are part of it: nothing you record ' +
    'leaves the machine.',
  own2: 'The same tools are available on the command line, as a REST API, and as a library for Node.',
  guide: 'Read the guide',
  useIt: 'use it: the first part of a file, no account',
  withKey: 'with an API key: whole files',
};
