import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
/** Matches one generated table with its markers. */
const block = /(<!-- table: ([\w-]+) -->\n).*?(\n<!-- end of table -->)/gs
const opening = /<!-- table: /g

/** The pages that may contain generated tables, by their path from the root. */
export const pagesWithTables = (): string[] =>
  readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .toSorted()

/** The text of a page, and its text with newly generated tables. */
export interface Filled {
  before: string
  after: string
  /** The tables whose text differs. */
  stale: string[]
}

/**
 * Generates the tables of a page. The block from `<!-- table: NAME -->` to `<!-- end of table -->` contains the
 * Markdown that `table()` of dev/tables/NAME.ts returns.
 * @throws {Error} if a block names no table, or does not end
 */
export async function fillTables(page: string): Promise<Filled> {
  const before = readFileSync(join(root, page), 'utf8')
  const blocks = [...before.matchAll(block)]
  if (blocks.length !== (before.match(opening)?.length ?? 0))
    throw new Error(`${page}: a table does not end with <!-- end of table -->`)
  const stale: string[] = []
  let after = ''
  let end = 0
  for (const { 0: whole, 1: start = '', 2: name = '', 3: close = '', index } of blocks) {
    const filled = `${start}\n${(await generate(page, name)).trim()}\n${close}`
    if (filled !== whole) stale.push(name)
    after += before.slice(end, index) + filled
    end = index + whole.length
  }
  return { before, after: after + before.slice(end), stale }
}

async function generate(page: string, name: string): Promise<string> {
  const path = join(root, 'dev/tables', `${name}.ts`)
  if (!existsSync(path)) throw new Error(`${page}: there is no dev/tables/${name}.ts`)
  const { table } = (await import(path)) as { table?: () => string | Promise<string> }
  if (table === undefined) throw new Error(`dev/tables/${name}.ts must export a function called table`)
  return table()
}
