import { apiScopes } from '../../schemas/scopes.ts'
import * as args from '../../src/admin/commands/arguments.ts'

const expectRefused = (read: (text: string) => unknown, texts: string[], why?: RegExp) => {
  for (const text of texts) expect(() => read(text), text).to.throw(why ?? text)
}

describe('A command line argument', () => {
  it('must be one of the allowed values', () => {
    const mode = args.choiceParser('test', 'live')
    expect(mode('live')).to.equal('live')
    expectRefused(mode, ['', 'LIVE', 'sandbox', ' live'], /test or live/)
  })

  it('may be a list of scopes in any order, from which duplicates are removed', () => {
    const [one, other] = ['payments.intents:read', 'store.orders:read'] as const
    expect(args.parseScopes(`${other}, ${one},${other}`)).to.deep.equal([one, other])
    expect(args.parseScopes(apiScopes.join(','))).to.deep.equal([...apiScopes])
    expectRefused(args.parseScopes, [`${one},all`], /Unknown: all.*payments\.intents:write/)
  })

  it('is rejected if it is an empty list, because that must never mean everything', () => {
    for (const read of [args.parseScopes, args.parseIpRanges])
      expectRefused(read, ['', ' ', ',', ' , '], /empty/)
  })

  it('may be a list of IP addresses and CIDR ranges, but without ambiguous shorthand', () => {
    const list = '192.0.2.7, 198.51.100.0/24,2001:db8::/32,::1'
    expect(args.parseIpRanges(list)).to.deep.equal(['192.0.2.7', '198.51.100.0/24', '2001:db8::/32', '::1'])
    const wrong = ['300.1.1.1', '10.0.0.0/33', '2001:db8::/129', 'shop.example', '10.0.0.0/', '10.0.0.0/x']
    expectRefused((text) => args.parseIpRanges(`192.0.2.7,${text}`), wrong)
    expectRefused(args.parseIpRanges, ['10.1', '1', '010.0.0.1', '0x7f.1', '10.1/16'])
  })

  it('must be a whole number if it stands for seconds', () => {
    expect([args.parseSeconds('0'), args.parseSeconds('86400')]).to.deep.equal([0, 86_400])
    const wrong = ['', '-5', '1.5', '1e3', '1h', ' 5', '999999999']
    expectRefused(args.parseSeconds, wrong, /whole number from 0 to 99999999/)
  })

  it('may be one id, or several ids if the argument is repeatable, but never an empty id', () => {
    const two = args.idListArgument('6b01-6b02', args.idListArgument('6b03', undefined))
    expect(two).to.deep.equal(['6b03', '6b01-6b02'])
    expectRefused(args.idArgument, ['', ' ', '*', 'a b', '$ne', 'x'.repeat(101)], /an id/)
  })

  it('may be a time, or a date, which means its first or last millisecond', () => {
    expect(args.instantParser('start')('2026-11-20')).to.deep.equal(new Date('2026-11-20T00:00:00.000Z'))
    expect(args.instantParser('end')('2026-11-20')).to.deep.equal(new Date('2026-11-20T23:59:59.999Z'))
    expectRefused(args.instantParser('start'), ['', 'yesterday', '2026-02-30'], /ISO 8601/)
  })

  it("may be a wallet's phone number or PIN", () => {
    expect(args.parsePhoneNumber('+222 33 44 55 66')).to.equal('33445566')
    expect([args.parsePin('0000'), args.parsePin('٢٥٨٠')]).to.deep.equal(['0000', '2580'])
    expectRefused(args.parsePhoneNumber, ['', '1234567', 'x'.repeat(8), '+222'], /phone number/)
    expectRefused(args.parsePin, ['', '123', '1234567', '12a4'], /4 to 6/)
  })

  it('must be a whole number and a safe integer if it is in centimes', () => {
    const read = ['0', '9007199254740991'].map(args.parseCentimesArgument)
    expect(read).to.deep.equal([0, Number.MAX_SAFE_INTEGER])
    const wrong = ['', '-1', '1.5', '1e3', '0x10', ' 5', '9007199254740992']
    expectRefused(args.parseCentimesArgument, wrong, /whole number/)
  })
})
