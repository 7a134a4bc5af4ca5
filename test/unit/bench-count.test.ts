import { countDelivered } from '../../bench/arrivals.ts'
import type { Arrival } from '../../bench/endpoint-servers.ts'

describe("A benchmark's delivery count", () => {
  const of = (...references: string[]) =>
    references.map((reference, at): Arrival => [1, reference, `delivery ${at}`, at])
  const expected = new Set(['a', 'b', 'c'])

  it('equals the number of expected deliveries that arrived', () =>
    expect([countDelivered([], expected), countDelivered(of('b', 'a', 'c'), expected)]).to.deep.equal([0, 3]))

  it('is replaced by an error if a delivery arrives twice or too late', () => {
    expect(() => countDelivered(of('a', 'b', 'b'), expected)).to.throw('twice')
    expect(() => countDelivered(of('a', 'b', 'd'), expected)).to.throw('d was delivered late')
  })
})
