import type { WalletResponse } from '../../schemas/payment-reasons.ts'
import { readWalletResponse, toWalletOutcome } from '../../src/wallets/live/live-wallet.ts'

const order = { kind: 'payment', key: 'k', amount: 500, fee: 5, businessId: 'b', requestId: null } as const
const usual = { key: 'k', status: 'succeeded' }
const read = (response: object | string, status = 200, kind: 'payment' | 'refund' = 'payment') => {
  const body = typeof response === 'string' ? response : JSON.stringify(response)
  return readWalletResponse({ status, body }, { ...order, kind })
}
const isTrusted = (response: object, status?: number): boolean => 'response' in read(response, status)
const fault = (response: object | string, status?: number): unknown => {
  const result = read(response, status)
  return 'fault' in result ? result.fault : null
}

describe("A provider's response", () => {
  it('is trusted if it is well-formed and refers to the order', () => {
    const whole = { ...usual, amount: 500, fee: 5, currency: 'MRU', more: 1 }
    expect(read(whole)).to.deep.equal({ response: whole })
    for (const status of ['succeeded', 'declined', 'failed', 'refused', 'pending'])
      expect(isTrusted({ ...usual, status }), status).to.equal(true)
    expect(isTrusted({ ...usual, status: 'unknown' }, 404)).to.equal(true)
    expect(isTrusted({ ...usual, status: 'expired' }, 410)).to.equal(true)
  })

  it('is not trusted with the wrong HTTP status', () => {
    expect(fault({ ...usual, status: 'unknown' })).to.equal('malformed')
    expect(fault({ ...usual, status: 'expired' }, 404)).to.equal('status 404')
    expect(fault(usual, 404)).to.equal('status 404')
    expect(fault(usual, 201)).to.equal('status 201')
    expect(fault('<h1>Bad gateway</h1>', 502)).to.equal('status 502')
  })

  it('is not trusted if it is malformed', () => {
    for (const each of ['', '{', 'null', '"text"', '[]', {}, { key: 'k' }, { ...usual, status: 'paid' }])
      expect(fault(each), JSON.stringify(each)).to.equal('malformed')
  })

  it('is not trusted if it is about another order', () => {
    expect(fault({ ...usual, key: 'other' })).to.equal('another key')
    expect(fault({ ...usual, amount: 501 })).to.equal('another amount')
    expect(fault({ ...usual, fee: 0 })).to.equal('another fee')
    expect(fault({ ...usual, currency: 'EUR' })).to.equal('another currency')
    expect(fault({ ...usual, currency: null })).to.equal('another currency')
  })

  it("cannot refuse a refund because of a PIN, which refunds don't have", () => {
    expect(read({ ...usual, status: 'refused' }, 200, 'refund')).to.deep.equal({ fault: 'malformed' })
    expect(read({ ...usual, status: 'declined' }, 200, 'refund')).to.have.property('response')
  })

  it('has an outcome with a known reason, or with the default reason', () => {
    const outcome = (status: WalletResponse['status'], reason?: string): unknown =>
      toWalletOutcome({ key: 'k', status, reason })
    expect(outcome('succeeded')).to.deep.equal({ outcome: 'done' })
    /** The first reason in each list is the default. */
    const reasons = {
      refused: ['wrong_pin', 'wallet_locked'],
      declined: ['declined', 'insufficient_funds', 'limit_exceeded'],
      failed: ['technical_error', 'wallet_closed'],
    }
    for (const [status, known] of Object.entries(reasons))
      for (const given of [...known, 'other']) {
        const reason = given === 'other' ? known[0] : given
        expect(outcome(status as 'failed', given)).to.deep.equal({ outcome: status, reason })
      }
    expect(outcome('unknown')).to.deep.equal({ outcome: 'unknown', why: 'not there' })
    for (const why of ['pending', 'expired'] as const)
      expect(outcome(why)).to.deep.equal({ outcome: 'unknown', why })
  })
})
