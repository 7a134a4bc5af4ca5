// `npm run tables`: writes the generated tables into the pages of docs/, and names each page that it changed.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fillTables, pagesWithTables } from './fill-tables.ts'

for (const page of pagesWithTables()) {
  const { before, after, stale } = await fillTables(page)
  if (after === before) continue
  writeFileSync(join(import.meta.dirname, '..', page), after)
  process.stdout.write(`${page}: ${stale.join(', ')}\n`)
}
