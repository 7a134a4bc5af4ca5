import { join } from 'node:path'
import { editedFiles } from '../../support/edited-build/edit.ts'
import { checkNames } from '../checks/checks.ts'
import { plants } from './plants.ts'

const root = join(import.meta.dirname, '../../..')

describe('A bug planted by `npm run attack -- --planted`', () => {
  for (const { bug, edits } of plants)
    it(`can be inserted into the current source code: ${bug}`, () => {
      expect(editedFiles(root, edits).size).to.be.greaterThan(0)
    })

  it('exists for every check in the attack', () => {
    expect(new Set(plants.map(({ foundBy }) => foundBy))).to.have.all.keys(checkNames)
  })
})
