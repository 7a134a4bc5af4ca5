import { expect } from 'chai'
import { chanceOf } from './chance.ts'

const drawn = (seed: number, salt: string, from = 1, to = 1_000_000): number[] => {
  const chance = chanceOf(seed, salt)
  return Array.from({ length: 200 }, () => chance.whole(from, to))
}

describe('A seeded random generator', () => {
  it('returns the same numbers for the same seed and salt', () => {
    expect(drawn(7, 'a')).to.deep.equal(drawn(7, 'a'))
    expect(drawn(7, 'a')).not.to.deep.equal(drawn(8, 'a'))
    expect(drawn(7, 'a')).not.to.deep.equal(drawn(7, 'b'))
    expect([...new Set(drawn(1, 'ends', -1, 1))]).to.have.members([-1, 0, 1])
  })
})
