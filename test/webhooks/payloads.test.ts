import { expireIntent } from '../../src/intents/expire.ts'
import { type KnownWalletOutcome, openWallets } from '../../src/wallets/wallet.ts'
import { cancelIntent, createIntent, readIntent, subscribe } from '../support/actions.ts'
import { type Received, withEndpointServer } from '../support/endpoint-server.ts'
import { deadlineMs } from '../support/machine.ts'
import { outcomeName, pay } from '../support/pay.ts'
import { schemaErrorsOf } from '../support/payment-events.ts'
import { type ScriptedWallet, scriptedWallet } from '../support/scripted-wallet.ts'
import { type Merchant, withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

type Body = Received['json']

const paymentEvents = ['created', 'confirmed', 'cancelled', 'expired', 'refunded', 'failed'].map(
  (name) => `payment.${name}`,
)
const nothingEarned = { provider_ttc: 0, payer_ttc: 0, tof: 0, tte: 0, total_revenue: 0 }
/** The commission on 500.00 MRU (docs/merchants/take-a-payment.md). */
const earned = { provider_ttc: 1000, payer_ttc: 500, tof: 210, tte: 30, total_revenue: 1260 }
const unpaid = { amount: 50_000, paid_at: null, payer_phone: null, commission: nothingEarned }

describe("A payment webhook's body", () => {
  const service = withService()
  const endpointServer = withEndpointServer()
  let merchant: Merchant
  let wallet: ScriptedWallet
  before(async () => {
    wallet = scriptedWallet(service)
    merchant = await service.merchant()
    await subscribe(service, merchant, endpointServer.url, paymentEvents)
    service.startWorkers()
  })
  const act = async (path: string, body: object, status: number) => {
    const response = await service.http.post(`/api/v1/dev/intents/${path}`).set(merchant.write()).send(body)
    expect(response.status, JSON.stringify(response.body)).to.equal(status)
    return response.body.data
  }
  const simulate = (reference: string, body: object, status = 200) =>
    act(`${reference}/simulate-payment`, body, status)
  const payWith = async (
    outcome: KnownWalletOutcome,
    reference: string,
    said: Parameters<typeof pay>[2] = {},
  ) => {
    wallet.setOutcome(() => outcome)
    expect(outcomeName(await pay(service, reference, said))).to.equal(outcome.outcome)
  }
  async function bodiesOf(reference: string, ...events: string[]): Promise<Body[]> {
    const bodies = await waitFor(`${events.join()} of ${reference}`, () => {
      const all = endpointServer.received.map(({ json }) => json)
      const received = all.filter(({ data }) => data.reference_number === reference)
      return received.length >= events.length && received
    })
    for (const body of bodies) expect(schemaErrorsOf(body), JSON.stringify(body)).to.deep.equal([])
    expect(bodies.map(({ event }) => event)).to.have.members(events.map((name) => `payment.${name}`))
    return bodies.toSorted((a, b) => a.created_at.localeCompare(b.created_at))
  }
  const last = async (...query: Parameters<typeof bodiesOf>): Promise<Body> =>
    (await bodiesOf(...query)).at(-1) as Body

  it('describes a new intent with all of its metadata', async () => {
    const metadata = '{"a.b":"1","$x":"2","__proto__":"3","constructor":""," é💰":"ü\\u0007","order":"1042"}'
    const input = `{"amount":50000,"merchantReference":"Nº 1042","metadata":${metadata}}`
    const { referenceNumber, shortCode, createdAt } = await createIntent(service, merchant, JSON.parse(input))
    const body = await last(referenceNumber, 'created')
    expect(body).to.include({ event: 'payment.created', created_at: createdAt, sandbox: true })
    expect(JSON.stringify(body.data.metadata)).to.equal(JSON.stringify(JSON.parse(metadata)))
    const { metadata: _, ...rest } = body.data
    const named = { reference_number: referenceNumber, short_code: shortCode, merchant_reference: 'Nº 1042' }
    expect(rest).to.deep.equal({ ...named, currency: 'MRU', status: 'PENDING', ...unpaid })
  })

  it('states the time, payer and commission of wallet and simulated payments', async () => {
    for (const way of ['wallet', 'simulated'] as const) {
      const { referenceNumber, shortCode } = await createIntent(service, merchant)
      const phone = '221771234567'
      if (way === 'wallet') await payWith({ outcome: 'done' }, referenceNumber, { phone })
      else await simulate(referenceNumber, { payerPhone: `+${phone}` })
      const { data, created_at: at } = await last(referenceNumber, 'created', 'confirmed')
      const { payment } = await readIntent(service, merchant, referenceNumber)
      expect(Math.abs(Date.parse(at) - Date.parse(payment.paidAt)), way).to.be.below(deadlineMs(1000))
      expect(data, way).to.deep.equal({
        reference_number: referenceNumber,
        short_code: shortCode,
        merchant_reference: null,
        amount: 50_000,
        currency: 'MRU',
        status: 'PAID',
        paid_at: payment.paidAt,
        payer_phone: '22 ** ** 67',
        metadata: {},
        commission: earned,
      })
    }
  })

  it('contains no amount for an unpaid OPEN intent, not even the suggested amount', async () => {
    const open = { amountType: 'OPEN', amount: 777 }
    const { referenceNumber } = await createIntent(service, merchant, open)
    await payWith({ outcome: 'declined', reason: 'limit_exceeded' }, referenceNumber, { amount: 60_000 })
    await payWith({ outcome: 'done' }, referenceNumber, { amount: 50_000 })
    await act(`${referenceNumber}/refund`, { amount: 1 }, 200)
    const bodies = await bodiesOf(referenceNumber, 'created', 'failed', 'confirmed', 'refunded')
    expect(bodies.map(({ data }) => data.amount)).to.deep.equal([null, null, 50_000, 50_000])
    const left = await createIntent(service, merchant, open)
    await cancelIntent(service, merchant, left.referenceNumber)
    const gone = await last(left.referenceNumber, 'created', 'cancelled')
    expect(gone.data).to.include({ amount: null, status: 'CANCELLED' })
  })

  it('states why a payment failed and whether the customer may try again', async () => {
    const { referenceNumber } = await createIntent(service, merchant)
    await payWith({ outcome: 'refused', reason: 'wrong_pin' }, referenceNumber)
    await payWith({ outcome: 'declined', reason: 'insufficient_funds' }, referenceNumber)
    await simulate(referenceNumber, { outcome: 'insufficient_funds' }, 402)
    await payWith({ outcome: 'failed', reason: 'wallet_closed' }, referenceNumber)
    const [, ...failed] = await bodiesOf(referenceNumber, 'created', 'failed', 'failed', 'failed')
    const poor = { code: 'insufficient_funds', retryable: true }
    expect(failed.map(({ data: { status, failure } }) => ({ status, failure }))).to.deep.equal([
      { status: 'PENDING', failure: poor },
      { status: 'PENDING', failure: poor },
      { status: 'FAILED', failure: { code: 'wallet_closed', retryable: false } },
    ])
    for (const { data } of failed) expect(data).to.deep.include(unpaid)
    const magic = await createIntent(service, merchant, { amount: 99_901 })
    await simulate(magic.referenceNumber, {}, 402)
    const { data } = await last(magic.referenceNumber, 'created', 'failed')
    expect(data.failure).to.deep.equal({ code: 'technical_error', retryable: false })
  })

  it("contains each refund's id and the payment's data", async () => {
    const { referenceNumber } = await createIntent(service, merchant)
    await payWith({ outcome: 'declined', reason: 'insufficient_funds' }, referenceNumber)
    await payWith({ outcome: 'done' }, referenceNumber)
    const first = await act(`${referenceNumber}/refund`, { amount: 20_000, reason: 'torn' }, 200)
    const second = await act(`${referenceNumber}/refund`, {}, 200)
    const events = 'created failed confirmed refunded refunded'.split(' ')
    const [, , paid, ...refunds] = await bodiesOf(referenceNumber, ...events)
    const expected = [
      {
        id: first.refund.id,
        amount: 20_000,
        returned_fees: { provider_ttc: 400, payer_ttc: 200 },
        reason: 'torn',
      },
      {
        id: second.refund.id,
        amount: 30_000,
        returned_fees: { provider_ttc: 600, payer_ttc: 300 },
        reason: null,
      },
    ].map((refund) => ({ ...paid?.data, status: 'REFUNDED', refund }))
    expect(refunds.map(({ data }) => data)).to.deep.equal(expected)
  })

  it('states whether an unpaid intent was cancelled or expired', async () => {
    const [cancelled, expired] = await Promise.all([
      createIntent(service, merchant),
      createIntent(service, merchant),
    ])
    await cancelIntent(service, merchant, cancelled.referenceNumber)
    const bodies = [await last(cancelled.referenceNumber, 'created', 'cancelled')]
    await bodiesOf(expired.referenceNumber, 'created')
    // If the clock changed during an attempt, the attempt would be repeated.
    await waitFor(
      'every attempt has ended',
      async () => !(await service.deps.Delivery.exists({ status: 'PENDING' })),
    )
    service.clock.advance(86_400_000)
    await expireIntent(service.deps, expired.referenceNumber)
    bodies.push(await last(expired.referenceNumber, 'created', 'expired'))
    for (const { data } of bodies) expect(data).to.deep.include({ ...unpaid, status: 'CANCELLED' })
    expect(bodies[1]?.created_at).to.equal(expired.expiresAt)
  })

  it('contains `sandbox: false` for a live payment', async () => {
    service.deps.wallets = openWallets(wallet, { ...wallet, name: 'live:test', close: async () => undefined })
    const live = await service.merchant({ mode: 'live' })
    await subscribe(service, live, endpointServer.url, paymentEvents)
    const { referenceNumber } = await createIntent(service, live)
    await payWith({ outcome: 'done' }, referenceNumber)
    const bodies = await bodiesOf(referenceNumber, 'created', 'confirmed')
    expect(bodies.map(({ sandbox }) => sandbox)).to.deep.equal([false, false])
  })
})
