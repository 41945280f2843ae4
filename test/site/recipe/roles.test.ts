// What a file's name says of its track.
import { expect, it } from 'vitest';
import { roleByName } from '../../../src/site/recipe/roles.ts';

it.each([
  ['host.wav', 'voice'],
  ['Gast_02.flac', 'voice'],
  ['interview-anna.mp3', 'voice'],
  // Who speaks an intro is a person.
  ['host-intro.wav', 'voice'],
  ['IntroMusic.wav', 'music'],
  ['theme.mp3', 'music'],
  ['Episode 12 outro.m4a', 'music'],
  ['bed_90bpm.wav', 'music'],
  ['titelmelodie.wav', 'music'],
  ['rain-atmo.wav', 'effects'],
  ['Geräusche.wav', 'effects'],
  ['sfx.wav', 'effects'],
  ['anna.wav', null],
  ['2026-11-30.wav', null],
  // Words, not letters within them.
  ['bedford.wav', null],
  ['themester.wav', null],
  ['', null],
] as const)('%s is %s', (name, role) => {
  expect(roleByName(name)).toBe(role);
});
