import { expect } from 'chai'
import { scopes } from '../../schemas/scopes.ts'
import * as args from '../../src/admin/commands/arguments.ts'

const expectRefused = (read: (text: string) => unknown, texts: string[], why?: RegExp) => {
  for (const text of texts) expect(() => read(text), text).to.throw(why ?? text)
}

describe('A command line argument', () => {
  it('must be one of the allowed values', () => {
    const mode = args.choice('test', 'live')
    expect(mode('live')).to.equal('live')
    expectRefused(mode, ['', 'LIVE', 'sandbox', ' live'], /test or live/)
  })

  it('may be a list of scopes in any order, whose duplicates are dropped', () => {
    const [one, other] = ['payments.intents:read', 'store.orders:read'] as const
    expect(args.someScopes(`${other}, ${one},${other}`)).to.deep.equal([one, other])
    expect(args.someScopes(scopes.join(','))).to.deep.equal([...scopes])
    expectRefused(args.someScopes, [`${one},all`], /Unknown: all.*payments\.intents:write/)
  })

  it('is rejected if it is an empty list, because an empty list never stands for everything', () => {
    for (const read of [args.someScopes, args.networkRanges])
      expectRefused(read, ['', ' ', ',', ' , '], /empty/)
  })

  it('may be a list of IP addresses and CIDR ranges, written in full without an ambiguous shorthand', () => {
    const list = '192.0.2.7, 198.51.100.0/24,2001:db8::/32,::1'
    expect(args.networkRanges(list)).to.deep.equal(['192.0.2.7', '198.51.100.0/24', '2001:db8::/32', '::1'])
    const wrong = ['300.1.1.1', '10.0.0.0/33', '2001:db8::/129', 'shop.example', '10.0.0.0/', '10.0.0.0/x']
    expectRefused((text) => args.networkRanges(`192.0.2.7,${text}`), wrong)
    expectRefused(args.networkRanges, ['10.1', '1', '010.0.0.1', '0x7f.1', '10.1/16'])
  })

  it('must be a whole number if it stands for seconds', () => {
    expect([args.secondsArgument('0'), args.secondsArgument('86400')]).to.deep.equal([0, 86_400])
    const wrong = ['', '-5', '1.5', '1e3', '1h', ' 5', '999999999']
    expectRefused(args.secondsArgument, wrong, /whole number from 0 to 99999999/)
  })

  it('may be one id, or several ids if the argument is repeatable, but never an empty id', () => {
    expect(args.someIds('6b01-6b02', args.someIds('6b03', undefined))).to.deep.equal(['6b03', '6b01-6b02'])
    expectRefused(args.someId, ['', ' ', '*', 'a b', '$ne', 'x'.repeat(101)], /an id/)
  })

  it('may be a time, or a date that stands for its first or last millisecond', () => {
    expect(args.instantArgument('start')('2026-11-20')).to.deep.equal(new Date('2026-11-20T00:00:00.000Z'))
    expect(args.instantArgument('end')('2026-11-20')).to.deep.equal(new Date('2026-11-20T23:59:59.999Z'))
    expectRefused(args.instantArgument('start'), ['', 'yesterday', '2026-02-30'], /ISO 8601/)
  })

  it("may be a wallet's phone number or PIN", () => {
    expect(args.phoneNumber('+222 33 44 55 66')).to.equal('33445566')
    expect([args.pinCode('0000'), args.pinCode('٢٥٨٠')]).to.deep.equal(['0000', '2580'])
    expectRefused(args.phoneNumber, ['', '1234567', 'x'.repeat(8), '+222'], /phone number/)
    expectRefused(args.pinCode, ['', '123', '1234567', '12a4'], /4 to 6/)
  })

  it('must be a whole number and a safe integer if it is in centimes', () => {
    const read = ['0', '9007199254740991'].map(args.parseCentimesArgument)
    expect(read).to.deep.equal([0, Number.MAX_SAFE_INTEGER])
    const wrong = ['', '-1', '1.5', '1e3', '0x10', ' 5', '9007199254740992']
    expectRefused(args.parseCentimesArgument, wrong, /whole number/)
  })
})
