import { expect } from 'chai'
import type { Arrival } from '../../bench/receivers.ts'
import { countTold } from '../../bench/witness.ts'

describe('A benchmark that counts who was told', () => {
  const of = (...references: string[]) =>
    references.map((reference, at): Arrival => [1, reference, `delivery ${at}`, at])
  const asked = new Set(['a', 'b', 'c'])

  it('knows when all were', () => {
    expect([countTold([], asked), countTold(of('b', 'a', 'c'), asked)]).to.deep.equal([0, 3])
  })

  it('takes neither one told twice nor one of before for another that is missing', () => {
    expect(() => countTold(of('a', 'b', 'b'), asked)).to.throw('twice')
    expect(() => countTold(of('a', 'b', 'd'), asked)).to.throw('d was told late')
  })
})
