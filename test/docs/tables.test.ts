import { expect } from 'chai'
import { fillTables, pagesWithTables } from '../../dev/fill-tables.ts'
import { pages, textOf } from './pages.ts'

interface Row {
  place: string
  cells: number
  isRule: boolean
}

/** Lines that begin with a bar, together as they follow one another: a table ends with the first line that does not. */
function tablesOf(page: string): Row[][] {
  const tables: Row[][] = []
  let isOpen = false
  for (const [at, line] of textOf(page).split('\n').entries()) {
    const isRow = line.startsWith('|')
    if (isRow && !isOpen) tables.push([])
    if (isRow) tables.at(-1)?.push(rowOf(line, `${page}:${at + 1}`))
    isOpen = isRow
  }
  return tables
}

const rowOf = (line: string, place: string): Row => ({
  place,
  cells: line.replaceAll('\\|', '').split('|').length,
  isRule: /^\|( ?-+ ?\|)+$/.test(line),
})

const tables = pages.flatMap(tablesOf)

describe('The generated tables', () => {
  let generated = 0
  for (const page of pagesWithTables())
    it(`of ${page} are fresh`, async () => {
      const { before, after, stale } = await fillTables(page)
      generated += before.match(/<!-- end of table -->/g)?.length ?? 0
      expect(
        after === before,
        `Stale: ${stale.join(', ')}. Run \`npm run tables\`, and commit the page.`,
      ).to.equal(true)
    })

  it('exist', () => {
    expect(generated).to.be.at.least(2)
  })
})

describe('The tables on the pages', () => {
  it('were found', () => {
    expect(tables.length).to.be.at.least(50)
  })

  it('have a head and a line under it: rows behind an empty line are no table', () => {
    const broken = tables.filter(([, second]) => second?.isRule !== true)
    expect(broken.map(([first]) => first?.place)).to.deep.equal([])
  })

  it('have as many cells in each row as in their head', () => {
    const uneven = tables.flatMap(([head, ...rows]) => rows.filter(({ cells }) => cells !== head?.cells))
    expect(uneven.map(({ place }) => place)).to.deep.equal([])
  })
})
