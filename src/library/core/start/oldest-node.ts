// Imported first by the library's entries. An older Node would fail somewhere in the middle of the library. The command
// line checks the same before anything is loaded (cli/main.ts).
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 12))
  throw new Error(`earshot needs Node 22.12 or newer; this is ${process.versions.node}`);
