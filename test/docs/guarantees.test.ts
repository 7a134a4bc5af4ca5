import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { checkNames } from '../attack/checks/checks.ts'
import { promises } from '../faults/checker/promises/promises.ts'
import { mutants } from '../faults/mutants/mutants.ts'
import { textOf } from './pages.ts'

const root = join(import.meta.dirname, '../..')
const [promised = ''] = textOf('docs/maintainers/guarantees.md').split('\n## What is not promised\n')
type Row = { promise: string; proof: string }

const rows: Row[] = promised
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Promise |'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, promise = '', proof = '']) => ({ promise, proof }))

const inTicks = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
const inItalics = (text: string): string[] => [...text.matchAll(/\*([^*]+)\*/g)].map(([, name = '']) => name)
const proofs = new Set(rows.flatMap(({ proof }) => inTicks(proof)))
const tests = [...proofs].filter((name) => name.includes('/'))
const ofFaults = [...proofs].filter((name) => !name.includes('/'))

/** `round.ended` is a promise of the test harness, not of the service. */
const ofTheService = Object.keys(promises).filter((name) => name !== 'round.ended')

describe('docs/maintainers/guarantees.md', () => {
  it('lists a proof for each promise', () => {
    expect(rows.length).to.be.at.least(100)
    expect(rows.filter(({ proof }) => proof === '').map(({ promise }) => promise)).to.deep.equal([])
  })

  it('lists only existing tests', () => {
    expect(tests.length).to.be.greaterThan(40)
    expect(tests.filter((name) => !existsSync(join(root, `test/${name}.test.ts`)))).to.deep.equal([])
  })

  it('lists exactly the promises that the fault checker verifies', () =>
    expect(ofFaults).to.have.members(ofTheService))

  it('lists a test or a promise that detects each planted bug', () => {
    const unnamed = mutants.filter(
      ({ caughtBy }) => !caughtBy.some((name) => proofs.has(name.replace('.test.ts', ''))),
    )
    expect(unnamed.map(({ name }) => name)).to.deep.equal([])
  })

  it('lists exactly the checks in the attack', () =>
    expect([...new Set(rows.flatMap(({ proof }) => inItalics(proof)))]).to.have.members(checkNames))
})
