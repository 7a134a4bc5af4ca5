import { existsSync } from 'node:fs'
import { expect } from 'chai'
import { rangesOf, subjects } from '../../dev/mutate/subjects.ts'

describe('npm run mutate', () => {
  it('covers the code that computes money and decides about deliveries', () => {
    expect(subjects).to.include.all.keys(
      'commission',
      'fee portions',
      'ledger positions',
      'statements',
      'verdict',
      'retry wait',
      'health change',
      "provider's response",
      'lifecycle',
      'sign',
    )
  })

  for (const [name, subject] of Object.entries(subjects))
    it(`mutates existing code of “${name}” and runs an existing test`, () => {
      expect(rangesOf(subject)).to.not.deep.equal([])
      expect(existsSync(`test/unit/${subject.test}.test.ts`)).to.equal(true)
    })
})
