import { expect } from 'chai'
import { queryWallet } from '../../src/intents/query-wallets.ts'
import { refundIntent } from '../../src/intents/refunds/refund.ts'
import type { Deps } from '../../src/platform/deps.ts'
import { newId } from '../../src/platform/ids.ts'
import { createLiveWallet } from '../../src/wallets/live/live-wallet.ts'
import { openWallets } from '../../src/wallets/wallet.ts'
import { cancelIntent, createIntent } from '../support/actions.ts'
import { callerOf } from '../support/caller.ts'
import { allClosed } from '../support/closing.ts'
import { killAtEveryStep } from '../support/kill-at-every-step.ts'
import { outboxEventsOf, outcomeName, pay, storedIntent } from '../support/pay.ts'
import {
  asSpecified,
  type Provider,
  type ProviderBehaviour,
  requestLost,
  responseLost,
  startProvider,
} from '../support/provider.ts'
import { payer } from '../support/provider-books.ts'
import { type Merchant, withService } from '../support/service.ts'
import { behindMs } from '../support/victim.ts'
import { dataOf, newRequest } from '../support/write-request.ts'

const amount = 700
const { phone, pin } = payer

/** By then an order counts as not executed: it's valid for 8 s, plus 30 s for the provider's clock, plus a minute. */
const muchLaterMs = 120_000
/** Added to the validity that the provider gets, because its clock may be ahead. */
const skewMs = 30_000

describe('A process killed between any two steps of a live payment or refund', function () {
  this.timeout(60_000)
  let provider: Provider
  let merchant: Merchant
  /** Another process, at a time when every outcome is known. */
  let later: Deps
  before(async () => {
    provider = await startProvider()
  })
  const service = withService(() => ({ ...provider.environment, WALLET_PROVIDER_TIMEOUT_SECONDS: '3' }))
  before(async () => {
    // As far behind as the killed processes' clocks, so that the provider accepts their orders.
    provider.setClock(() => new Date(service.clock.now().getTime() - behindMs))
    merchant = await service.merchant({ mode: 'live' })
    const now = () => new Date(service.clock.now().getTime() + muchLaterMs)
    const { config, log } = service.deps
    const wallet = createLiveWallet({ config, log, now }, config.walletProvider ?? expect.fail())
    later = { ...service.deps, now, wallets: openWallets(null, wallet) }
  })
  // Closing takes as long as the driver waits for a dead connection.
  after(async () => {
    await allClosed()
    await later.wallets.close()
    await provider.close()
  })

  const moved = (referenceNumber: string) => provider.movedFor(referenceNumber)

  interface Payment {
    referenceNumber: string
    paymentId: string
  }

  async function newPayment(): Promise<Payment> {
    const { referenceNumber } = await createIntent(service, merchant, { amount })
    return { referenceNumber, paymentId: newId() }
  }

  /** Only killed processes' orders are handled like this. Their clocks are behind, and so is their orders' validity. */
  const handleOrdersOfVictims = (behaviour: ProviderBehaviour): void =>
    provider.handleOrders((res, work, request) => {
      const { validUntil } = JSON.parse(request.body)
      const isOfVictim = Date.parse(validUntil) - skewMs < service.clock.now().getTime()
      return (isOfVictim ? behaviour : asSpecified)(res, work, request)
    })

  /** The customer pays, and the process dies at some step. */
  const paying = () => ({
    prepare: newPayment,
    run: (victim: { deps: Deps }, { referenceNumber, paymentId }: Payment) =>
      pay(victim, referenceNumber, { paymentId, phone, pin }),
    /** While the outcome is unknown, the merchant tries to cancel, the customer repeats the form, and workers query. */
    async repeat({ referenceNumber, paymentId }: Payment) {
      const { _id, hold } = await storedIntent(service, referenceNumber)
      if (hold !== null) {
        expect((await cancelIntent(service, merchant, referenceNumber)).status).to.equal(400)
        const again = await pay(service, referenceNumber, { paymentId, phone, pin })
        expect(outcomeName(again)).to.equal('not-begun')
      }
      await Promise.all([queryWallet(later, _id, paymentId), queryWallet(later, _id, paymentId)])
    },
    /** If the first payment failed, another customer pays. */
    async check({ referenceNumber, paymentId }: Payment, label: string) {
      const { status, payment } = await storedIntent(service, referenceNumber)
      const killed = provider.movements.filter(({ key }) => key === paymentId)
      expect([status, payment?.key], label).to.deep.equal(
        killed.length === 1 ? ['PAID', paymentId] : ['PENDING', undefined],
      )
      await pay(service, referenceNumber, { phone, pin })
      const intent = await storedIntent(service, referenceNumber)
      expect([intent.status, intent.hold, outboxEventsOf(intent)], label).to.deep.equal([
        'PAID',
        null,
        ['payment.created', 'payment.confirmed'],
      ])
      expect(moved(referenceNumber), label).to.deep.equal([-amount])
    },
  })

  const ways: [what: string, behaviour: ProviderBehaviour, job: string][] = [
    ['whose response is lost', responseLost, 'enqueue wallet-outcome'],
    ['whose order is lost', requestLost, 'enqueue wallet-outcome'],
  ]
  for (const [what, behaviour, job] of ways)
    it(`takes the money exactly once for a payment ${what}`, async () => {
      handleOrdersOfVictims(behaviour)
      expect(await killAtEveryStep(service, paying(), 0)).to.include(job)
    })

  interface Refunding {
    referenceNumber: string
    key: string
    responses: string[]
  }

  /** Every call has the same idempotency key. */
  async function refund(deps: Deps, { referenceNumber, key, responses }: Refunding): Promise<void> {
    const input = { amount: 500, reason: null, expectedRefundable: null }
    const request = newRequest(deps, { key })
    try {
      await dataOf(await refundIntent(deps, callerOf(merchant, false), referenceNumber, input, request))
      responses.push('done')
    } catch (error) {
      responses.push((error as { code?: string }).code ?? '')
    }
  }

  const refunding = () => ({
    async prepare(): Promise<Refunding> {
      const { referenceNumber } = await createIntent(service, merchant, { amount })
      expect(outcomeName(await pay(service, referenceNumber, { phone, pin }))).to.equal('done')
      return { referenceNumber, key: newId(), responses: [] }
    },
    run: (victim: { deps: Deps }, each: Refunding) => refund(victim.deps, { ...each, responses: [] }),
    async repeat(each: Refunding) {
      // The retry or a worker queries the wallet for the outcome.
      await refund(later, each)
      const { _id, refunds } = await storedIntent(service, each.referenceNumber)
      for (const { id } of refunds) await queryWallet(later, _id, id)
    },
    async check(each: Refunding, label: string) {
      await refund(later, each)
      const intent = await storedIntent(service, each.referenceNumber)
      const [debit, ...credits] = moved(each.referenceNumber)
      expect([debit, intent.refundsCommitted], label).to.deep.equal([-amount, credits[0] ?? 0])
      const isBack = credits.length === 1
      expect(credits, label).to.deep.equal(isBack ? [500] : [])
      const statuses = intent.refunds.map(({ status }) => status)
      expect(statuses, label).to.deep.equal(isBack ? ['SUCCEEDED'] : [])
      const events = outboxEventsOf(intent).filter((event) => event === 'payment.refunded')
      expect(events, label).to.have.length(credits.length)
      expect(each.responses.at(-1), label).to.equal(isBack ? 'done' : 'REFUND_FAILED')
    },
  })

  for (const [what, behaviour, job] of ways)
    it(`makes at most one refund for a request ${what}`, async () => {
      handleOrdersOfVictims(behaviour)
      expect(await killAtEveryStep(service, refunding(), 0)).to.include(job)
    })
})
