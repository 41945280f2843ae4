// Requests to the service, for all scripts of a page: scripts/build-site.mjs lets the others import this one.
export { ApiError, ConnectionError } from '../../client/errors.ts';
export { newKey } from '../../client/keys.ts';
export { poll } from '../../client/poll.ts';
export { createRequests, pause } from '../../client/request.ts';
export { ask, isLost, ownAddress, problemOf, requests } from '../account/requests.ts';
