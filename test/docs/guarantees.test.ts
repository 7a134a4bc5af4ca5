import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { checkNames } from '../attack/checks/checks.ts'
import { promises } from '../faults/checker/promises/promises.ts'
import { mutants } from '../faults/mutants/mutants.ts'
import { textOf } from './pages.ts'

const root = join(import.meta.dirname, '../..')
const [promised = ''] = textOf('docs/maintainers/guarantees.md').split('\n## What is not promised\n')

/** A row of the page: the promise, the file that keeps it, and the tests that prove it. */
interface Row {
  promise: string
  code: string
  proof: string
}

const rows: Row[] = promised
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Promise |'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, promise = '', code = '', proof = '']) => ({ promise, code, proof }))

const inTicks = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
const inItalics = (text: string): string[] => [...text.matchAll(/\*([^*]+)\*/g)].map(([, name = '']) => name)
const proofs = new Set(rows.flatMap(({ proof }) => inTicks(proof)))
const tests = [...proofs].filter((name) => name.includes('/'))
const ofFaults = [...proofs].filter((name) => !name.includes('/'))

/** `round.ended` is a promise of the harness, not of the service. */
const ofTheService = Object.keys(promises).filter((name) => name !== 'round.ended')

describe('docs/maintainers/guarantees.md', () => {
  it('lists the code and a proof for each promise', () => {
    expect(rows.length).to.be.at.least(35)
    const lacking = rows.filter(({ code, proof }) => code === '' || proof === '')
    expect(lacking.map(({ promise }) => promise)).to.deep.equal([])
  })

  it('lists only existing tests and source files', () => {
    const sources = rows
      .flatMap(({ code }) => inTicks(code))
      .map((name) => (/^(workers|ops|cli|dev|docs)\//.test(name) ? name : `src/${name}`))
    expect([tests.length > 40, sources.length > 30]).to.deep.equal([true, true])
    const files = [...tests.map((name) => `test/${name}.test.ts`), ...sources]
    expect(files.filter((name) => !existsSync(join(root, name)))).to.deep.equal([])
  })

  it('lists exactly the promises about the service that the fault checker verifies', () => {
    expect(ofFaults).to.have.members(ofTheService)
  })

  it('lists, for each planted bug, a test that detects the bug or a promise that the bug breaks', () => {
    const unnamed = mutants.filter(({ caughtBy }) => !caughtBy.some((name) => proofs.has(name.replace('.test.ts', ''))))
    expect(unnamed.map(({ name }) => name)).to.deep.equal([])
  })

  it('lists exactly the checks in the attack', () => {
    expect([...new Set(rows.flatMap(({ proof }) => inItalics(proof)))]).to.have.members(checkNames)
  })
})
