import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { oracleNames } from '../attack/oracles/oracle-names.ts'
import { promises } from '../faults/checker/promises/promises.ts'
import { mutants } from '../faults/mutants/mutants.ts'
import { textOf } from './pages.ts'

const root = join(import.meta.dirname, '../..')
const [promised = ''] = textOf('docs/maintainers/guarantees.md').split('\n## What is not promised\n')

/** A row of the page: what is promised, what it rests on, and by what its breach shows. */
interface Row {
  promise: string
  rests: string
  fails: string
  faults: string
}

const rows: Row[] = promised
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Promise |'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, promise = '', rests = '', fails = '', faults = '']) => ({ promise, rests, fails, faults }))

const inTicks = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
const inItalics = (text: string): string[] => [...text.matchAll(/\*([^*]+)\*/g)].map(([, name = '']) => name)
const named = (part: keyof Row, namesIn: (text: string) => string[]): Set<string> =>
  new Set(rows.flatMap((row) => namesIn(row[part])))

/** That a round was played to its end is asked of the harness, not of the service. */
const ofTheService = Object.keys(promises).filter((name) => name !== 'round.ended')
const mutantNames = mutants.map(({ name }) => name)
const isMutant = (name: string): boolean => mutantNames.includes(name)
const notMutants = (text: string): string[] => inTicks(text).filter((name) => !isMutant(name))

describe('docs/maintainers/guarantees.md', () => {
  it('has promises, each with what it rests on and what would show its breach', () => {
    expect(rows.length).to.be.at.least(35)
    const lacking = rows.filter(({ rests, fails, faults }) => rests === '' || fails + faults === '')
    expect(lacking.map(({ promise }) => promise)).to.deep.equal([])
  })

  it('names tests and sources that there are', () => {
    const files = [...named('fails', inTicks)].map((name) => `test/${name}`)
    const sources = [...named('rests', inTicks)].filter((name) => /^(src|workers|ops)\//.test(name))
    expect([files.length > 40, sources.length > 30]).to.deep.equal([true, true])
    expect([...files, ...sources].filter((name) => !existsSync(join(root, name)))).to.deep.equal([])
  })

  it('names every promise of the checker of faults, and no other', () => {
    expect([...named('faults', notMutants)]).to.have.members(ofTheService)
  })

  it('names every planted bug, beside a promise by which it is found', () => {
    expect([...named('faults', (text) => inTicks(text).filter(isMutant))]).to.have.members(mutantNames)
    for (const { promise, faults } of rows)
      for (const { name, caughtBy } of mutants.filter((one) => inTicks(faults).includes(one.name)))
        expect(notMutants(faults), `${name}: ${promise}`).to.include.oneOf([...caughtBy])
  })

  it('names every oracle of the attack, and no other', () => {
    expect([...named('fails', inItalics)]).to.have.members(oracleNames)
  })
})
