/** A heading and what is said under it. */
type Part = readonly [heading: string, text: string];

/** What the site costs. */
export const prices = {
  title: 'Prices',
  lead: 'Paid by the minute of a recording, without a subscription. Nothing is charged for what fails.',
  length: 'Length of your recording',
  minutes: 'min',
  reckon: 'Show prices',
  forLength: 'For {length}',
  nothing: 'nothing',
  first: 'first {length}',
  how: 'How you pay',
  credit: '1 credit is 1 US cent. A recording is counted by the second, and a run costs at least 1 credit.',
  onlySuccess: 'The price is said before the start and held while the job runs; it is charged only if it succeeds.',
  least: 'The smallest payment is {least}. What is left of it stays yours for other files.',
  noAccount: 'The first part of a file is free without an account, and the rest can be paid without one, too.',
};

/** What is kept, and how long. */
export const kept = {
  lead: 'These times are the settings of this service; it deletes by itself.',
  what: 'What',
  howLong: 'How long',
  days: { one: '{n} day', other: '{n} days' },
  afterEnd: '{time} after the job ended',
  unused: '{time} without use',
  visitorFiles: 'Files and results without an account',
  onDevice: 'Recordings that your browser processes, and their results',
  onDeviceHow: 'never here: on your device, until you leave the page',
  files: 'Files and results of an account',
  edited: 'A recording that you edit, with its transcript, its edit and what was rendered',
  afterChange: '{time} after the last change',
  shares: 'A link to the text of an edit, with its comments',
  sharesHow: 'until the day you choose, at most 90 days, or until you take it back',
  jobTexts: 'Options, scripts and reports of jobs',
  jobRows: 'That a job ran, its length and its price',
  sessions: 'That you are signed in',
  webhookLog: 'What was sent to webhooks',
  addresses: 'Network addresses',
  addressesHow: 'not kept: a fingerprint with a secret key counts free uses by the day',
  account: 'Account, keys, passkeys',
  accountHow: 'until you delete the account',
  ledger: 'Payments and what was charged',
  ledgerHow: 'as long as the law asks the operator to',
  deletion:
    'You can delete each file at once among your files, and the whole account on its page. What is deleted is gone ' +
    'from the disk or bucket of the service.',
  cookies:
    'Cookies hold that you are signed in, your language and your colours. Nothing is loaded from other hosts, and ' +
    'visits are not tracked.',
};

/** The operator's pages, and drafts in their place. */
export const legal = {
  draft: 'This is a draft',
  draftHelp:
    'The operator of this service has not published a text of their own yet. The draft says what the software does; ' +
    'it is no legal advice.',
  privacy: {
    title: 'Privacy',
    parts: [
      [
        'What you send',
        'Recordings are processed on the machines of the operator. The software passes them on to no other service, ' +
          'trains nothing with them, and deletes them after the times of the table below.',
      ],
      [
        'What is known of you',
        'Without an account: nothing but a fingerprint of your network address, which counts free uses of the day. ' +
          'With an account: your e-mail address if you gave one, your passkeys, and what you bought.',
      ],
      [
        'Cookies',
        'One keeps you signed in, and two keep language and colours. There are no others, and no page loads anything ' +
          'from another host.',
      ],
      [
        'Payments',
        'The payment service of the operator learns the amount and what you type there. Card details never reach ' +
          'this service.',
      ],
      [
        'Your rights',
        'Delete files and account yourself at any time. For a copy of your data, a correction or a question, write ' +
          'to the operator.',
      ],
    ] as readonly Part[],
  },
  terms: {
    title: 'Terms',
    parts: [
      [
        'What this is',
        'The service processes recordings that you send, as the page of each tool says. You need the right to ' +
          'process what you send.',
      ],
      [
        'What it costs',
        'Prices are shown before each start. A job that fails or is cancelled costs nothing. Credits do not expire ' +
          'while the account exists.',
      ],
      [
        'What is not promised',
        'Transcripts, cuts and figures can be wrong: listen before you publish. Files are deleted after a short time, ' +
          'so keep your originals.',
      ],
      [
        'What is not allowed',
        'Attacks on the service or others through it, and recordings whose possession is a crime.',
      ],
    ] as readonly Part[],
  },
  imprint: {
    title: 'Imprint',
    parts: [['Operator', 'The operator of this service has not given name and address yet.']] as readonly Part[],
  },
};

/** Help for people who use the site. */
export const help = {
  title: 'Help',
  lead: 'How to do things here. For programs, commands and your own machine, see the docs.',
  search: 'Search the help',
  buying: 'Buy credits on the page of your credits; the card is entered at the payment service.',
  notSold: 'Credits are not sold here: ask the operator of this service for them.',
  articles: [
    {
      title: 'Make a recording sound better',
      text:
        'Open “Remove noise”, drop the file and press the button. You hear before and after equally loud, with the ' +
        'measured figures. For a far or hollow voice, take “Enhance voice”. The loudness is set as well, to −16 LUFS, ' +
        'as podcasts want it.',
      to: '/tools/remove-noise',
      toName: 'Remove noise',
    },
    {
      title: 'Cut by deleting words',
      text:
        'Open the editor and choose a recording. It is written down first; then select words and press Delete, and ' +
        'they are gone from the sound. Nothing is final before you render. Fillers and long pauses are suggested.',
      to: '/edit',
      toName: 'Editor',
    },
    {
      title: 'Get subtitles for a film',
      text:
        'Open “Transcribe” and drop the film. The result has files for subtitles (SRT and VTT) and the text. Read ' +
        'names before you publish, and correct words in the editor.',
      to: '/tools/transcribe',
      toName: 'Transcribe',
    },
    {
      title: 'Put several recordings together',
      text:
        '“Join” plays them one after the other, in the order that you set. “Mix tracks” plays them at once, with ' +
        'music that steps back under voices.',
      to: '/tools/join',
      toName: 'Join',
    },
    {
      title: 'Many files at once',
      text:
        'Choose or drop several files on the page of a tool that takes one: each gets a run of its own, with the ' +
        'same options. You see which is done, and download each.',
      to: '/tools',
      toName: 'Tools',
    },
    {
      title: 'Without uploading anything',
      text:
        'The pages of eleven tools, such as “Set loudness”, “Cut” and “Remove silence”, offer “On this device”: your browser ' +
        'does the work, whole recordings are free, and nothing is sent. It reads what your browser plays and writes ' +
        'WAV; the page says why where a run goes to our server. A page that you have visited also works without a ' +
        'connection.',
      to: '/tools/loudness',
      toName: 'Set loudness',
    },
    {
      title: 'What is free, and what costs something',
      text:
        'Without an account, the first part of a file is free some times a day for each tool; new uses come at ' +
        '0:00 UTC. Whole files cost credits by the minute. The page says the price before the start, and nothing is ' +
        'charged for what fails.',
      to: '/prices',
      toName: 'Prices',
    },
    {
      title: 'A long or large file',
      text:
        '{limits} Sign in to send larger ones: the upload goes on after a lost connection or a closed page, and you ' +
        'can close the page while the job runs. Converting a WAV to FLAC first halves it without loss.',
      to: '/sign-in',
      toName: 'Sign in',
    },
    {
      title: 'Where is my result?',
      text:
        'Without an account it is behind the address of the page that showed it, for an hour. With an account it is ' +
        'among your files for {hours} hours, longer if you edit it, and your jobs lead to it.',
      to: '/files',
      toName: 'Files',
    },
    {
      title: 'A file is refused',
      text:
        'Files must hold sound that can be decoded: nearly all audio and video formats can. Copy-protected files and ' +
        'broken downloads cannot be read; play the file on your device first. The message names the file and says ' +
        'what to do.',
      to: '/tools/convert',
      toName: 'Convert',
    },
    {
      title: 'Signing in without a password',
      text:
        'Type your e-mail address and open the link of the mail, or type its six digits. On your own device, add a ' +
        'passkey on the page of your account: then the screen lock signs you in.',
      to: '/sign-in',
      toName: 'Sign in',
    },
    {
      title: 'Payments and receipts',
      text: '{buying} Each payment has a receipt that prints on one page. If a checkout was left, nothing was charged.',
      to: '/receipts',
      toName: 'Receipts',
    },
    {
      title: 'Delete everything',
      text:
        'Delete a file among your files, or the whole account on its page. Both take effect at once. What you do not ' +
        'delete goes by itself.',
      to: '/kept',
      toName: 'What is kept, and how long',
    },
  ],
};
