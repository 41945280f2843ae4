// Sends files to the account that is signed in. Loaded by pages when there is a file to send.
export { checked, importLink, upload } from '../account/upload.ts';
