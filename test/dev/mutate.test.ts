import { existsSync } from 'node:fs'
import { rangesOf, subjects } from '../../dev/mutate/subjects.ts'

describe('npm run mutate', () => {
  for (const [name, subject] of Object.entries(subjects))
    it(`mutates existing code of “${name}” and runs an existing test`, () => {
      expect(rangesOf(subject)).to.not.deep.equal([])
      expect(existsSync(`test/unit/${subject.test}.test.ts`)).to.equal(true)
    })
})
