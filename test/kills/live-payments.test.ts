import { pino } from 'pino'
import { expireIntent } from '../../src/intents/expire.ts'
import { queryWallet, type WalletQueryResult } from '../../src/intents/query-wallets.ts'
import { describeError } from '../../src/platform/log.ts'
import { createLiveWallet } from '../../src/wallets/live/live-wallet.ts'
import { openWallets } from '../../src/wallets/wallet.ts'
import { cancelIntent, createIntent, readIntent } from '../support/actions.ts'
import { createGate } from '../support/gate.ts'
import { outboxEventsOf, outcomeName, pay, refund, storedIntent } from '../support/pay.ts'
import type { Provider, ProviderBehaviour } from '../support/provider.ts'
import { asSpecified, requestLost, responseLost, send, startProvider } from '../support/provider.ts'
import { payer } from '../support/provider-books.ts'
import { dumpKeys } from '../support/redis-keys.ts'
import { type Merchant, openService, type Service } from '../support/service.ts'

const dayMs = 86_400_000
const timeoutMs = 2_000
/** An order is valid for 5 s beyond the timeout, plus 30 s because the provider's clock may be ahead. */
const validForMs = timeoutMs + 5_000 + 30_000
/** A minute after that, an order without a trace counts as not executed. */
const lostForGoodMs = validForMs + 60_000 + 1
const amount = 50_000
const { phone, pin } = payer

describe('A live payment', () => {
  let service: Service
  let provider: Provider
  let merchant: Merchant
  let log = ''
  before(async () => {
    provider = await startProvider()
    const environment = { ...provider.environment, WALLET_PROVIDER_TIMEOUT_SECONDS: String(timeoutMs / 1000) }
    const sink = { write: (line: string) => void (log += line) }
    service = await openService(
      environment,
      pino({ level: 'trace', serializers: { err: describeError } }, sink),
    )
    provider.setClock(service.clock.now)
    merchant = await service.merchant({ mode: 'live' })
  })
  beforeEach(() => {
    provider.handleOrders(asSpecified)
    provider.handleQueries(asSpecified)
    provider.requests.length = 0
    provider.wallets.set(phone, { pin, balance: payer.balance })
  })
  after(async () => {
    await service.close()
    await provider.close()
  })
  const payLive = (referenceNumber: string, form: Parameters<typeof pay>[2] = {}) =>
    pay(service, referenceNumber, { phone, pin, ...form })
  const moved = (referenceNumber: string) => provider.movedFor(referenceNumber)
  const orders = () => provider.requests.filter(({ method }) => method === 'POST')
  async function queryOnce(referenceNumber: string): Promise<WalletQueryResult> {
    const { _id, hold } = await storedIntent(service, referenceNumber)
    return queryWallet(service.deps, _id, hold?.id ?? '')
  }
  async function queryRepeatedly(referenceNumber: string): Promise<WalletQueryResult> {
    for (;;) {
      const result = await queryOnce(referenceNumber)
      if (result.nextAt === null) return result
      service.clock.advance(Math.max(0, result.nextAt.getTime() - service.clock.now().getTime()))
    }
  }
  async function unknownPayment(behaviour: ProviderBehaviour): Promise<string> {
    const { referenceNumber } = await createIntent(service, merchant, { amount })
    provider.handleOrders(behaviour)
    expect(await payLive(referenceNumber)).to.deep.equal({ state: 'waiting' })
    return referenceNumber
  }
  async function delayedPayment() {
    const [gate, done] = [createGate(), createGate()]
    const referenceNumber = await unknownPayment(async (_res, work) => {
      await gate.passed
      work()
      done.open()
    })
    const arrive = () => {
      gate.open()
      return done.passed
    }
    return { referenceNumber, arrive }
  }

  async function expectHeld(referenceNumber: string): Promise<void> {
    const { status, body } = await cancelIntent(service, merchant, referenceNumber)
    expect([status, body.error.code]).to.deep.equal([400, 'INTENT_CANCEL_CONFLICT'])
    expect(outcomeName(await payLive(referenceNumber))).to.equal('not-begun')
    expect((await readIntent(service, merchant, referenceNumber)).status).to.equal('PENDING')
  }
  const stateOf = async (referenceNumber: string) => {
    const intent = await storedIntent(service, referenceNumber)
    return { status: intent.status, events: outboxEventsOf(intent), moved: moved(referenceNumber) }
  }
  const paidOnce = { status: 'PAID', events: ['payment.created', 'payment.confirmed'], moved: [-amount] }
  const unpaid = { status: 'PENDING', events: ['payment.created'], moved: [] }
  async function expectPaidOnce(referenceNumber: string): Promise<void> {
    expect(await queryRepeatedly(referenceNumber)).to.include({ outcome: 'done' })
    expect(await stateOf(referenceNumber)).to.deep.equal(paidOnce)
  }
  const responses: [what: string, behaviour: ProviderBehaviour][] = [
    ['the response is lost', responseLost],
    ['the response is too late', (res, work) => void setTimeout(send, 2 * timeoutMs, res, work())],
    ['the order arrives twice and no response is sent', (res, work) => void (work(), work(), res.destroy())],
  ]
  for (const [what, behaviour] of responses)
    it(`holds its intent until the outcome is known, even if ${what}`, async () => {
      const referenceNumber = await unknownPayment(behaviour)
      await expectHeld(referenceNumber)
      await expectPaidOnce(referenceNumber)
      expect(orders()).to.have.length(1)
    })

  it('takes no money if its order reaches the provider after the deadline', async () => {
    const { referenceNumber, arrive } = await delayedPayment()
    service.clock.advance(lostForGoodMs)
    expect(await queryRepeatedly(referenceNumber)).to.include({ outcome: 'not-executed' })
    await arrive()
    expect(await stateOf(referenceNumber)).to.deep.equal(unpaid)
  })

  it("delays its intent's expiry until it's certain that no money was taken", async () => {
    const paid = await unknownPayment(responseLost)
    const lost = await unknownPayment(requestLost)
    service.clock.advance(dayMs)
    for (const referenceNumber of [paid, lost]) {
      expect(await expireIntent(service.deps, referenceNumber)).to.include({ expired: false })
      expect((await readIntent(service, merchant, referenceNumber)).status).to.equal('PENDING')
      await queryRepeatedly(referenceNumber)
    }
    expect(await expireIntent(service.deps, paid)).to.include({ expired: false })
    expect(await expireIntent(service.deps, lost)).to.include({ expired: true })
    expect(await stateOf(paid)).to.deep.equal(paidOnce)
    const expired = { status: 'CANCELLED', events: ['payment.created', 'payment.expired'], moved: [] }
    expect(await stateOf(lost)).to.deep.equal(expired)
  })

  it('holds its intent while the provider is down', async () => {
    const referenceNumber = await unknownPayment(responseLost)
    await provider.goDown()
    const waits: number[] = []
    for (let queries = 0; queries < 25; queries += 1) {
      const { nextAt } = await queryOnce(referenceNumber)
      const waitMs = (nextAt?.getTime() ?? 0) - service.clock.now().getTime()
      waits.push(Math.round(waitMs / 1000))
      service.clock.advance(waitMs)
    }
    expect(waits).to.deep.equal(waits.toSorted((a, b) => a - b))
    expect([waits[0], waits.at(-1)]).to.deep.equal([1, 60])
    await expectHeld(referenceNumber)
    await provider.comeUp()
    await expectPaidOnce(referenceNumber)
  })

  it("can't be made from a sandbox wallet", async () => {
    const { referenceNumber } = await createIntent(service, merchant, { amount })
    expect(outcomeName(await pay(service, referenceNumber))).to.equal('refused')
    expect(orders()).to.have.length(1)
    const accounts = await service.deps.WalletAccount.countDocuments({})
    expect([accounts, await service.deps.WalletMovement.countDocuments({})]).to.deep.equal([0, 0])
    const test = await createIntent(service, await service.merchant(), { amount })
    expect(outcomeName(await payLive(test.referenceNumber))).to.equal('refused')
    expect(provider.requests).to.have.length(1)
  })

  it('holds its intent as long as a provider with a slow clock may still carry out the order', async () => {
    provider.setClock(() => new Date(service.clock.now().getTime() - 25_000))
    const { referenceNumber, arrive } = await delayedPayment()
    service.clock.advance(validForMs + 20_000)
    expect(await queryOnce(referenceNumber)).to.include({ outcome: 'unknown' })
    await arrive()
    await expectPaidOnce(referenceNumber)
    provider.setClock(service.clock.now)
  })

  describe('whose provider has been replaced', () => {
    let other: Provider
    before(async () => {
      other = await startProvider()
      other.setClock(service.clock.now)
    })
    after(() => other.close())
    function replaceProvider(name: string): () => Promise<void> {
      const { wallets } = service.deps
      const { url, key } = other
      service.deps.wallets = openWallets(
        null,
        createLiveWallet(service.deps, { name, url, key, refunds: true }),
      )
      return async () => {
        await service.deps.wallets.close()
        service.deps.wallets = wallets
      }
    }

    it('holds its intent without querying the new provider', async () => {
      const referenceNumber = await unknownPayment(responseLost)
      const restore = replaceProvider('another')
      service.clock.advance(lostForGoodMs)
      expect(await queryOnce(referenceNumber)).to.include({ outcome: 'unknown', why: 'not configured' })
      await expectHeld(referenceNumber)
      await restore()
      await expectPaidOnce(referenceNumber)
      expect(other.requests).to.deep.equal([])
    })

    it('can be refunded through the old provider at a new address', async () => {
      const { referenceNumber } = await createIntent(service, merchant, { amount })
      expect(outcomeName(await payLive(referenceNumber))).to.equal('done')
      let restore = replaceProvider('another')
      const { status, body } = await refund(service, merchant, referenceNumber, 100)
      await restore()
      expect([status, body.error.code, other.requests.length]).to.deep.equal([503, 'SERVICE_UNAVAILABLE', 0])
      const { refunds, refundsCommitted } = await storedIntent(service, referenceNumber)
      expect([refunds, refundsCommitted]).to.deep.equal([[], 0])
      restore = replaceProvider(new URL(provider.url).host)
      other.handleOrders((res, _work, { key }) =>
        send(res, { status: 200, body: { key, status: 'succeeded' } }),
      )
      expect((await refund(service, merchant, referenceNumber, 100)).status).to.equal(200)
      await restore()
      expect(other.requests).to.have.length(1)
    })
  })

  describe('with a requested refund', () => {
    async function paidIntent(): Promise<string> {
      const { referenceNumber } = await createIntent(service, merchant, { amount })
      provider.handleOrders(asSpecified)
      expect(outcomeName(await payLive(referenceNumber))).to.equal('done')
      return referenceNumber
    }
    /** A refund of 300.00 with an unknown outcome. `retry` repeats its request. */
    async function unknownRefund(behaviour: ProviderBehaviour) {
      const referenceNumber = await paidIntent()
      provider.handleOrders(behaviour)
      const headers = merchant.write()
      const path = `/api/v1/dev/intents/${referenceNumber}/refund`
      const retry = () => service.http.post(path).set(headers).send({ amount: 30_000 })
      const { status, body } = await retry()
      expect([status, body.error.code]).to.deep.equal([503, 'SERVICE_UNAVAILABLE'])
      provider.handleOrders(asSpecified)
      return { referenceNumber, retry }
    }

    it("is refunded once if the provider's response is lost, and a retry returns that refund", async () => {
      const { referenceNumber, retry } = await unknownRefund(responseLost)
      const other = await refund(service, merchant, referenceNumber, 30_000)
      expect([other.status, other.body.error.code]).to.deep.equal([400, 'AMOUNT_OUT_OF_RANGE'])
      service.clock.advance(2_000)
      const { status, body } = await retry()
      expect(status).to.equal(200)
      expect([body.data.refund.status, body.data.totalAmountRefunded]).to.deep.equal(['SUCCEEDED', 30_000])
      const events = [...paidOnce.events, 'payment.refunded']
      const refunded = { status: 'REFUNDED', events, moved: [-amount, 30_000] }
      expect(await stateOf(referenceNumber)).to.deep.equal(refunded)
      expect(orders()).to.have.length(2)
    })

    it('is not refunded if the request to the wallet is lost', async () => {
      const { referenceNumber, retry } = await unknownRefund(requestLost)
      service.clock.advance(2_000)
      expect((await retry()).status).to.equal(503)
      service.clock.advance(lostForGoodMs)
      const failed = await retry()
      expect([failed.status, failed.body.error.code]).to.deep.equal([402, 'REFUND_FAILED'])
      expect(await stateOf(referenceNumber)).to.deep.equal(paidOnce)
      expect((await refund(service, merchant, referenceNumber, amount)).status).to.equal(200)
      expect(moved(referenceNumber)).to.deep.equal([-amount, amount])
    })

    it('is not refunded if the provider is unreachable', async () => {
      const referenceNumber = await paidIntent()
      const { enqueue } = service.deps
      const queues: string[] = []
      service.deps.enqueue = (queue) => void queues.push(queue)
      await provider.goDown()
      const { status, body } = await refund(service, merchant, referenceNumber, 100)
      await provider.comeUp()
      service.deps.enqueue = enqueue
      expect(queues).to.deep.equal([])
      expect([status, body.error.code]).to.deep.equal([402, 'REFUND_FAILED'])
      expect(await stateOf(referenceNumber)).to.deep.equal(paidOnce)
    })
  })

  describe('whatever its outcome', () => {
    it('leaves no PIN, phone number or secret key in the log, the jobs or the database', async () => {
      const { mongo, config } = service.deps
      const collections = await mongo.listCollections()
      const documents = await Promise.all(
        collections.map(({ name }) => mongo.collection(name).find().toArray()),
      )
      const kept: Record<string, string> = {
        log,
        redis: await dumpKeys(config.redisUrl, config.queuePrefix),
        mongodb: JSON.stringify(documents),
      }
      expect(kept['log']).to.include('payment.outcome-unknown')
      expect(kept['mongodb']).to.include('36 ** ** 56')
      for (const [where, text] of Object.entries(kept))
        for (const secret of [phone, `"${pin}"`, provider.key, 'X-Wallet'])
          expect(text.includes(secret), where).to.equal(false)
    })
  })
})
