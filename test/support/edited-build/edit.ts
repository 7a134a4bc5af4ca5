import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { groupBy } from '../../../src/polyfills/group-by.ts'
import { findMatches, isNode, type Match, type Node, parse, walk } from './pattern.ts'

/**
 * One edit of the service's source. It names its place by what stands there: the function or constant at the top of a file, and a pattern (pattern.ts)
 * that matches at exactly one place in it. Files may move, and lines be reworded.
 */
export interface Edit {
  where: 'before' | 'after' | 'instead'
  within: string
  find: string
  /** Code. It repeats what the placeholders of `find` stand for, and may call what inside.ts exports. */
  put: string
}

type Placing = (within: string, find: string, put: string) => Edit

/** Inserts a statement before the one in which `find` stands. */
export const before: Placing = (within, find, put) => ({ where: 'before', within, find, put })

/** Inserts a statement after the one in which `find` stands. */
export const after: Placing = (within, find, put) => ({ where: 'after', within, find, put })

export const replace: Placing = (within, find, put) => ({ where: 'instead', within, find, put })

/** Removes a property, or a whole statement. */
export const drop = (within: string, find: string): Edit => replace(within, find, '')

/** A change of a file's text: what stands from `start` to `end` becomes `text`. */
interface Splice {
  file: string
  start: number
  end: number
  text: string
}

/**
 * The texts of the files under `root` that edits change, by file.
 * @throws {Error} if an edit does not match at exactly one place, or its code uses a name that the file does not have: the edit must follow the source
 */
export function editedFiles(root: string, edits: readonly Edit[]): Map<string, string> {
  const sources = readSources(root)
  const splices = edits.map((edit) => spliceOf(sources, edit))
  return new Map(
    [...groupBy(splices, ({ file }) => file)].map(([file, some]) => {
      const source = sources.get(file) ?? ''
      const text = spliced(file, source, some)
      refuseStrangeNames(file, source, text)
      return [file, importing(file, text) + text]
    }),
  )
}

function readSources(root: string): Map<string, string> {
  const files = ['src', 'workers'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => posix.join(folder, name)),
  )
  return new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
}

function spliceOf(sources: ReadonlyMap<string, string>, { where, within, find, put }: Edit): Splice {
  const found = [...sources].flatMap(([file, source]) =>
    declarationsOf(file, source, within).flatMap((declaration) =>
      findMatches(declaration, find).map((match) => ({ file, source, match })),
    ),
  )
  const [place] = found
  if (place === undefined || found.length > 1)
    throw new Error(`${within} has ${found.length} times, not once: ${find}`)
  const { file, source, match } = place
  const text = filledIn(put, match, source)
  if (where === 'instead') {
    const { start, end } = match.node
    const comma = put === '' && source[end] === ',' ? 1 : 0
    return { file, start, end: end + comma, text }
  }
  const { start, end } = statementAround(match, `${within}: ${find}`)
  // The source has no semicolons, and inserted code may begin with a parenthesis.
  return where === 'before'
    ? { file, start, end: start, text: `;${text}; ` }
    : { file, start: end, end, text: `; ${text}` }
}

/** The declarations of a name at the top of a file. */
function declarationsOf(file: string, source: string, name: string): Node[] {
  if (!new RegExp(`\\b(function|const|let) ${name}\\b`).test(source)) return []
  const statements = parse(source, file)['body'] as Node[]
  return statements
    .map((statement) => (statement['declaration'] as Node | null | undefined) ?? statement)
    .flatMap((statement) => (statement['declarations'] as Node[] | undefined) ?? [statement])
    .filter(({ id }) => (id as Node | null | undefined)?.['name'] === name)
}

function filledIn(put: string, { captures }: Match, source: string): string {
  return put.replaceAll(/\$\$|\$\w*/g, (placeholder) => {
    const nodes = captures.get(placeholder)
    return nodes === undefined ? placeholder : source.slice(nodes[0]?.start ?? 0, nodes.at(-1)?.end ?? 0)
  })
}

/** The innermost statement around a match that stands in a list of statements, so that another one can stand beside it. */
function statementAround({ node, around }: Match, place: string): Node {
  const inward = [...around, node]
  for (let depth = inward.length - 1; depth > 0; depth -= 1) {
    const parent = inward[depth - 1]
    if (parent?.type === 'BlockStatement' || parent?.type === 'SwitchCase') return inward[depth] as Node
  }
  throw new Error(`There is no statement around ${place}`)
}

function spliced(file: string, source: string, splices: readonly Splice[]): string {
  let text = ''
  let done = 0
  for (const { start, end, text: put } of splices.toSorted(
    (one, other) => one.start - other.start || one.end - other.end,
  )) {
    if (start < done) throw new Error(`${file}: two edits change the same place: ${source.slice(start, end)}`)
    text += source.slice(done, start) + put
    done = end
  }
  return text + source.slice(done)
}

/** A build is not type-checked, so a bug whose code fell behind a renamed variable would throw at run time and look found. */
function refuseStrangeNames(file: string, source: string, text: string): void {
  const edited = parse(text, file)
  const declared = [...walk(edited)].flatMap(({ node }) => [node['id'], node['params']].flat()).filter(isNode)
  const known = new Set([parse(source, file), ...declared].flatMap(variablesIn))
  const strange = variablesIn(edited).filter(
    (name) => !known.has(name) && !(name in globalThis) && !insideNames.includes(name),
  )
  if (strange.length > 0) throw new Error(`${file} has no ${strange.join(', ')}, which an edit uses`)
}

const variablesIn = (root: Node): string[] =>
  [...walk(root)].flatMap(({ node, around }) => {
    const parent = around.at(-1)
    const isField =
      (parent?.['property'] === node || parent?.['key'] === node) && parent['computed'] === false
    return node.type === 'Identifier' && !isField ? [String(node['name'])] : []
  })

/** What inside.ts exports to the code of edits. */
const insideNames = ['reach', 'offsetMs']

/** The first line of an edited file: it imports what the edits use of inside.ts. */
function importing(file: string, text: string): string {
  const names = insideNames.filter((name) => new RegExp(`\\b${name}\\(`).test(text))
  if (names.length === 0) return ''
  const inside = posix.relative(posix.dirname(file), 'src/inside.ts')
  return `import { ${names.join(', ')} } from '${inside.startsWith('.') ? inside : `./${inside}`}'\n`
}
