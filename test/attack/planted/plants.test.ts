import { join } from 'node:path'
import { expect } from 'chai'
import { editedFiles } from '../../support/edited-build/edit.ts'
import { checkNames } from '../checks/checks.ts'
import { plants } from './plants.ts'

const root = join(import.meta.dirname, '../../..')

describe('The bugs that `npm run attack -- --planted` plants', () => {
  for (const { bug, edits } of plants)
    it(`can be planted in the current source code: ${bug}`, () => {
      expect(editedFiles(root, edits).size).to.be.greaterThan(0)
    })

  it('include at least one bug for every check in the attack', () => {
    expect(new Set(plants.map(({ foundBy }) => foundBy))).to.have.all.keys(checkNames)
  })
})
