import { expect } from 'chai'
import { chanceOf } from './chance.ts'

const draws = (seed: number, salt: string): number[] => {
  const chance = chanceOf(seed, salt)
  return Array.from({ length: 20 }, () => chance.whole(1, 1_000_000))
}

describe('Chance', () => {
  it('draws the same for the same seed and salt, and else something else', () => {
    expect(draws(7, 'a')).to.deep.equal(draws(7, 'a'))
    expect(draws(7, 'a')).not.to.deep.equal(draws(8, 'a'))
    expect(draws(7, 'a')).not.to.deep.equal(draws(7, 'b'))
  })

  it('draws whole numbers with both ends, and nothing beyond', () => {
    const chance = chanceOf(1, 'ends')
    const drawn = new Set(Array.from({ length: 200 }, () => chance.whole(-1, 1)))
    expect([...drawn].toSorted((a, b) => a - b)).to.deep.equal([-1, 0, 1])
  })

  it('draws names as often as they weigh, and those of no weight never', () => {
    const chance = chanceOf(1, 'weights')
    const drawn = Array.from({ length: 4000 }, () => chance.weighted({ often: 3, seldom: 1, never: 0 }))
    const count = (name: string) => drawn.filter((each) => each === name).length
    expect(count('never')).to.equal(0)
    expect(count('often') / count('seldom')).to.be.within(2.5, 3.5)
  })
})
