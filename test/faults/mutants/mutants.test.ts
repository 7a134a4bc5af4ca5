import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { editedFiles } from '../../support/edited-build/edit.ts'
import { fewCodes, harnessEdits, points } from '../build/edits.ts'
import { promises } from '../checker/promises/promises.ts'
import { planOf } from './focus.ts'
import { chooseMutants, controlOf, controls, mutants } from './mutants.ts'

const root = join(import.meta.dirname, '../../..')

/** No bug reliably breaks one of these alone. */
const notAlone = [
  // Tested directly instead: checker/check.test.ts.
  'process.lives',
  'log.calm',
  // About the test harness, not the service.
  'round.ended',
  // Chance decides which write is lost, so any of several promises breaks.
  'create.exists',
  // A short round has too few live payments.
  'provider.balances',
]

describe('A deliberate bug (mutant) for fault runs', () => {
  it('has a unique name', () => {
    const names = [...controls, ...mutants].map(({ name }) => name)
    expect(new Set(names).size).to.equal(names.length)
    expect(chooseMutants([])).to.include.members([...controls])
  })

  it('exists for each promise that a single bug can break on its own', () => {
    const alone = new Set(mutants.flatMap(({ caughtBy }) => (caughtBy.length === 1 ? caughtBy : [])))
    expect(Object.keys(promises).filter((name) => !alone.has(name))).to.have.members(notAlone)
  })

  it('names only existing promises and tests that detect it', () => {
    const isKnown = (name: string): boolean => name in promises || existsSync(join(root, 'test', name))
    expect(mutants.flatMap(({ caughtBy }) => caughtBy).filter((name) => !isKnown(name))).to.deep.equal([])
  })

  it('has a fault plan that fits into its run and causes only the intended faults', () => {
    for (const { name, focus } of [...controls, ...mutants]) {
      expect(controlOf(focus).focus.faults, name).to.include.members([...focus.faults])
      const plan = planOf(focus)
      expect(Math.max(0, ...plan.map(({ atMs }) => atMs)), name).to.be.below(focus.seconds * 1000)
      const passed = plan.map(({ order }) => order?.point).filter((point) => point !== undefined)
      expect([...new Set(passed)], name).to.have.members(focus.points)
      const others = plan.filter(({ order }) => order === undefined).map(({ what }) => what)
      expect([...new Set(others)], name).to.have.members(focus.faults)
      expect(points.map((point) => point.name)).to.include.members([...focus.points])
    }
  })

  for (const { name, edits } of mutants)
    it(`can be inserted into the current source code along with all fault points: ${name}`, () =>
      expect(editedFiles(root, [...edits, ...harnessEdits, fewCodes]).size).to.be.greaterThan(0))
})
