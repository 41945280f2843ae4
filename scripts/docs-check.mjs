// Every export of the library (src/index.ts, src/sound.ts) and of the server parts (src/server.ts) carries a docstring
// (`npm run docs:check`; other entries as arguments). Exports are followed to their declarations with a parser; nothing
// is run.
//
// The rules:
// 1. A declaration has a docstring of its own, and so has a function behind a lazy `typeof import()` one.
// 2. A function whose own body throws says so with @throws.
// 3. A member of an exported interface, class or object type, and of an object type among a function's parameters:
//    - a method says what it does, also one written as a property;
//    - a number says its unit or its range, in its name (see `units`) or in its docstring;
//    - a string, a boolean and an optional member have a docstring;
//    - what may be null says what null means, unless the docstring of the whole declaration does;
//    - an optional member of a type named ...Options says its default.
//    A member of a named type needs none: its type has one, and is checked as if it were exported itself. So are the
//    types that an exported function takes. What a method of an interface takes and answers is checked where exported.
// 4. A docstring says something: three words or more beside tags.
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { docOf, exportsOf, find, nameOf, targetOf } from './reference/declarations.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const given = process.argv.slice(2);
const entries = given.length > 0 ? given : ['src/index.ts', 'src/server.ts', 'src/sound.ts', 'src/client.ts'];

/** Ends of names that are units. A plain `frames`, `channels` or `count` counts things. */
const units =
  /(seconds|ms|bps|perSecond|minutes|hours|days|hz|db|dbtp|dbfs|lufs|lu|bytes|frames|credits|percent|kbps|pixels|perMinute|fps|count|channels|bitDepth|uses|at|position|index|width|height)$/i;
/** Words of a docstring that give a unit or a range. */
const measured =
  /\b(seconds?|ms|milliseconds?|minutes?|hours?|days?|Hz|dB\w*|LUFS|LU|bytes?|frames?|credits?|percent|kbit|pixels?|samples?|count|how many|number of|at least|at most|largest|smallest|most|fewest|share|times|of \d|from \d|between|tokens?|port|status|uses|columns?|files?)\b|\d/i;

const problems = [];
let checked = 0;
function report(module, node, what) {
  const line = module.source.slice(0, node.start).split('\n').length;
  problems.push(`${relative(root, module.file)}:${line}: ${what}`);
}

const saysSomething = (doc) => doc.replaceAll(/@\w+/g, '').split(/\s+/).filter(Boolean).length >= 3;

/** The kinds of values that a type allows, as far as it says so itself: 'number', 'string', 'boolean', 'null', … */
function kindsOf(type) {
  switch (type?.type) {
    case 'TSNumberKeyword':
    case 'TSBigIntKeyword':
      return ['number'];
    case 'TSStringKeyword':
      return ['string'];
    case 'TSBooleanKeyword':
      return ['boolean'];
    case 'TSNullKeyword':
      return ['null'];
    case 'TSFunctionType':
      return ['method'];
    case 'TSArrayType':
      return kindsOf(type.elementType);
    case 'TSTypeOperator':
    case 'TSParenthesizedType':
      return kindsOf(type.typeAnnotation);
    case 'TSUnionType':
      return type.types.flatMap(kindsOf);
    default:
      return ['named'];
  }
}

function checkMembers(module, owner, members, ownerDoc) {
  const isOptions = /options$/i.test(owner);
  for (const member of members) {
    const name = nameOf(member.key);
    if (name === '' || name === 'constructor' || member.accessibility === 'private' || name.startsWith('#')) continue;
    checked++;
    const doc = docOf(module, member);
    const type = member.typeAnnotation?.typeAnnotation;
    const kinds = /Method/.test(member.type) ? ['method'] : kindsOf(type);
    const complain = (what) => report(module, member, `${owner}.${name} ${what}`);
    if (doc !== '' && !saysSomething(doc)) complain('has a docstring that says nothing');
    else if (kinds.includes('method') && doc === '') complain('has no docstring');
    else if (kinds.includes('number') && !units.test(name) && !measured.test(doc))
      complain('is a number without a unit or range');
    else if (doc === '' && (member.optional || kinds.some((k) => k === 'string' || k === 'boolean')))
      complain('has no docstring');
    else if (kinds.includes('null') && !/\bnull\b/.test(doc) && !/\bnull\b/.test(ownerDoc))
      complain('does not say what null means');
    else if (isOptions && member.optional && !/default|without|absent|undefined/i.test(doc))
      complain('does not say its default');
    checkType(module, `${owner}.${name}`, type, `${ownerDoc}\n${doc}`);
  }
}

/** A type that a member or a parameter names belongs to what the reader sees, exported or not. */
function reach(module, name) {
  const found = find(module.file, name);
  if (found?.node !== undefined) check(module.file, name, name);
}

/** Object types inside a type, and the types that it names. */
function checkType(module, owner, type, ownerDoc) {
  if (type?.type === 'TSTypeLiteral') checkMembers(module, owner, type.members, ownerDoc);
  if (type?.type === 'TSTypeReference' && type.typeName.type === 'Identifier') reach(module, type.typeName.name);
  for (const argument of type?.typeArguments?.params ?? []) checkType(module, owner, argument, ownerDoc);
  for (const inner of type?.types ?? []) checkType(module, owner, inner, ownerDoc);
  for (const inner of [type?.elementType, type?.typeAnnotation]) if (inner) checkType(module, owner, inner, ownerDoc);
}

function throwsItself(node) {
  if (node === null || typeof node !== 'object') return false;
  if (node.type === 'ThrowStatement') return true;
  if (/Function/.test(node.type ?? '')) return false; // that one throws later
  return Object.values(node).some((v) => (Array.isArray(v) ? v.some(throwsItself) : throwsItself(v)));
}

const seen = new Set();
function check(file, name, shownAs) {
  const found = find(file, name);
  if (found?.outside !== undefined) return;
  if (found === undefined) {
    problems.push(`${relative(root, file)}: cannot find the declaration of ${name}`);
    return;
  }
  const { module, node, outer } = found;
  const key = `${module.file} ${found.name}`;
  if (seen.has(key)) return;
  seen.add(key);
  checked++;
  const doc = docOf(module, outer) || docOf(module, node);
  if (doc === '') report(module, node, `${shownAs} has no docstring`);
  else if (!saysSomething(doc)) report(module, node, `${shownAs} has a docstring that says nothing`);

  if (node.type === 'TSInterfaceDeclaration') {
    checkMembers(module, found.name, node.body.body, doc);
  } else if (node.type === 'ClassDeclaration') {
    checkMembers(
      module,
      found.name,
      node.body.body.filter((m) => m.type !== 'StaticBlock'),
      doc,
    );
  } else if (node.type === 'TSTypeAliasDeclaration') {
    checkType(module, found.name, node.typeAnnotation, doc);
  } else {
    const called = /Function/.test(node.type) ? node : node.init;
    if (/Function/.test(called?.type ?? '')) {
      if (throwsItself(called.body) && !doc.includes('@throws'))
        report(module, node, `${shownAs} throws without @throws`);
      for (const parameter of called.params) {
        const type = (parameter.left ?? parameter).typeAnnotation?.typeAnnotation;
        checkType(module, `${found.name}()`, type, doc);
      }
    }
    // A lazy one: `typeof import('./x.ts').y` is declared there.
    const lazy = node.id?.typeAnnotation?.typeAnnotation;
    const query = lazy?.type === 'TSTypeQuery' ? lazy.exprName : undefined;
    const imported = query?.type === 'TSImportType' ? query : lazy?.type === 'TSTypeQuery' ? lazy.exprName : undefined;
    if (imported?.type === 'TSImportType') {
      const specifier = imported.source?.value ?? imported.argument?.literal?.value ?? imported.argument?.value;
      const inner = nameOf(imported.qualifier?.right ?? imported.qualifier);
      check(targetOf(module, specifier), inner, `${shownAs} (${inner})`);
    }
  }
}

for (const entry of entries) {
  const file = resolve(root, entry);
  for (const name of exportsOf(file)) check(file, name, name);
}
if (problems.length > 0) {
  console.error(problems.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })).join('\n'));
  console.error(
    `docs:check: ${problems.length} of ${checked} declarations and members need a docstring or a better one`,
  );
  process.exit(1);
}
console.log(`docs:check: ${checked} declarations and members checked`);
