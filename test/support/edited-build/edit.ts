import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { findMatches, isNode, type Match, type Node, parse, walk } from './pattern.ts'

/**
 * One edit of the service's source. `within` names a function or constant at the top level of any file, in which the
 * pattern `find` (pattern.ts) matches exactly once. So edits survive when files move and lines are reworded.
 */
export type Edit = { where: 'before' | 'after' | 'instead'; within: string; find: string; put: string }
type EditAt = (within: string, find: string, put: string) => Edit
export const before: EditAt = (within, find, put) => ({ where: 'before', within, find, put })
export const after: EditAt = (within, find, put) => ({ where: 'after', within, find, put })
export const replace: EditAt = (within, find, put) => ({ where: 'instead', within, find, put })
export const drop = (within: string, find: string): Edit => replace(within, find, '')
type Splice = { file: string; start: number; end: number; text: string }

export function editedFiles(root: string, edits: readonly Edit[]): Map<string, string> {
  const fresh = () => ({ sources: readSources(root), known: new Map<Edit, Splice>() })
  const { sources, known } = allRead.get(root) ?? fresh()
  allRead.set(root, { sources, known })
  const splices = edits.map((edit) => {
    const splice = known.get(edit) ?? spliceOf(sources, edit)
    known.set(edit, splice)
    return splice
  })
  return new Map(
    [...Map.groupBy(splices, ({ file }) => file)].map(([file, own]) => {
      const source = sources.get(file) ?? ''
      const text = spliced(file, source, own)
      refuseUnknownNames(file, source, text)
      return [file, importLine(file, text) + text]
    }),
  )
}

const allRead = new Map<string, { sources: ReadonlyMap<string, string>; known: Map<Edit, Splice> }>()

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
  const [first] = found
  if (first === undefined || found.length > 1)
    throw new Error(`${within} contains ${found.length} times, not once: ${find}`)
  const { file, source, match } = first
  const text = filledIn(put, match, source)
  if (where === 'instead') {
    const { start, end } = match.node
    return { file, start, end: end + (put === '' && source[end] === ',' ? 1 : 0), text }
  }
  const { start, end } = statementAround(match, `${within}: ${find}`)
  // The source has no semicolons, and inserted code may begin with a parenthesis.
  return where === 'before'
    ? { file, start, end: start, text: `;${text}; ` }
    : { file, start: end, end, text: `; ${text}` }
}

function declarationsOf(file: string, source: string, name: string): Node[] {
  if (!source.includes(name) || !new RegExp(`\\b(function|const|let) ${name}\\b`).test(source)) return []
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

function statementAround({ node, around }: Match, description: string): Node {
  const inward = [...around, node]
  for (let depth = inward.length - 1; depth > 0; depth -= 1) {
    const parent = inward[depth - 1]
    if (parent?.type === 'BlockStatement' || parent?.type === 'SwitchCase') return inward[depth] as Node
  }
  throw new Error(`There is no statement around ${description}`)
}

function spliced(file: string, source: string, splices: readonly Splice[]): string {
  let text = ''
  let done = 0
  for (const { start, end, text: put } of splices.toSorted(
    (one, other) => one.start - other.start || one.end - other.end,
  )) {
    if (start < done) throw new Error(`${file}: two edits overlap: ${source.slice(start, end)}`)
    text += source.slice(done, start) + put
    done = end
  }
  return text + source.slice(done)
}

/** Builds aren't type-checked, so an old name in a planted bug would throw, as if a promise had caught it. */
function refuseUnknownNames(file: string, source: string, text: string): void {
  if (checked.has(text)) return
  const edited = parse(text, file)
  const declared = [...walk(edited)].flatMap(({ node }) => [node['id'], node['params']].flat()).filter(isNode)
  const known = new Set([parse(source, file), ...declared].flatMap(variablesIn))
  const unknown = variablesIn(edited).filter(
    (name) => !known.has(name) && !(name in globalThis) && !insideNames.includes(name),
  )
  if (unknown.length > 0) throw new Error(`${file} has no ${unknown.join(', ')}, which an edit uses`)
  checked.add(text)
}

const checked = new Set<string>()

const variablesIn = (root: Node): string[] =>
  [...walk(root)].flatMap(({ node, around }) => {
    const parent = around.at(-1)
    const isOfParent = parent?.['property'] === node || parent?.['key'] === node
    const isField = isOfParent && parent['computed'] === false
    return node.type === 'Identifier' && !isField ? [String(node['name'])] : []
  })

const insideNames = ['reach', 'offsetMs']

function importLine(file: string, text: string): string {
  const names = insideNames.filter((name) => new RegExp(`\\b${name}\\(`).test(text))
  if (names.length === 0) return ''
  const inside = posix.relative(posix.dirname(file), 'src/inside.ts')
  return `import { ${names.join(', ')} } from '${inside.startsWith('.') ? inside : `./${inside}`}'\n`
}
