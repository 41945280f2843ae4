// Addons for macOS and Windows, read on any system: the files are those of onnxruntime-node, made by Apple's and
// Microsoft's linkers, and changed here as bad ones would be.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { faultsOf } from '../../scripts/release/check-binaries.mjs';
import { readMacho } from '../../scripts/release/macho.mjs';
import { readPe } from '../../scripts/release/pe.mjs';
import { addonExports } from '../../scripts/release/platform.mjs';

const folder = 'node_modules/onnxruntime-node/bin/napi-v6';
const read = (...names: string[]): Buffer => readFileSync(join(folder, ...names));
const mac = (): Buffer => read('darwin/arm64/onnxruntime_binding.node');
const windows = (cpu: string): Buffer => read('win32', cpu, 'onnxruntime_binding.node');
const faults = (bytes: Buffer, system?: string): string => faultsOf('earshot.node', bytes, system).join('\n');

describe('an addon for macOS', () => {
  it('says what it needs', () => {
    const { machine, minimum, libraries, searched, exported, fromSystem, asked, coalesced, signature } =
      readMacho(mac());
    expect({ machine, minimum, searched, coalesced, signature }).toEqual({
      machine: 'arm64',
      minimum: '14.0',
      searched: ['@loader_path'],
      // It is linked with the C++ library of the system.
      coalesced: true,
      signature: [],
    });
    expect(libraries).toEqual([
      '@rpath/libonnxruntime.1.dylib',
      '/usr/lib/libc++.1.dylib',
      '/usr/lib/libSystem.B.dylib',
    ]);
    expect(exported).toEqual(expect.arrayContaining([...addonExports]));
    expect(fromSystem).toEqual(expect.arrayContaining(['OrtGetApiBase', 'memmove', 'strlen']));
    expect(asked).toContain('napi_create_function');
    expect(asked.every((name) => name.startsWith('napi_'))).toBe(true);
  });

  it('is not published as it is', () => {
    const said = faults(mac(), 'darwin-x64');
    expect(said).toContain('is for darwin-arm64, expected darwin-x64');
    expect(said).toContain('is linked with @rpath/libonnxruntime.1.dylib');
    expect(said).toMatch(/takes OrtGetApiBase, .* from \/usr\/lib\/libSystem\.B\.dylib: is that in macOS 11\.0\?/);
    expect(said).toContain('looks for libraries in @loader_path');
    expect(said).toContain('needs macOS 14.0, newer than 11.0');
    expect(said).toContain('lets the process swap its functions');
    expect(said).toContain('names too many');
    expect(said).not.toMatch(/sign|asks for/);
  });

  it('was changed after it was signed: any byte of it', () => {
    const whole = mac();
    for (const at of [4096, 20_000, 100_000]) {
      const changed = Buffer.from(whole);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(readMacho(changed).signature).toEqual([
        expect.stringMatching(
          new RegExp(`^was changed after it was signed \\(page ${Math.floor(at / 4096)} of \\d+\\)$`),
        ),
      ]);
    }
  });

  it('has a signature that covers less than all of it, or none', () => {
    const bytes = mac();
    const start = bytes.indexOf(Buffer.from([0xfa, 0xde, 0x0c, 0x02]));
    const limit = bytes.readUInt32BE(start + 32);
    expect(createHash('sha256').update(bytes.subarray(0, 4096)).digest('hex')).toBe(
      bytes.toString('hex', start + bytes.readUInt32BE(start + 16), start + bytes.readUInt32BE(start + 16) + 32),
    );
    const short = Buffer.from(bytes);
    short.writeUInt32BE(limit - 1, start + 32);
    expect(readMacho(short).signature).toEqual([`has a signature of ${limit - 1} of its ${limit} bytes`]);
    const unsigned = Buffer.from(bytes);
    for (let at = 32, left = bytes.readUInt32LE(16); left > 0; left--) {
      // LC_SIGNATURE becomes one that nothing reads.
      if (bytes.readUInt32LE(at) === 0x1d) unsigned.writeUInt32LE(0x7f, at);
      at += bytes.readUInt32LE(at + 4);
    }
    expect(readMacho(unsigned).signature).toEqual(['is not signed']);
  });
});

describe.each(['x64', 'arm64'])('an addon for Windows on %s', (cpu) => {
  it('says what it needs', () => {
    const { machine, imports, delayed, exported, protections, symbols } = readPe(windows(cpu));
    expect({ machine, exported, protections }).toEqual({ machine: cpu, exported: [...addonExports], protections: [] });
    expect(imports.map(([library]) => library)).toEqual(
      expect.arrayContaining(['onnxruntime.dll', 'KERNEL32.dll', 'MSVCP140.dll', 'api-ms-win-crt-heap-l1-1-0.dll']),
    );
    // By their numbers there, by names elsewhere.
    const names = Object.fromEntries(imports);
    expect(names['onnxruntime.dll']?.toSorted()).toEqual(['number 1', 'number 4']);
    expect(names['api-ms-win-crt-heap-l1-1-0.dll']).toContain('malloc');
    expect(delayed.map(([library]) => library)).toEqual(['NODE.EXE']);
    expect(delayed.flatMap(([, names]) => names)).toContain('napi_create_function');
    expect(symbols).toEqual([expect.stringMatching(/^N:\\.*\\onnxruntime_binding\.pdb$/)]);
  });

  it('is not published as it is', () => {
    const said = faults(windows(cpu), `win32-${cpu}`);
    expect(said).toContain('is linked with onnxruntime.dll');
    expect(said).toMatch(/takes .* from KERNEL32\.dll: is that in Windows 10\?/);
    expect(said).toMatch(/names a file of debugging symbols, N:\\/);
    expect(said).not.toMatch(/is for|exports|asks for|goes without|newer than/);
  });

  it('asks for too new a system, or goes without protections', () => {
    const bytes = windows(cpu);
    const optional = bytes.readUInt32LE(60) + 24;
    bytes.writeUInt16LE(11, optional + 48);
    bytes.writeUInt16LE(0, optional + 70);
    const said = faults(bytes);
    expect(said).toMatch(/needs Windows 11\.\d+, newer than 10\.0/);
    expect(said).toContain('goes without addresses chosen at random');
    expect(said).toContain('goes without data that cannot be run');
  });
});

describe('what cannot be read', () => {
  it('is said, and no other error', () => {
    expect(faults(Buffer.alloc(0))).toBe('is no program or library for Linux, macOS or Windows');
    expect(faults(Buffer.from('#!/bin/sh'))).toBe('is no program or library for Linux, macOS or Windows');
    for (const bytes of [mac(), windows('x64'), readFileSync(process.execPath).subarray(0, 200_000)])
      for (const length of [4, 40, 100, 1000, 70_000])
        expect(faults(bytes.subarray(0, length))).toMatch(/^cannot be read: /);
  });
});
