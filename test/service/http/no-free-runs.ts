// A free API that has uses left and no run, and a till that nobody has paid into.
import { EarshotError } from '../../../src/library/core/errors/errors.ts';
import type { Edits } from '../../../src/service/rules/edits/edit-use-cases.ts';
import type { Shares } from '../../../src/service/rules/edits/shares.ts';
import type { FreeRuns } from '../../../src/service/rules/free-runs/free-run-use-cases.ts';
import type { LegacyJobs } from '../../../src/service/rules/legacy-jobs/legacy-job-use-cases.ts';
import type { Keys } from '../../../src/service/rules/sign-in/key-use-cases.ts';
import type { SignIn } from '../../../src/service/rules/sign-in/sign-in-use-cases.ts';
import type { Jobs, JobView } from '../../../src/service/rules/jobs/jobs.ts';
import type { Webhooks } from '../../../src/service/rules/webhooks/webhooks.ts';
import type { Payments } from '../../../src/service/rules/payments/payment-use-cases.ts';

export const notHere = (): never => {
  throw new EarshotError('not_found', 'This service has no such run');
};

export const noFreeRuns: FreeRuns = {
  visitor: (account, address) => ({ account, subject: account?.id ?? address }),
  allowance: async (_visitor, tool) => ({
    tool,
    dailyUses: 3,
    usesLeft: 3,
    seconds: 60,
    resetsAt: new Date(Date.now() + 60_000),
  }),
  admit: async () => notHere(),
  follow: async () => notHere(),
  followStatusLink: async () => notHere(),
  cancel: async () => notHere(),
  overview: async () => ({ allowances: [], waiting: [] }),
  byStatusLink: async () => notHere(),
  byFinishLink: async () => notHere(),
  finishOf: async () => null,
  open: async () => notHere(),
};

export const noLegacyJobs: LegacyJobs = {
  upload: async () => notHere(),
  create: async () => notHere(),
  status: async () => notHere(),
  follow: async () => notHere(),
  nameOf: ({ fileId }) => fileId,
  open: async () => notHere(),
};

export const noPayments: Payments = {
  checkoutOrigin: null,
  get: async () => notHere(),
  ofBrowser: async () => null,
  receiptUrl: () => notHere(),
  payForRun: async () => notHere(),
  buyUrl: () => null,
  buyer: async () => notHere(),
  payForCredits: async () => notHere(),
  onEvent: async () => notHere(),
  confirm: async () => notHere(),
  refund: async () => notHere(),
  list: async () => ({ items: [], nextCursor: null }),
  possible: false,
  payForAccount: async () => notHere(),
  goOn: async () => null,
  listOf: async () => ({ items: [], nextCursor: null }),
  ofAccount: async () => notHere(),
  refills: {
    possible: false,
    spentThisMonth: async () => 0,
    save: async () => notHere(),
    turnOff: async () => undefined,
    saveCard: async () => notHere(),
    forgetCard: async () => undefined,
    retry: async () => undefined,
    check: async () => undefined,
    sweep: async () => undefined,
  },
  receipt: async () => notHere(),
  makeKey: async () => notHere(),
};

/** Says how it is, and that it stays so. */
export const followOnce =
  (view: JobView): Jobs['follow'] =>
  async (_account, _id, listener) => {
    listener(view, true);
    return { stop: () => undefined };
  };

export const noSignIn: SignIn = {
  mails: false,
  isFresh: () => true,
  open: true,
  requestLink: async () => undefined,
  linkState: async () => notHere(),
  openLink: async () => notHere(),
  followLink: async () => notHere(),
  followCode: async () => notHere(),
  requestAddress: async () => notHere(),
  confirmAddress: async () => notHere(),
  undoableChange: async () => notHere(),
  undoAddress: async () => notHere(),
  sessions: async () => [],
  endSession: async () => notHere(),
  endOtherSessions: async () => 0,
  passkeys: async () => [],
  passkeyOptions: async () => notHere(),
  addPasskey: async () => notHere(),
  passkeyChallenge: async () => notHere(),
  signInByPasskey: async () => notHere(),
  removePasskey: async () => notHere(),
  setLanguage: async () => undefined,
  deleteAccount: async () => notHere(),
};

export const noEdits: Edits = {
  open: async () => notHere(),
  save: async () => notHere(),
  nameVersion: async () => notHere(),
  versions: async () => [],
  version: async () => notHere(),
  removeVersion: async () => notHere(),
  project: async () => notHere(),
  parts: async () => notHere(),
  removeProject: async () => notHere(),
  order: async () => notHere(),
  sound: async () => notHere(),
};

export const noShares: Shares = {
  add: async () => notHere(),
  list: async () => [],
  remove: async () => undefined,
  removeComment: async () => undefined,
  read: async () => notHere(),
  sound: async () => notHere(),
  comment: async () => notHere(),
};

export const noWebhooks: Webhooks = {
  create: async () => notHere(),
  list: async () => [],
  get: async () => notHere(),
  update: async () => notHere(),
  remove: async () => notHere(),
  rotate: async () => notHere(),
  test: async () => notHere(),
  deliveries: async () => notHere(),
  replay: async () => notHere(),
};

export const noKeys: Keys = {
  list: async () => [],
  create: async () => notHere(),
  revoke: async () => notHere(),
};
