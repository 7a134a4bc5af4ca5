import { expect } from 'chai'
import { fillTables, pagesWithTables } from '../../dev/fill-tables.ts'
import { pages, textOf } from './pages.ts'

interface Row {
  page: string
  line: string
  cells: number
  isRule: boolean
}

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
  isRule: /^\|( ?-+ ?\|)+$/.test(line),
})

const tables = pages.flatMap(tablesOf)

describe('A generated documentation table', () => {
  let generated = 0
  for (const page of pagesWithTables())
    it(`is up to date: ${page}`, () => {
      const { before, after, stale } = fillTables(page)
      generated += before.match(/<!-- end of table -->/g)?.length ?? 0
      const remedy = `Stale: ${stale.join(', ')}. Run \`npm run tables\`, and commit the page.`
      expect(after === before, remedy).to.equal(true)
    })

  it('appears at least twice', () => {
    expect(generated).to.be.at.least(2)
  })
})

describe('A documentation table', () => {
  it('appears at least 50 times', () => {
    expect(tables.length).to.be.at.least(50)
  })

  it('starts with a header row and a separator row', () => {
    const broken = tables.filter(([, second]) => second?.isRule !== true)
    expect(broken.map(([first]) => first)).to.deep.equal([])
  })

  it('has the same number of cells in every row', () => {
    const uneven = tables.flatMap(([head, ...rows]) => rows.filter(({ cells }) => cells !== head?.cells))
    expect(uneven).to.deep.equal([])
  })
})
