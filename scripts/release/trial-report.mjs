// What came of system-trial.mjs on another system, beside the same on this one: a table of steps, and how far each
// output lies from the one here.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openAudio } from '../../src/library/media/read/decode.ts';
import { readJson } from './platform.mjs';

/**
 * How far an output may lie from the one here.
 * @typedef {object} Tolerance
 * @property {boolean} [bytes] other bytes will do where the samples are near enough; default false
 * @property {number} [steps] most of 1 / 32768 between two samples, default 0
 * @property {number} [share] how many samples may differ at all, 0 to 1; default all
 * @property {number} [decibelsBelow] in place of both: by how much the difference must be softer than the sound
 * @property {number} [numbers] how far two numbers of a result may lie apart; default 0
 * @property {number} [confidences] the same for a recogniser's confidences; default as `numbers`
 */

/** As floats, channel after channel in blocks. */
function samples(path) {
  const source = openAudio(path);
  const parts = [];
  for (let block = source.next(); block; block = source.next())
    for (const plane of block.planes) parts.push(plane.slice(0, block.frames));
  source.close();
  return parts;
}

/** @returns in words, how far two sounds lie apart; null: near enough */
function soundDifference(one, other, { steps = 0, share = 1, decibelsBelow }) {
  const [ours, theirs] = [samples(one), samples(other)];
  if (ours.map(({ length }) => length).join() !== theirs.map(({ length }) => length).join()) return 'is not as long';
  let most = 0;
  let differing = 0;
  let all = 0;
  let sound = 0;
  let error = 0;
  for (const [index, block] of ours.entries())
    for (const [at, value] of block.entries()) {
      const distance = Math.abs(value - theirs[index][at]) * 32_768;
      most = Math.max(most, distance);
      // Less is the noise of decoding to floats.
      if (distance > 0.01) differing += 1;
      all += 1;
      sound += (value * 32_768) ** 2;
      error += distance ** 2;
    }
  const below = 10 * Math.log10(sound / error);
  if (decibelsBelow !== undefined)
    return below >= decibelsBelow ? null : `differs by what is only ${below.toFixed(1)} dB softer than the sound`;
  if (most <= steps + 0.01 && differing <= share * all) return null;
  return `${differing} of ${all} samples differ, by up to ${most.toFixed(1)} steps of 16 bits`;
}

/** @returns in words, where two values of JSON lie further apart than they may; null: nowhere */
function valueDifference(one, other, { numbers, confidences = numbers }, place = '') {
  if (typeof one === 'number' && typeof other === 'number') {
    const most = place.endsWith('.confidence') ? confidences : numbers;
    return Math.abs(one - other) <= most + 1e-12 ? null : `${place}: ${other} and not ${one}`;
  }
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return one === other ? null : `${place}: ${JSON.stringify(other)} and not ${JSON.stringify(one)}`;
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  for (const key of keys) {
    const found = valueDifference(one[key], other[key], { numbers, confidences }, `${place}.${key}`);
    if (found !== null) return found;
  }
  return null;
}

/** @returns {string[]} in words, how the outputs of a tool differ more than they may; empty: not at all */
function differences(tool, [here, there], toleranceOf) {
  const names = readdirSync(join(here, tool));
  const others = readdirSync(join(there, tool));
  if (names.join() !== others.join()) return [`${others.join()} and not ${names.join()}`];
  return names.flatMap((name) => {
    const [one, other] = [here, there].map((folder) => join(folder, tool, name));
    if (readFileSync(one).equals(readFileSync(other))) return [];
    const tolerance = toleranceOf(tool, name);
    let found = 'differs';
    if (tolerance.numbers !== undefined && name.endsWith('.json'))
      found = valueDifference(readJson(one), readJson(other), tolerance);
    else if (tolerance.bytes) found = soundDifference(one, other, tolerance);
    return found === null ? [] : [`${name} ${found}`];
  });
}

const answersOf = (project) => {
  try {
    return readJson(join(project, 'trial/answers.json'));
  } catch {
    return [];
  }
};

/**
 * Prints the table.
 * @param {{ name: string, project: string }} here
 * @param {{ name: string, project: string }} there
 * @param {(tool: string, file: string) => Tolerance} toleranceOf asked for outputs that are not equal
 * @returns how many steps failed
 */
export function report(here, there, toleranceOf) {
  const ours = answersOf(here.project);
  const theirs = answersOf(there.project);
  let failures = 0;
  console.log(`${'step'.padEnd(48)}${there.name.padStart(10)}${here.name.padStart(10)}   outcome`);
  for (const { name, ok, said, seconds: took } of theirs) {
    const own = ours.find((each) => each.name === name);
    const tool = /^tool (.*)/.exec(name)?.[1];
    const folders = [here, there].map(({ project }) => join(project, 'trial/tools'));
    const wrong = [
      ...(ok ? [] : [said]),
      ...(own?.ok === false ? [`on ${here.name}: ${own.said}`] : []),
      ...(tool && ok && own?.ok ? differences(tool, folders, toleranceOf) : []),
    ];
    failures += wrong.length;
    const times = [took, own?.seconds].map((each) => (each === undefined ? '' : `${each.toFixed(1)} s`).padStart(10));
    const outcome = wrong.length > 0 ? `FAILED ${wrong.join('; ')}` : tool ? `as on ${here.name}` : 'ok';
    console.log(`${name.padEnd(48)}${times.join('')}   ${outcome}`);
  }
  // A trial that died, or was ended, has said less.
  for (const { name, project } of [here, there])
    if (!readdirSync(join(project, 'trial')).includes('done')) {
      failures += 1;
      console.log(`The trial on ${name} did not come to its end; after "${answersOf(project).at(-1)?.name}":`);
      console.log(readFileSync(join(project, 'output.txt'), 'utf8').slice(-3000));
    }
  return failures;
}
