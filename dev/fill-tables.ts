// `npm run tables`: writes the generated tables into the pages of docs/, and names each page it changed.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMetrics } from '../src/metrics/metrics.ts'
import { code, tableOf } from './markdown.ts'
import { operations } from './openapi-document.ts'
import { environmentTable } from './tables/environment.ts'
import { errorTable } from './tables/errors.ts'
import { limitTable } from './tables/limits.ts'
import { requestLimitTable } from './tables/request-limits.ts'

const root = join(import.meta.dirname, '..')
const block = /(<!-- table: ([\w-]+) -->\n).*?(\n<!-- end of table -->)/gs
const opening = /<!-- table: /g

export const pagesWithTables = (): string[] =>
  readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .toSorted()

/** Fills blocks between `<!-- table: NAME -->` and `<!-- end of table -->`. Throws if a block has no table or end. */
export function fillTables(page: string) {
  const before = readFileSync(join(root, page), 'utf8')
  const blocks = [...before.matchAll(block)]
  if (blocks.length !== (before.match(opening)?.length ?? 0))
    throw new Error(`${page}: a table does not end with <!-- end of table -->`)
  const stale: string[] = []
  let after = ''
  let end = 0
  for (const { 0: whole, 1: start = '', 2: name = '', 3: close = '', index } of blocks) {
    const table = tables[name]
    if (table === undefined) throw new Error(`${page}: there is no table ${name}`)
    const filled = `${start}\n${table().trim()}\n${close}`
    if (filled !== whole) stale.push(name)
    after += before.slice(end, index) + filled
    end = index + whole.length
  }
  return { before, after: after + before.slice(end), stale }
}

const tables: Record<string, () => string> = {
  environment: environmentTable,
  errors: errorTable,
  limits: limitTable,
  'request-limits': requestLimitTable,

  /** Every list's parameters. The guide explains the filters. */
  'list-parameters'() {
    const lists = operations.filter(({ parameters }) => parameters.some(({ name }) => name === 'page'))
    const rows = lists.map(({ method, path, parameters }) => {
      const inQuery = parameters.filter((each) => each.in === 'query')
      const filters = inQuery.filter(({ name }) => name !== 'page' && name !== 'limit')
      return [code(`${method} ${path}`), filters.map(({ name = '' }) => code(name)).join(', ')]
    })
    return tableOf(
      ['List', 'Parameters, besides `page` and `limit`'],
      rows.filter(([, filters]) => filters !== ''),
    )
  },

  metrics() {
    const described = createMetrics().registry.getMetricsAsArray() as unknown as {
      name: string
      help: string
      labelNames: string[]
    }[]
    return tableOf(
      ['Metric', 'Labels', 'Meaning'],
      described.map(({ name, labelNames, help }) => [
        code(name.replace('payment_intents_', '')),
        labelNames.map(code).join(', '),
        help,
      ]),
    )
  },

  operations() {
    const byScope = Object.groupBy(operations, ({ security }) => security[0]?.apiKey[0] ?? '')
    return tableOf(
      ['Scope', 'Operations'],
      Object.entries(byScope).map(([scope, own = []]) => [
        code(scope),
        own.map(({ method, path }) => code(`${method} ${path}`)).join('<br>'),
      ]),
    )
  },
}

if (import.meta.filename === process.argv[1])
  for (const page of pagesWithTables()) {
    const { before, after, stale } = fillTables(page)
    if (after === before) continue
    writeFileSync(join(root, page), after)
    process.stdout.write(`${page}: ${stale.join(', ')}\n`)
  }
