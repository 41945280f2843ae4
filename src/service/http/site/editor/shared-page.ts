// The text of an edit as others read it by a link, with their comments; whole without a script.
import type { FastifyInstance } from 'fastify';
import { html, type Html } from '../../../../library/core/markup.ts';
import type { SharedText } from '../../../rules/edits/shares.ts';
import type { StoredComment } from '../../../rules/edits/share-store.ts';
import { errorAnswer } from '../../interface/errors.ts';
import { callerOf } from '../../server/mount.ts';
import { addressKey } from '../../server/rate-limit.ts';
import { sendStoredFile } from '../../server/send-file.ts';
import { lengthOf } from '../account/formats.ts';
import { type Form, takeForms } from '../account/view.ts';
import { icon } from '../frame/icon.ts';
import { sendPage } from '../frame/layout.ts';
import { type Page, type Site, visitorPage } from '../frame/site.ts';
import { fill } from '../language/fill.ts';

/** On one page: a text of ten hours has some 10,000 sentences. */
const sentencesPerPage = 400;

interface ByToken {
  Params: { token: string };
  Querystring: { page?: unknown; at?: unknown; said?: unknown };
}

/** GET /shared/<token>, its sound, and POST /shared/<token>/comments. The token is the only credential. */
export async function sharedPages(scope: FastifyInstance, site: Site): Promise<void> {
  const { shares } = site.service;
  const options = { config: { access: 'token' as const }, schema: { hide: true } };
  scope.get<ByToken>('/shared/:token', options, async (request, reply) => {
    const shared = await shares.read(request.params.token);
    const page = visitorPage(site, request);
    void reply.header('vary', 'Accept-Language, Cookie');
    return sendPage(reply, page, {
      title: shared.share.title,
      secretAddress: true,
      body: sharedBody(page, shared, request.params.token, request.query),
    });
  });
  scope.get<ByToken>('/shared/:token/sound', { ...options, exposeHeadRoute: false }, async (request, reply) =>
    sendStoredFile(request, reply, await shares.sound(request.params.token), { errorAnswer }),
  );
  await scope.register(async (inner) => {
    takeForms(inner);
    inner.post<ByToken>('/shared/:token/comments', { config: { access: 'public' } }, async (request, reply) => {
      const { sentence = '', name = '', text = '' } = (request.body ?? {}) as Form;
      const at = /^\d{1,6}$/.test(sentence) ? Number(sentence) : -1;
      await shares.comment(request.params.token, { sentence: at, name, text }, addressKey(callerOf(request).ip));
      const path = `/shared/${request.params.token}${placeOf(at)}&said=${at}#s${at}`;
      return reply.header('cache-control', 'no-store').redirect(site.rootPath + path, 303);
    });
  });
}

const placeOf = (sentence: number): string => `?page=${Math.floor(sentence / sentencesPerPage) + 1}`;

/** A number of the query; null: none. */
const numberOf = (value: unknown): number | null =>
  typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : null;

function sharedBody(
  page: Page,
  { share, comments, sound }: SharedText,
  token: string,
  query: ByToken['Querystring'],
): Html {
  const { t, href, language } = page;
  const texts = t.shared;
  const pages = Math.ceil(share.sentences.length / sentencesPerPage);
  const number = Math.min(pages, Math.max(1, numberOf(query.page) ?? 1));
  const first = (number - 1) * sentencesPerPage;
  const [asked, said] = [numberOf(query.at), numberOf(query.said)];
  const here = href(`/shared/${token}`);
  const bySentence = new Map<number, StoredComment[]>();
  for (const each of comments) bySentence.set(each.sentence, [...(bySentence.get(each.sentence) ?? []), each]);
  const player = `${here}/sound`;
  return html`<div class="wrap head">
      <h1 class="break" dir="auto">${share.title}</h1>
      <p class="lead">${fill(texts.lead, { length: lengthOf(share.seconds), day: language.day(share.expiresAt) })}</p>
      <p>${texts.help} ${comments.length > 0 && language.count(texts.comments, comments.length)}</p>
      ${
        sound !== null &&
        (sound.hasVideo
          ? html`<video class="shared-film" controls preload="metadata" src="${player}"></video>`
          : html`<audio class="shared-sound" controls preload="none" src="${player}"></audio>`)
      }
    </div>
    <div class="wrap stack-l">
      <div class="shared">
        ${share.sentences.slice(first, first + sentencesPerPage).map(({ at, who, text }, index) => {
          const sentence = first + index;
          const isTurn = who !== null && (sentence === 0 || share.sentences[sentence - 1]?.who !== who);
          const mine = bySentence.get(sentence) ?? [];
          return html`<div class="sent" id="s${sentence}">
            ${isTurn && html`<p class="who" dir="auto">${who}</p>`}
            <span class="at num">${lengthOf(at)}</span>
            <p lang="${share.language}" dir="auto">${text}</p>
            <div class="shared-said stack-s">
              ${mine.map((comment) => commentRow(page, comment))}
              ${said === sentence && html`<p class="small" role="status">${icon('check')} ${texts.thanks}</p>`}
              ${
                asked === sentence
                  ? commentForm(page, `${here}/comments`, `${here}${placeOf(sentence)}#s${sentence}`, sentence)
                  : html`<a class="xs" href="${here}${placeOf(sentence)}&at=${sentence}#s${sentence}"
                      >${texts.comment}<span class="sr"> ${fill(texts.commentAt, { at: lengthOf(at) })}</span></a
                    >`
              }
            </div>
          </div>`;
        })}
      </div>
      ${pages > 1 && pager(page, here, number, pages)}
    </div>`;
}

const commentRow = ({ language }: Page, { name, text, madeAt }: StoredComment): Html =>
  html`<blockquote class="note">
    ${icon('user')}
    <div>
      <p class="small"><b dir="auto">${name}</b> <span class="soft num">${language.day(madeAt)}</span></p>
      <p class="break" dir="auto">${text}</p>
    </div>
  </blockquote>`;

const commentForm = ({ t }: Page, action: string, back: string, sentence: number): Html =>
  html`<form class="panel pad stack-s" method="post" action="${action}">
    <input type="hidden" name="sentence" value="${sentence}" />
    <div class="field">
      <label for="by">${t.shared.name}</label>
      <input class="input" id="by" name="name" dir="auto" maxlength="60" autocomplete="name" required autofocus />
    </div>
    <div class="field">
      <label for="says">${t.shared.text}</label>
      <textarea class="input" id="says" name="text" dir="auto" rows="3" maxlength="2000" required></textarea>
      <p class="hint">${t.shared.seenBy}</p>
    </div>
    <div class="row">
      <button class="btn go" type="submit">${t.shared.send}</button><a class="btn" href="${back}">${t.shared.cancel}</a>
    </div>
  </form>`;

const pager = ({ t }: Page, here: string, number: number, pages: number): Html =>
  html`<nav class="row" aria-label="${t.shared.pages}">
    ${number > 1 && html`<a class="btn" href="${here}?page=${number - 1}">${icon('left')}${t.shared.before}</a>`}
    <span class="num">${fill(t.shared.page, { n: number, all: pages })}</span>
    ${number < pages && html`<a class="btn" href="${here}?page=${number + 1}">${t.shared.next}</a>`}
  </nav>`;
