import { join } from 'node:path'
import { expect } from 'chai'
import { editedFiles } from '../../faults/build/edit.ts'
import { answerOracles } from '../oracles/answer-oracles.ts'
import { runOracles } from '../oracles/run-oracles.ts'
import { plants } from './plants.ts'

const root = join(import.meta.dirname, '../../..')

describe('The bugs that are planted for the attack', () => {
  for (const { says, edits } of plants)
    it(`can be planted in the sources as they are: ${says}`, () => {
      expect(editedFiles(root, edits).size).to.be.greaterThan(0)
    })

  it('are one for every oracle, but for those that a hang alone can show or that look at the same', () => {
    const oracles = [...Object.keys(answerOracles()), ...Object.keys(runOracles)]
    const found = new Set(plants.map(({ foundBy }) => foundBy))
    // Each is violated together with another one: a fault is logged, and who sees what is another's may store it.
    expect(oracles.filter((name) => !found.has(name))).to.deep.equal(['no error logged', 'stored apart'])
  })
})
