import type { MailStrings } from './mail-strings.ts';

export const en: MailStrings = {
  signIn: {
    subject: 'Sign in to Earshot',
    asked: (time, device) =>
      `You, or somebody with your address, asked to sign in at ${time}${device === '' ? '' : ` from ${device}`}.`,
    button: 'Sign in',
    orCode: 'Do you read this on another device? Then type this code where you asked:',
    once: (minutes) =>
      `Link and code work once, for ${minutes} minutes, in the browser that asked. Tell the code to no one: we never ` +
      'ask for it.',
    copy: 'If the button does nothing, copy this address:',
    notYou: 'Was it not you? Then ignore this mail. No one can sign in without it.',
    why: (host) => `Sent because a sign-in was asked for at ${host}.`,
  },
  noAccount: {
    subject: 'No account at Earshot',
    none:
      'There is no account with this address, and new ones are made by the operator of the service. Ask there for ' +
      'one.',
    notYou: 'Was it not you? Then ignore this mail.',
  },
  addressChanged: {
    subject: 'The address of your account was changed',
    changed: (time, address) =>
      'Sign-in mails and receipts of your Earshot account no longer come ' +
      `here${address === '' ? '' : ` but go to ${address}`}. It was changed at ${time}.`,
    notYou: 'Was it not you? Then take it back:',
    button: 'Take the change back',
    undo: (until) =>
      `This works until ${until}. The account has this address again, all browsers and programs are signed out, and ` +
      'passkeys and keys made in the week before the change or since are removed.',
    you: 'Was it you? Then there is nothing to do.',
    signInThere: (until) =>
      `Was it you? Then sign in with the new address. From ${until} on, this one can have an account of its own.`,
    why: (host) => `Sent because an account at ${host} had this address.`,
  },
  addressRestored: {
    subject: 'The change of address was taken back',
    back: 'Your Earshot account has this address again.',
    taken: (address) => `The Earshot account that had this address has ${address} again: a link sent there was used.`,
    ended: (since) =>
      `All browsers and programs were signed out, and passkeys and keys made since ${since} were removed.`,
    button: 'Sign in',
    look: 'Look at your keys and jobs. If somebody else can read your mail, change its password first.',
    operator: 'Was it not you? Then ask the operator of the service at once.',
    why: (host) => `Sent because an account at ${host} has or had this address.`,
  },
  notices: {
    kinds: {
      device: { subject: 'New sign-in to your account', first: 'A browser that is new to your account signed in.' },
      passkey: {
        subject: 'New passkey of your account',
        first: 'A passkey was added. It can sign in to your account.',
      },
      key: { subject: 'New key of your account', first: 'A key was made. It can use your account and its credits.' },
      program: {
        subject: 'A program may use your account',
        first: 'A program was connected. It can use your account and its credits.',
      },
    },
    name: 'Name',
    time: 'Time',
    device: 'From',
    unknown: 'a browser that does not say',
    button: 'Look at your account',
    notYou:
      'Was it you? Then there is nothing to do. Was it not you? Then sign in, take it away, and end all other ' +
      'sessions.',
    why: (host) => `Sent because you have an account at ${host}.`,
  },
  newAddress: {
    subject: 'Your new address at Earshot',
    asked: 'Open this link to receive sign-in links and receipts at this address from now on.',
    button: 'Use this address',
    once: (minutes) => `The link works once, for ${minutes} minutes, in a browser that is signed in to the account.`,
    why: (host) => `Sent because an account at ${host} asked to use this address.`,
  },
  refillFailed: {
    subject: 'Auto-refill did not work',
    cause: {
      declined: (amount, card, time) =>
        `Your bank declined ${amount} on the card ending in ${card} at ${time}. Nothing was charged, and we do not ` +
        'try again by ourselves.',
      expired: (amount, card, time) =>
        `${amount} could not be charged at ${time}: the card ending in ${card} has expired. Nothing was charged, and ` +
        'we do not try again by ourselves.',
      confirm: (amount, card, time) =>
        `Your bank wants you to confirm ${amount} on the card ending in ${card}. We asked at ${time}; nothing was ` +
        'charged, and we do not try again by ourselves.',
    },
    creditsLeft: 'Credits left',
    running: 'Running jobs',
    runningGoOn: 'go on',
    button: { declined: 'Use another card', expired: 'Add a new card', confirm: 'Pay and confirm' },
    orElse: 'There you can also try the same card again, buy credits once, or turn auto-refill off.',
    why: (email, host) => `Sent because auto-refill is on for ${email} at ${host}.`,
  },
  receipt: {
    subject: (credits, amount) => `${credits} credits for ${amount}`,
    thanks: 'Thank you. The credits are in your account.',
    paid: 'Paid',
    credits: (credits) => `${credits} credits`,
    each: (amount) => `${amount} ($0.01 each)`,
    creditsNow: 'Credits now',
    automatic: 'Bought by auto-refill.',
    button: 'Receipt to print',
    why: (host) => `Sent for a payment at ${host}.`,
  },
  webhookOff: {
    subject: 'A webhook was switched off',
    because: {
      failing: (url) => `Every try to reach ${url} failed for a day, so nothing is sent there any more.`,
      gone: (url) => `${url} answered that it wants no more (410), so nothing is sent there any more.`,
    },
    kept: 'What happens meanwhile is not kept for it. When your server answers again, switch it on.',
    button: 'Look at its log',
    why: (host) => `Sent because an account at ${host} has this webhook.`,
  },
  ended: {
    subject: {
      completed: (what) => `Finished: ${what}`,
      failed: (what) => `Failed: ${what}`,
      cancelled: (what) => `Cancelled: ${what}`,
      test: () => 'A test of your mails',
    },
    how: {
      completed: 'It has finished, and its results are there.',
      failed: 'It has failed. Look what went wrong.',
      cancelled: 'It was cancelled.',
      test: 'You asked for a test. Mails about your long jobs come to this address.',
    },
    which: 'Which',
    ordered: 'Ordered',
    over: 'Ended',
    error: 'Error',
    button: 'Have a look',
    why: (host) => `Sent because an account at ${host} asked for mails about its long jobs.`,
  },
  deleted: {
    subject: 'Your account is deleted',
    gone:
      'Your files, keys and sessions are gone, and so is this address. Receipts are kept for as long as the law asks ' +
      'for.',
    why: (host) => `Sent because an account at ${host} was deleted.`,
  },
};
