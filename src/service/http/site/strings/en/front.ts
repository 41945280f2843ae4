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
  sample: 'No file at hand? Take our sample',
  editor: 'Cut sound by deleting words',
  example: '{seconds} seconds of talk, before and after',
  exampleHelp: 'B plays without the noise and the {n} fillers, as loud as A.',
  exampleCut: {
    one: 'B plays without the noise and {n} marked stretch, as loud as A.',
    other: 'B plays without the noise and the {n} marked stretches, as loud as A.',
  },
  exampleWhole: 'B plays without the noise, as loud as A.',
  exampleFailed: 'The example could not be loaded. Press play to try again.',
  exampleWords: 'Press a word to cut it out of B, or to keep it.',
  exampleEdit: 'Open it in the editor',
  figures: 'Every result is measured',
  figuresHelp: 'These are the figures of the recording above, read from the files that you hear.',
  floor: 'Noise floor before and after Remove noise, both at −16 LUFS.',
  loudness: 'Loudness as recorded and afterwards. The target was −16 LUFS; the true peak is {peak} dBTP.',
  removed: 'Shorter without the {n} fillers that were found.',
  toolsTitle: '{n} tools and an editor',
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
