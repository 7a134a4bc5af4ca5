import { join } from 'node:path'
import { expect } from 'chai'
import { clock } from '../build/clock.ts'
import { editedFiles } from '../build/edit.ts'
import { narrowCodes } from '../build/narrow-codes.ts'
import { narrowStrides } from '../build/narrow-strides.ts'
import { points } from '../build/points.ts'
import { promises } from '../checker/promises/promises.ts'
import { controlOf, controls } from './controls.ts'
import { mutants } from './mutants.ts'
import { planOf } from './plan.ts'

const root = join(import.meta.dirname, '../../..')

describe('The mutants', () => {
  it('have each a name of its own and a promise that tells', () => {
    const names = [...controls, ...mutants].map(({ name }) => name)
    expect(new Set(names).size).to.equal(names.length)
    expect(mutants.filter(({ caughtBy }) => caughtBy.length === 0)).to.deep.equal([])
  })

  it('show of every promise that it can be broken, but of those where none would for sure', () => {
    const shown = new Set(mutants.flatMap(({ caughtBy }) => caughtBy))
    expect(Object.keys(promises).filter((name) => !shown.has(name))).to.have.members([
      // A process that ends, and a line that asks for a person, are seen as they are: checker/folder.test.ts.
      'process.lives',
      'log.calm',
      // Asked of the harness.
      'round.ended',
      // Only a few payments of a short round are live: no bug shows in them for sure.
      'provider.balances',
    ])
    const known = new Set(Object.keys(promises))
    expect([...shown].filter((name) => !known.has(name))).to.deep.equal([])
  })

  it('demand each promise alone of some mutant, so that its judge cannot fall silent behind another', () => {
    const demanded = new Set(mutants.flatMap(({ caughtBy }) => (caughtBy.length === 1 ? caughtBy : [])))
    expect(Object.keys(promises).filter((name) => !demanded.has(name))).to.have.members([
      'process.lives',
      'log.calm',
      'round.ended',
      // Whether a write is lost, and which, is chance: what loses some is found by any of these that it broke.
      'create.exists',
      'provider.balances',
    ])
  })

  it('have a control that is disturbed by what they are disturbed by', () => {
    for (const { name, focus } of mutants) {
      const control = controlOf(focus).focus
      expect(control.faults, name).to.include.members([...focus.faults])
      expect(focus.points.length === 0 || control.points.length > 0, name).to.equal(true)
    }
  })

  it('dwell on points that there are', () => {
    const known = new Set(points.map(({ name }) => name))
    const asked = mutants.flatMap(({ focus }) => focus.points)
    expect(asked.filter((name) => !known.has(name))).to.deep.equal([])
  })

  it('have plans that are over before the traffic is, and dwell on what they say', () => {
    for (const { name, focus } of [...controls, ...mutants]) {
      const plan = planOf(focus)
      expect(Math.max(0, ...plan.map(({ atMs }) => atMs)), name).to.be.below(focus.seconds * 1000)
      const passed = plan.flatMap((fault) => (fault.what === 'process.point' ? [fault.point] : []))
      expect([...new Set(passed)], name).to.have.members(focus.points)
      const others = plan.flatMap(({ what }) => (what === 'process.point' ? [] : [what]))
      expect([...new Set(others)], name).to.have.members(focus.faults)
    }
  })

  for (const { name, edits } of mutants)
    it(`${name} can be planted in the source as it is, beside all points`, () => {
      const all = [
        ...edits,
        ...clock,
        ...narrowCodes,
        ...narrowStrides,
        ...points.flatMap((point) => point.edits),
      ]
      const planted = editedFiles(root, all)
      for (const { file, put } of edits) expect(planted.get(file)).to.include(put.split('\n')[0])
    })
})
