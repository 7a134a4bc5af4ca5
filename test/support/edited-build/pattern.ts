import { parseSync } from 'oxc-parser'

export type Node = { type: string; start: number; end: number; [field: string]: unknown }
export type Match = { node: Node; around: readonly Node[]; captures: Map<string, readonly Node[]> }

export function parse(text: string, file = 'the pattern'): Node {
  const known = trees.get(text)
  if (known !== undefined) return known
  const { program, errors } = parseSync('source.ts', text, { preserveParens: false })
  if (errors.length > 0) throw new SyntaxError(`${file}: ${errors[0]?.message} in ${text.slice(0, 200)}`)
  const tree = program as unknown as Node
  trees.set(text, tree)
  return tree
}

const trees = new Map<string, Node>()

/**
 * Finds all matches below `root`. A pattern is code: an expression, an object's property (`status: $`) or a statement.
 * Layout, comments, quotes and types make no difference. There are three placeholders: `$` matches anything, `$name`
 * matches anything and the new code can repeat it, and `$$` matches the rest of a list of arguments, elements or
 * properties.
 */
export function findMatches(root: Node, pattern: string): Match[] {
  const wanted = parsePattern(pattern)
  return [...walk(root, [])].flatMap(({ node, around }) => {
    const captures = new Map<string, readonly Node[]>()
    return matches(wanted, node, captures) ? [{ node, around, captures }] : []
  })
}

function parsePattern(pattern: string): Node {
  const readings: [string, (program: Node) => unknown][] = [
    [`(${pattern})`, (program) => at(program, 'body', 0, 'expression')],
    [`({ ${pattern} })`, (program) => at(program, 'body', 0, 'expression', 'properties', 0)],
    [`async () => { ${pattern} }`, (program) => at(program, 'body', 0, 'expression', 'body', 'body', 0)],
  ]
  for (const [text, pick] of readings)
    if (parseSync('pattern.ts', text).errors.length === 0) return pick(parse(text)) as Node
  throw new SyntaxError(`${pattern} is neither an expression, nor a property, nor a statement`)
}

const at = (value: unknown, ...path: (string | number)[]): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown>)[key], value)
export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value

export function* walk(
  node: Node,
  around: readonly Node[] = [],
): Generator<{ node: Node; around: readonly Node[] }> {
  yield { node, around }
  for (const child of Object.values(node).flat().filter(isNode)) yield* walk(child, [...around, node])
}

const ignored = 'start end raw typeAnnotation returnType typeParameters typeArguments'.split(' ')

function matches(pattern: unknown, found: unknown, captures: Match['captures']): boolean {
  if (Array.isArray(pattern)) return Array.isArray(found) && listMatches(pattern, found, captures)
  if (!isNode(pattern)) return pattern === found
  if (!isNode(found)) return false
  // A placeholder may also match a whole statement.
  const { name } = (pattern.type === 'ExpressionStatement' ? pattern['expression'] : pattern) as Partial<Node>
  if (typeof name === 'string' && /^\$\w*$/.test(name)) return capture(name, [found], captures)
  if (pattern.type !== found.type) return false
  // A regular expression's value is an object, which can't be compared.
  if ('regex' in pattern) return pattern['raw'] === found['raw']
  return Object.keys(pattern).every((field) => {
    if (ignored.includes(field)) return true
    const isName = (field === 'key' || field === 'property') && pattern['computed'] === false
    if (isName) return nameOf(pattern[field]) === nameOf(found[field])
    return matches(pattern[field], found[field], captures)
  })
}

/** Keys aren't placeholders, because `$set` is a MongoDB operator. */
const nameOf = (key: unknown): unknown => (isNode(key) ? (key['name'] ?? key['value']) : key)

function listMatches(pattern: unknown[], found: unknown[], captures: Match['captures']): boolean {
  const isOpen = isRest(pattern.at(-1))
  const fixed = isOpen ? pattern.slice(0, -1) : pattern
  if (isOpen ? found.length < fixed.length : found.length !== fixed.length) return false
  if (!fixed.every((each, index) => matches(each, found[index], captures))) return false
  return !isOpen || capture('$$', found.slice(fixed.length).filter(isNode), captures)
}

const isRest = (node: unknown): boolean => isNode(node) && (node['name'] ?? nameOf(node['key'])) === '$$'

function capture(name: string, nodes: readonly Node[], captures: Match['captures']): true {
  if (name !== '$') captures.set(name, nodes)
  return true
}
