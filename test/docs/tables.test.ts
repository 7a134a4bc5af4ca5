import { fillTables, pagesWithTables } from '../../dev/fill-tables.ts'
import { pages, textOf } from './pages.ts'

type Row = { page: string; line: string; cells: number }

const tablesOf = (page: string): Row[][] =>
  [...textOf(page).matchAll(/(?:^\|.*\n?)+/gm)].map(([table]) =>
    table
      .trimEnd()
      .split('\n')
      .map((line) => rowOf(page, line)),
  )

const rowOf = (page: string, line: string): Row => ({
  page,
  line,
  cells: line.replaceAll('\\|', '').split('|').length,
})

const tables = pages.flatMap(tablesOf)

describe('A generated documentation table', () => {
  for (const page of pagesWithTables())
    it(`is up to date: ${page}`, () => {
      const { before, after, stale } = fillTables(page)
      const remedy = `Stale: ${stale.join(', ')}. Run \`npm run tables\`, and commit the page.`
      expect(after === before, remedy).to.equal(true)
    })
})

describe('A documentation table', () => {
  it('has the same number of cells in every row', () => {
    const uneven = tables.flatMap(([head, ...rows]) => rows.filter(({ cells }) => cells !== head?.cells))
    expect(uneven).to.deep.equal([])
  })
})
