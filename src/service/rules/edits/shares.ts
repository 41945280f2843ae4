// Links by which others read the text of an edit and comment on it. What they see is what it was when the link was
// made, and of the account nothing else.
import { badValue } from '../../../library/core/checks/schema.ts';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import { hashSecret } from '../accounts/access.ts';
import type { Account } from '../accounts/account.ts';
import type { SignInStore } from '../accounts/sign-in-store.ts';
import type { FileStore } from '../files/file-store.ts';
import type { ObjectStore } from '../files/object-store.ts';
import { openFile } from '../files/open-file.ts';
import type { OpenedFile } from '../files/opened-file.ts';
import type { StoredFile } from '../files/stored-file.ts';
import { newId } from '../shared/ids.ts';
import type { Tokens } from '../shared/tokens.ts';
import type { Edits } from './edit-use-cases.ts';
import type { ShareStore, StoredComment, StoredShare } from './share-store.ts';

/** Of one recording. */
const mostShares = 20;
/** Of one link. */
const mostComments = 500;
/** Of readers behind one network address, on one text. */
const commentsInWindow = 20;
const windowSeconds = 600;
const dayMs = 86_400_000;

/** A link, for its owner. */
export interface ShareView {
  readonly share: StoredShare;
  readonly url: string;
  /** The earliest first. */
  readonly comments: readonly StoredComment[];
}

/** What readers get. */
export interface SharedText {
  readonly share: StoredShare;
  /** The earliest first. */
  readonly comments: readonly StoredComment[];
  /** Has it sound, and are there pictures to it? null: no sound. */
  readonly sound: { readonly hasVideo: boolean } | null;
}

/** What a link is made from. */
export type NewShare = Pick<StoredShare, 'title' | 'language' | 'seconds' | 'soundFileId' | 'sentences'> & {
  /** How long the link is valid. */
  readonly days: number;
};

/** Texts of edits that others may read. */
export interface Shares {
  /** @throws EarshotError bad_request, limit_exceeded; conflict where nothing is saved; as `Edits.open` */
  add(account: Account, fileId: string, share: NewShare): Promise<ShareView>;
  /** The latest first. @throws EarshotError not_found, file_expired */
  list(account: Account, fileId: string): Promise<readonly ShareView[]>;
  /** Takes a link back, with its comments. @throws EarshotError not_found, file_expired */
  remove(account: Account, fileId: string, id: string): Promise<void>;
  /** @throws EarshotError not_found, file_expired */
  removeComment(account: Account, fileId: string, id: string): Promise<void>;
  /** @throws EarshotError not_found: a wrong token, one that has expired, or a link that was taken back */
  read(token: string): Promise<SharedText>;
  /** @throws EarshotError not_found as `read`, and where it has no sound */
  sound(token: string): Promise<OpenedFile>;
  /**
   * @param network address of the reader, as rate limits count it
   * @throws EarshotError not_found, bad_request, rate_limited, limit_exceeded
   */
  comment(token: string, comment: Pick<StoredComment, 'sentence' | 'name' | 'text'>, network: string): Promise<void>;
}

interface SharesDeps {
  readonly shares: ShareStore;
  readonly edits: Pick<Edits, 'parts'>;
  readonly files: Pick<FileStore, 'get'>;
  readonly accounts: Pick<AccountStore, 'get'>;
  readonly objects: Pick<ObjectStore, 'stat' | 'read'>;
  readonly signIn: Pick<SignInStore, 'countAsked'>;
  readonly tokens: Tokens;
  readonly baseUrl: () => string;
  readonly now: () => Date;
}

const gone = (): EarshotError =>
  new EarshotError('not_found', 'This link leads to no text: it was taken back, or its time is over', {
    nextAction: 'Ask the person who sent it for a new one.',
  });

export function createShares({
  shares,
  edits,
  files,
  accounts,
  objects,
  signIn,
  tokens,
  baseUrl,
  now,
}: SharesDeps): Shares {
  /** Made again for each look, so that it is kept nowhere. */
  const urlOf = ({ id, expiresAt }: StoredShare): string =>
    `${baseUrl()}/shared/${tokens.sign('share', id, expiresAt)}`;

  const soundOf = async ({ soundFileId, accountId }: StoredShare): Promise<StoredFile | null> => {
    const file = soundFileId === null ? null : await files.get(soundFileId);
    return file !== null && file.accountId === accountId && file.status === 'ready' && file.expiresAt > now()
      ? file
      : null;
  };

  const read = async (token: string): Promise<StoredShare> => {
    const reading = await tokens.read('share', token, now());
    const share = reading.ok ? await shares.get(reading.id) : null;
    if (share === null) throw gone();
    const [recording, account] = await Promise.all([files.get(share.fileId), accounts.get(share.accountId)]);
    if (account === null || account.blockedAt !== null) throw gone();
    if (recording === null || recording.status !== 'ready' || recording.expiresAt <= now()) throw gone();
    return share;
  };

  return {
    async add(account, fileId, { days, ...given }) {
      const parts = await edits.parts(account, fileId);
      const { soundFileId } = given;
      if (soundFileId !== null && (!parts.includes(soundFileId) || (await files.get(soundFileId))?.hasAudio !== true))
        throw badValue('soundFileId', 'the recording or a rendering of it', soundFileId);
      const expiresAt = new Date(now().getTime() + days * dayMs);
      const share = await shares.add(
        { ...given, id: newId('shr'), fileId, accountId: account.id, expiresAt },
        mostShares,
      );
      if (share !== null) return { share, url: urlOf(share), comments: [] };
      if ((await shares.list(account.id, fileId)).length < mostShares)
        throw new EarshotError('conflict', 'Nothing of this edit is saved yet', { details: { id: fileId } });
      throw new EarshotError('limit_exceeded', `Expected at most ${mostShares} links to one recording`, {
        details: { id: fileId },
        nextAction: 'Take one of them back.',
      });
    },
    async list(account, fileId) {
      const found = await shares.list(account.id, fileId);
      const comments = await shares.comments(found.map(({ id }) => id));
      return found.map((share) => ({
        share,
        url: urlOf(share),
        comments: comments.filter(({ shareId }) => shareId === share.id),
      }));
    },
    remove: (account, fileId, id) => shares.remove(account.id, fileId, id),
    removeComment: (account, fileId, id) => shares.removeComment(account.id, fileId, id),
    async read(token) {
      const share = await read(token);
      const [comments, sound] = await Promise.all([shares.comments([share.id]), soundOf(share)]);
      return { share, comments, sound: sound === null ? null : { hasVideo: sound.hasVideo } };
    },
    async sound(token) {
      const file = await soundOf(await read(token));
      if (file === null) throw new EarshotError('not_found', 'This text has no sound');
      return openFile(objects, file);
    },
    async comment(token, { sentence, ...said }, network) {
      const share = await read(token);
      const [name, text] = [said.name.trim(), said.text.trim()];
      if (!Number.isInteger(sentence) || share.sentences[sentence] === undefined)
        throw badValue('sentence', `0 to ${share.sentences.length - 1}`, sentence);
      if (name === '' || name.length > 60) throw badValue('name', '1 to 60 letters', name.slice(0, 60));
      if (text === '' || text.length > 2000) throw badValue('text', '1 to 2000 letters', text.length);
      const { count, secondsLeft } = await signIn.countAsked(
        `comments:${hashSecret(`${network} ${share.id}`)}`,
        windowSeconds,
      );
      if (count > commentsInWindow)
        throw new EarshotError('rate_limited', `Expected at most ${commentsInWindow} comments in ten minutes`, {
          details: { retryAfterSeconds: Math.max(1, Math.ceil(secondsLeft)) },
        });
      const added = await shares.addComment(
        { id: newId('com'), shareId: share.id, sentence, name, text },
        mostComments,
      );
      if (!added)
        throw new EarshotError('limit_exceeded', `Expected at most ${mostComments} comments on one text`, {
          nextAction: 'Ask the person who sent the link to delete some.',
        });
    },
  };
}
