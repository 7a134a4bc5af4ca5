import { isPublicAddress } from '../../src/webhooks/sender/resolve.ts'
import * as addresses from '../webhooks/addresses.ts'

const canonical = (text: string): string => new URL(`http://[${text}]`).hostname.slice(1, -1)
const isRefused = (address: string): boolean => !isPublicAddress(address)

describe('isPublicAddress', () => {
  it('is tested with at least 400 different addresses', () => {
    const all = [...addresses.publicV4, ...addresses.publicV6, ...addresses.refusedAddresses]
    expect(new Set(all).size).to.be.at.least(400)
  })

  const groups: [string, string[]][] = [
    ['every special IPv4 block from its first to its last address', addresses.refusedV4],
    ['every special or unassigned IPv6 block from its first to its last address', addresses.refusedV6],
    ['IPv6 addresses that embed an IPv4 address, even a public one', addresses.embeddedV4],
    ['IPv4 addresses in unusual notations, even public addresses', addresses.unusualV4],
    ['anything that is not an address or that has a zone', addresses.notAddresses],
  ]
  for (const [name, group] of groups)
    it(`rejects ${name}`, () => expect(group.filter(isPublicAddress)).to.deep.equal([]))

  it('accepts public addresses, even next to a special-purpose block', () =>
    expect([...addresses.publicV4, ...addresses.publicV6].filter(isRefused)).to.deep.equal([]))

  it('returns the same result for every notation of an IPv6 address', () => {
    const all = [...addresses.refusedV6, ...addresses.publicV6]
    expect(all.filter((one) => isRefused(one) !== isRefused(canonical(one)))).to.deep.equal([])
  })
})
