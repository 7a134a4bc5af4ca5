import { expect } from 'chai'
import { scopes } from '../../schemas/scopes.ts'
import {
  centimes,
  choice,
  each,
  instant,
  limitFrom,
  phoneNumber,
  pinCode,
  ranges,
  seconds,
  someId,
  someScopes,
} from '../../src/admin/commands/arguments.ts'

const expectRefused = (read: (text: string) => unknown, texts: string[], why?: RegExp) => {
  for (const text of texts) expect(() => read(text), text).to.throw(why ?? text)
}

describe('A command line argument', () => {
  it('must be one of the allowed values', () => {
    const mode = choice('test', 'live')
    expect(mode('live')).to.equal('live')
    expectRefused(mode, ['', 'LIVE', 'sandbox', ' live'], /test or live/)
  })

  it('may be a list of scopes in any order, without duplicates in the result', () => {
    const [one, other] = ['payments.intents:read', 'store.orders:read'] as const
    expect(someScopes(`${other}, ${one},${other}`)).to.deep.equal([one, other])
    expect(someScopes(scopes.join(','))).to.deep.equal([...scopes])
    expectRefused(someScopes, [`${one},all`], /Unknown: all.*payments\.intents:write/)
  })

  it('may not be an empty list, which never stands for everything', () => {
    for (const read of [someScopes, ranges]) expectRefused(read, ['', ' ', ',', ' , '], /empty/)
  })

  it('may be a list of IP addresses and CIDR ranges', () => {
    const list = '192.0.2.7, 198.51.100.0/24,2001:db8::/32,::1'
    expect(ranges(list)).to.deep.equal(['192.0.2.7', '198.51.100.0/24', '2001:db8::/32', '::1'])
    const wrong = ['300.1.1.1', '10.0.0.0/33', '2001:db8::/129', 'shop.example', '10.0.0.0/', '10.0.0.0/x']
    expectRefused((text) => ranges(`192.0.2.7,${text}`), wrong)
  })

  it('may contain only IP addresses written in full, without ambiguous shorthand', () => {
    expectRefused(ranges, ['10.1', '1', '010.0.0.1', '0x7f.1', '10.1/16'])
  })

  it('must be a whole number if it is in seconds', () => {
    expect([seconds('0'), seconds('86400')]).to.deep.equal([0, 86_400])
    expectRefused(seconds, ['', '-5', '1.5', '1e3', '1h', ' 5', '999999999'], /whole number from 0 to 99999999/)
  })

  it('may be one id, or several if repeatable, but never an empty one', () => {
    const ids = each(someId)
    expect(ids('6b01-6b02', ids('6b03', undefined))).to.deep.equal(['6b03', '6b01-6b02'])
    expectRefused(someId, ['', ' ', '*', 'a b', '$ne', 'x'.repeat(101)], /an id/)
  })

  it('may be a time or a date, which stands for its first or last millisecond', () => {
    expect(instant('start')('2026-11-20')).to.deep.equal(new Date('2026-11-20T00:00:00.000Z'))
    expect(instant('end')('2026-11-20')).to.deep.equal(new Date('2026-11-20T23:59:59.999Z'))
    expectRefused(instant('start'), ['', 'yesterday', '2026-02-30'], /ISO 8601/)
  })

  it("may be a wallet's phone number or PIN", () => {
    expect(phoneNumber('+222 33 44 55 66')).to.equal('33445566')
    expect([pinCode('0000'), pinCode('٢٥٨٠')]).to.deep.equal(['0000', '2580'])
    expectRefused(phoneNumber, ['', '1234567', 'x'.repeat(8), '+222'], /phone number/)
    expectRefused(pinCode, ['', '123', '1234567', '12a4'], /4 to 6/)
  })

  it("may be a limit within its bounds, or `default` for the service's limit", () => {
    const limit = limitFrom(1, 500)
    expect([limit('1'), limit('500'), limit('default')]).to.deep.equal([1, 500, 'default'])
    expectRefused(limit, ['', '0', '501', '-1', '1.5', '1e2', ' 5', 'none'], /from 1 to 500, or default/)
  })

  it('must be a whole number and a safe integer if it is in centimes', () => {
    expect([centimes('0'), centimes('9007199254740991')]).to.deep.equal([0, Number.MAX_SAFE_INTEGER])
    expectRefused(centimes, ['', '-1', '1.5', '1e3', '0x10', ' 5', '9007199254740992'], /whole number/)
  })
})
