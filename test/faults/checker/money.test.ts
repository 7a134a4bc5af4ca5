import { expect } from 'chai'
import type { ProviderRequest } from '../evidence/evidence.ts'
import { judge } from './check.ts'
import type { IntentDocument } from './documents.ts'
import { at, idOf, iso } from './story/clock.ts'
import { create } from './story/happenings.ts'
import { type Ordinary, ordinary } from './story/ordinary.ts'
import { tellsOf, the } from './story/perturbations.ts'
import { call, good, shop } from './story/story.ts'
import { commissionOf } from './views/commission.ts'

/** A payment that the provider made. */
const order = (given: Partial<ProviderRequest>): ProviderRequest => ({
  at: at(10),
  clockAheadMs: 0,
  kind: 'payment',
  asks: 'order',
  key: idOf('live'),
  amount: 500,
  businessId: shop.id,
  reference: null,
  paymentKey: null,
  phone: '22888888',
  status: 'succeeded',
  decided: true,
  did: 200,
  ...given,
})

/** A customer sends the form that pays. */
const confirm = (round: Ordinary, shortCode: string, form: string, phone: string) =>
  call(round, 51, {
    what: 'pay.confirm',
    actor: 'customer',
    business: null,
    keyId: null,
    sandbox: null,
    path: `/p/${shortCode}`,
    body: { form: `${form}.time.signature`, phone, pin: '273645' },
    status: 303,
    answer: { text: '', state: null, location: `/p/${shortCode}` },
  })

/** A payment of production that both books have, and what the provider was asked for otherwise. */
function live(round: Ordinary, given: Partial<ProviderRequest>): IntentDocument {
  const intent = create(round, 'live', 50)
  intent.sandbox = false
  intent.payment = { ...the(round.byWallet.payment ?? undefined), wallet: 'live:provider', key: idOf('live') }
  confirm(round, intent.shortCode, idOf('live'), '22 88 88 88')
  round.provider.push(order({ reference: intent.referenceNumber, ...given }))
  return intent
}

/** Another change of the stock of the product that is sold. */
const stock = (round: Ordinary, seconds: number, body: object, status: number | null = 200) =>
  call(round, seconds, {
    what: 'stock',
    method: 'PATCH',
    path: `/api/v1/dev/store/products/${round.product._id}/variants/Default/stock`,
    idempotencyKey: `stock-${seconds}`,
    body,
    status,
    answer: status === 200 ? good({}) : null,
  })
const left = (round: Ordinary, units: number) => (the(round.product.variants[0]).stock = units)
const told = (round: Ordinary, promise: string) => judge(round).filter((each) => each.promise === promise)

describe('The checker of faults, of money and stock,', () => {
  it('computes the commission that is described', () => {
    expect(commissionOf(50_000)).to.deep.equal({
      providerTtc: 1000,
      payerTtc: 500,
      tof: 210,
      tte: 30,
      totalRevenue: 1260,
    })
    expect(commissionOf(1)).to.deep.equal({ providerTtc: 2, payerTtc: 1, tof: 1, tte: 1, totalRevenue: 1 })
  })

  it('lets both stocks pass where the outcome of a change is unknown, and no third', () => {
    for (const [units, isRight] of [
      [12, true],
      [9, true],
      [10, false],
    ] as const) {
      const round = ordinary()
      stock(round, 20, { delta: -3 }, null)
      left(round, units)
      expect(told(round, 'stock.balances').length === 0, String(units)).to.equal(isRight)
    }
  })

  it('counts what an order took that the clean-up has taken since', () => {
    const round = ordinary()
    round.dump.orders.pop()
    const placed = the(round.calls.find(({ what }) => what === 'order'))
    Object.assign((placed.answer as { data: object }).data, { createdAt: iso(-31 * 86_400) })
    expect(judge(round)).to.deep.equal([])
    left(round, 15)
    expect(told(round, 'stock.balances')).to.have.lengthOf(1)
  })

  it('takes a count for a new beginning, and either order of what came at once', () => {
    for (const [units, isRight] of [
      [100, true],
      [104, true],
      [112, false],
    ] as const) {
      const round = ordinary()
      stock(round, 20, { stock: 100 })
      stock(round, 20.05, { delta: 4 })
      left(round, units)
      expect(told(round, 'stock.balances').length === 0, String(units)).to.equal(isRight)
    }
  })

  it('adds to a count what an order held then and may have given back since, and to nothing else', () => {
    for (const [counted, units, isRight] of [
      [100, 100, true],
      [100, 102, true],
      [100, 98, false],
      [null, 12, true],
      [null, 14, false],
    ] as const) {
      const round = ordinary()
      const { _id: productId } = round.product
      call(round, 19, {
        what: 'order',
        path: '/api/v1/dev/store/orders/simulate',
        idempotencyKey: 'order-lost',
        body: { items: [{ productId, variantLabel: 'Default', quantity: 2 }] },
        status: null,
        answer: null,
      })
      if (counted !== null) stock(round, 25, { stock: counted })
      left(round, units)
      expect(told(round, 'stock.balances').length === 0, `${counted} ${units}`).to.equal(isRight)
    }
  })

  it('lets a live payment pass that is in both books', () => {
    const round = ordinary()
    const { referenceNumber: reference } = live(round, {})
    expect(told(round, 'provider.balances')).to.deep.equal([])
    round.provider.push(order({ reference, decided: false }))
    expect(told(round, 'provider.balances')).to.have.lengthOf(1)
  })

  it('lets a change of stock be another in the next life of its key, and in no other', () => {
    for (const days of [1, 0]) {
      const round = ordinary()
      stock(round, 20, { stock: 40 })
      const clockAheadMs: [number, number] = [0, days * 25 * 3_600_000]
      Object.assign(stock(round, 30, { delta: 3 }), { idempotencyKey: 'stock-20', clockAheadMs })
      left(round, 43)
      expect(told(round, 'stock.balances')).to.have.lengthOf(1 - days)
    }
  })

  tellsOf([
    [
      'refund.bounded',
      'more went back than was paid',
      ({ paid }) => {
        the(paid.refunds[0]).amount = 501
        paid.refundsCommitted = 501
      },
    ],
    ['refund.bounded', 'the sum is another', ({ paid }) => (paid.refundsCommitted = 300)],
    [
      'refund.bounded',
      'an answer has another sum',
      ({ calls }) => {
        const answer = the(calls.find(({ what }) => what === 'refund')).answer as {
          data: { totalAmountRefunded: number }
        }
        answer.data.totalAmountRefunded = 300
      },
    ],
    [
      'refund.bounded',
      'the amount that always fails was refunded',
      ({ paid }) => (the(paid.refunds[0]).amount = 99_904),
    ],
    [
      'wallet.balances',
      'the wallet is not whose PIN was typed',
      ({ dump }) => {
        dump.wallets.push({ ...the(dump.wallets[0]), _id: '22777777', phone: '22777777' })
        the(dump.walletmovements[0]).accountId = '22777777'
      },
    ],
    [
      'wallet.balances',
      'another phone number is shown for the payer',
      ({ byWallet }) => (the(byWallet.payment ?? undefined).payerPhone = '22******98'),
    ],
    [
      'wallet.balances',
      'a refund went to another wallet',
      ({ dump, byWallet }) => {
        const times = { createdAt: at(20), validUntil: at(26) }
        const refund = { id: 'RF-X', amount: 1, reason: null, status: 'SUCCEEDED', ...times }
        byWallet.refunds.push(refund)
        const [paid] = dump.walletmovements
        dump.walletmovements.push({
          ...the(paid),
          _id: 'RF-X',
          kind: 'refund',
          amount: 1,
          accountId: 'another',
        })
      },
    ],
    ['wallet.balances', 'a centime is missing', ({ dump }) => (the(dump.wallets[0]).balance -= 1)],
    [
      'wallet.balances',
      'money moved of which no intent tells',
      ({ dump }) => {
        dump.walletmovements.push({ ...the(dump.walletmovements[0]), _id: 'another' })
      },
    ],
    [
      'wallet.balances',
      'an intent tells of money that never moved',
      ({ dump }) => dump.walletmovements.pop(),
    ],
    [
      'wallet.balances',
      'a movement is under way',
      ({ dump }) => (the(dump.wallets[0]).current = { key: 'x' }),
    ],
    [
      'wallet.balances',
      'somebody paid by a wrong PIN',
      ({ calls }) => {
        const form = the(calls.find(({ what }) => what === 'pay.confirm')).body as { pin: string }
        form.pin = '111111'
      },
    ],
    [
      'provider.balances',
      'the provider made a payment of which no intent tells',
      ({ provider }) => provider.push(order({})),
    ],
    [
      'provider.balances',
      'an intent tells of one that it did not make',
      ({ byWallet }) => {
        the(byWallet.payment ?? undefined).wallet = 'live:provider'
      },
    ],
    ['provider.balances', 'it was ordered of another phone', (round) => live(round, { phone: '22777777' })],
    ['provider.balances', 'it was ordered for another business', (round) => live(round, { businessId: 'x' })],
    [
      'provider.balances',
      'a refund was ordered of another payment',
      (round) => {
        const times = { createdAt: at(60), validUntil: at(66) }
        const refund = { id: 'RF-L', amount: 1, reason: null, status: 'SUCCEEDED', ...times }
        live(round, {}).refunds.push(refund)
        round.provider.push(order({ kind: 'refund', key: 'RF-L', amount: 1, paymentKey: 'of-another' }))
      },
    ],
    [
      'commission.exact',
      'it is a centime more',
      ({ paid }) => (the(paid.payment ?? undefined).commission.tof += 1),
    ],
    ['stock.balances', 'a unit is missing', (round) => left(round, 11)],
    ['stock.balances', 'it is below 0', (round) => left(round, -1)],
    ['stock.balances', 'an order holds units', ({ product }) => product.reservations.push({})],
    ['order.exact', 'it is gone', ({ dump }) => dump.orders.pop()],
    [
      'order.exact',
      'it has other lines',
      ({ dump }) => (the(the(dump.orders[0]).items[0]).variantId = 'another'),
    ],
    [
      'order.exact',
      'it sells more than was asked for',
      ({ dump, calls }) => {
        const placed = the(calls.find(({ what }) => what === 'order')).answer as { data: object }
        const items = [{ ...the(the(dump.orders[0]).items[0]), quantity: 6, total: 42 }]
        for (const each of [the(dump.orders[0]), placed.data]) Object.assign(each, { items, total: 42 })
      },
    ],
    ['order.exact', 'it sells at another price', ({ product }) => (the(product.variants[0]).price = 8)],
    ['order.exact', 'it does not add up', ({ dump }) => (the(dump.orders[0]).total = 22)],
    ['tenant.apart', 'test money paid a live one', ({ byWallet }) => (byWallet.sandbox = false)],
  ])
})
