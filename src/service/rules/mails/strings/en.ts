import type { MailStrings } from './mail-strings.ts';

export const en: MailStrings = {
  signIn: {
    subject: 'Sign in to Earshot',
    asked: (time, device) =>
      `You, or somebody with your address, asked to sign in at ${time}${device === '' ? '' : ` from ${device}`}.`,
    button: 'Sign in',
    orCode: 'Do you read this on another device? Then type this code where you asked:',
    once: (minutes) =>
      `Link and code work once, for ${minutes} minutes, in the browser that asked. Tell the code to nobody: we never ask for it.`,
    copy: 'If the button does nothing, copy this address:',
    notYou: 'Was it not you? Then ignore this mail. No one can sign in without it.',
    why: (host) => `Sent because a sign-in was asked for at ${host}.`,
  },
  noAccount: {
    subject: 'No account at Earshot',
    none: 'There is no account with this address, and new ones are made by the operator of the service. Ask there for one.',
    notYou: 'Was it not you? Then ignore this mail.',
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
        `Your bank declined ${amount} on the card ending in ${card} at ${time}. Nothing was charged, and we do not try again by ourselves.`,
      expired: (amount, card, time) =>
        `${amount} could not be charged at ${time}: the card ending in ${card} has expired. Nothing was charged, and we do not try again by ourselves.`,
      confirm: (amount, card, time) =>
        `Your bank wants you to confirm ${amount} on the card ending in ${card}. We asked at ${time}; nothing was charged, and we do not try again by ourselves.`,
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
  deleted: {
    subject: 'Your account is deleted',
    gone: 'Your files, keys and sessions are gone, and so is this address. Receipts are kept for as long as the law asks for.',
    why: (host) => `Sent because an account at ${host} was deleted.`,
  },
};
