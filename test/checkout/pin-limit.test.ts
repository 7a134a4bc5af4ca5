import { createPinLimit } from '../../src/checkout/limits.ts'
import type { Deadline } from '../../src/http/server/timeouts.ts'
import { queryWallet } from '../../src/intents/query-wallets.ts'
import { noDeadline } from '../../src/mongo/batchers.ts'
import { unavailable } from '../../src/platform/errors.ts'
import type { PaymentOrder, WalletOutcome } from '../../src/wallets/wallet.ts'
import { excuse } from '../invariants/expect-invariants.ts'
import { createGate } from '../support/gate.ts'
import { type Merchant, withMerchant, withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { fill, offerOf, open } from './customer.ts'

const wrong = { outcome: 'refused', reason: 'wrong_pin' } as const
const poor = { outcome: 'declined', reason: 'insufficient_funds' } as const

describe('The limiter for payment attempts', () => {
  const service = withService({ TRUST_PROXY: '1' })
  const live = withMerchant(service, { mode: 'live' })
  const trial = withMerchant(service)
  let orders: PaymentOrder[] = []
  let outcome: WalletOutcome = wrong
  /** The outcome that the wallet returns to a worker. */
  let later: WalletOutcome = wrong
  let hold: Promise<void> | null = null
  beforeEach(async () => {
    orders = []
    hold = null
    outcome = wrong
    await counts().deleteMany({})
    const { mongo, wallets } = service.deps
    excuse([mongo.name], 'wallet movements')
    const own = wallets.forPayments(true) ?? expect.fail('no wallet')
    const authorise = async (order: PaymentOrder) => {
      orders.push(order)
      await hold
      return outcome
    }
    const status = async () => later
    service.deps.wallets = {
      ...wallets,
      forPayments: () => ({ ...own, authorise }),
      named: () => ({ ...own, status }),
    }
  })
  const counts = () => service.deps.Counter
  const pointsOf = async (key: string) => (await counts().findById(key).lean())?.used
  const keyOf = async (path: string, range: string) => {
    const intent = await service.deps.Intent.findOne({ shortCode: path.slice('/p/'.length) }).lean()
    return `payment ${intent?._id} ${range}`
  }
  const attemptsOf = async (path: string, range: string) => pointsOf(await keyOf(path, range))
  const offer = async (merchant: Merchant) => (await offerOf(service, merchant)).path
  const attemptAt = async (path: string, ip: string, phone = '22111111') => {
    const from = { 'X-Forwarded-For': ip }
    return fill(await open(service, path, from), { phone, pin: '1234' }, from)
  }

  it('does not count an attempt that times out before the wallet is called', async () => {
    const intent = await service.deps.Intent.findOne({ shortCode: (await offer(live)).slice('/p/'.length) })
      .orFail()
      .lean()
    const limit = createPinLimit(service.deps)
    const pay = async () => ({ state: 'not-begun' }) as const
    const attempt = (withinDeadline: Deadline['run']) =>
      limit('198.51.100.98', intent, withinDeadline, pay).catch(({ code }: { code: string }) => ({
        state: code,
      }))
    for (let count = 0; count < 25; count += 1)
      expect(await attempt(() => Promise.reject(unavailable()))).to.deep.equal({
        state: 'SERVICE_UNAVAILABLE',
      })
    await waitFor('all are given back', async () => (await pointsOf('pin 198.51.100.98/32')) === 0)
    expect(await attempt((work) => work(noDeadline))).to.deep.equal({ state: 'not-begun' })
  })

  it('allows 20 failures an hour per address and payment, and then says how long to wait', async () => {
    const path = await offer(live)
    const form = await open(service, path)
    const nothing = [wrong, poor, { outcome: 'not-executed' }, wrong] as const
    const fail = async (count: number) => {
      outcome = nothing[count % nothing.length] ?? wrong
      expect((await attemptAt(path, '198.51.100.99', `2211111${count % 10}`)).status).to.equal(422)
      await waitFor('it counts', async () => (await attemptsOf(path, '198.51.100.99/32')) === count)
    }
    for (const count of [1, 2, 3, 4]) await fail(count)
    await counts().updateOne({ _id: await keyOf(path, '198.51.100.99/32') }, { used: 18 })
    service.clock.advance(20 * 60_000)
    for (const count of [19, 20]) await fail(count)
    const closed = await attemptAt(path, '198.51.100.99')
    expect([closed.status, closed.headers.get('retry-after')]).to.deep.equal([429, String(40 * 60)])
    expect(closed.says).to.include('Too many attempts').and.include('40 min')
    const from = { 'X-Forwarded-For': '198.51.100.99' }
    expect((await fill(form, { phone: '22111111', pin: '1234' }, from)).status).to.equal(429)
    expect(orders).to.have.length(6)
    expect((await open(service, path)).status).to.equal(200)
    service.clock.advance(40 * 60_000)
    outcome = { outcome: 'done' }
    expect((await attemptAt(path, '198.51.100.99')).status).to.equal(303)
    expect(orders).to.have.length(7)
  })

  it('never blocks a payment for its own customer, whatever strangers do', async () => {
    const path = await offer(live)
    for (const [stranger, network] of [
      ['198.18.1.1', '198.18.1.1/32'],
      ['2001:db8:5:5::1', '2001:db8:5:5::/64'],
    ] as const) {
      expect((await attemptAt(path, stranger, '22999999')).status).to.equal(422)
      await waitFor('it counts', async () => (await attemptsOf(path, network)) === 1)
      await counts().updateOne({ _id: await keyOf(path, network) }, { used: 19 })
      expect((await attemptAt(path, stranger, '22999999')).status).to.equal(422)
      for (let time = 0; time < 3; time += 1)
        expect((await attemptAt(path, stranger, '22999999')).status).to.equal(429)
    }
    expect(orders).to.have.length(4)
    outcome = { outcome: 'done' }
    const paid = await attemptAt(path, '203.0.113.9')
    expect([paid.status, orders.length]).to.deep.equal([303, 5])
    expect((await open(service, path)).says).to.include('Payment successful')
  })

  it('allows 60 refused PINs per address in ten minutes, without affecting other addresses or test payments', async () => {
    const [ip, key] = ['203.0.113.1', 'pin 203.0.113.1/32']
    expect((await attemptAt(await offer(live), ip)).status).to.equal(422)
    await waitFor('it counts', async () => (await pointsOf(key)) === 3)
    await counts().updateOne({ _id: key }, { used: 59 * 3 })
    expect((await attemptAt(await offer(live), ip)).status).to.equal(422)
    await waitFor('it counts', async () => (await pointsOf(key)) === 60 * 3)
    const closed = await attemptAt(await offer(live), ip)
    expect(closed.status).to.equal(429)
    expect(Number(closed.headers.get('retry-after'))).to.be.within(540, 600)
    expect(closed.says).to.include('Too many attempts')
    expect(orders).to.have.length(2)
    expect((await attemptAt(await offer(live), '203.0.113.2')).status).to.equal(422)
    expect((await attemptAt(await offer(trial), ip)).status).to.equal(422)
    expect(await pointsOf(key)).to.equal(60 * 3)
  })

  /** Pays from an address while the wallet is still working. Returns the status and the worker's next step. */
  async function payPending(ip: string) {
    outcome = { outcome: 'unknown', why: 'pending' }
    const { status } = await attemptAt(await offer(live), ip)
    const id = orders.at(-1)?.key ?? ''
    return {
      status,
      async learn(result: WalletOutcome) {
        later = result
        const { _id } = await service.deps.Intent.findOne({ 'hold.id': id }).orFail().lean()
        service.clock.advance(1000)
        return queryWallet(service.deps, _id, id)
      },
    }
  }

  it('counts wrong PINs that the wallet refuses only after first responding “pending”', async () => {
    const [ip, key] = ['203.0.113.40', 'pin 203.0.113.40/32']
    await attemptAt(await offer(live), ip)
    await waitFor('it counts', async () => (await pointsOf(key)) === 3)
    await counts().updateOne({ _id: key }, { used: 58 * 3 })
    for (let refused = 59; refused <= 60; refused += 1) {
      const { status, learn } = await payPending(ip)
      expect(status).to.equal(303)
      expect(await pointsOf(key)).to.equal((refused - 1) * 3 + 1)
      expect((await learn(wrong)).outcome).to.equal('refused')
      await waitFor('it counts', async () => (await pointsOf(key)) === refused * 3)
    }
    expect((await attemptAt(await offer(live), ip)).status).to.equal(429)
    expect(orders).to.have.length(3)
  })

  it('stops counting a pending payment that ends without a wrong PIN, unless the period has ended', async () => {
    const [ip, key] = ['203.0.113.41', 'pin 203.0.113.41/32']
    for (const result of [{ outcome: 'done' }, poor, { outcome: 'not-executed' }] as const) {
      const { learn } = await payPending(ip)
      expect(await pointsOf(key)).to.equal(1)
      expect((await learn({ outcome: 'unknown', why: 'pending' })).outcome).to.equal('unknown')
      expect(await pointsOf(key)).to.equal(1)
      service.clock.advance(59_000)
      await learn(result)
      await waitFor('the count is taken back', async () => (await pointsOf(key)) === 0)
    }
    const { learn } = await payPending(ip)
    service.clock.advance(600_000)
    const { learn: learnOther } = await payPending(ip)
    await learn(poor)
    expect(await pointsOf(key)).to.equal(1)
    await learnOther(poor)
    await waitFor('only the later one is taken back', async () => (await pointsOf(key)) === 0)
  })

  it('lets only as many concurrent attempts reach a wallet as the limit still allows', async () => {
    const [ip, key] = ['203.0.113.5', 'pin 203.0.113.5/32']
    await attemptAt(await offer(live), ip)
    await waitFor('it counts', async () => (await pointsOf(key)) === 3)
    await counts().updateOne({ _id: key }, { used: 174 })
    let shut = 0
    const gate = createGate()
    hold = gate.passed
    const paths = await Promise.all(Array.from({ length: 10 }, () => offer(live)))
    const pages = Promise.all(
      paths.map(async (path) => {
        const page = await attemptAt(path, ip)
        if (page.status === 429) shut += 1
        return page
      }),
    )
    await waitFor('the others are refused', () => shut === 4)
    gate.open()
    expect((await pages).filter(({ status }) => status === 422)).to.have.length(6)
    expect(orders).to.have.length(7)
  })

  it("allows one address 600 refused PINs for each business's test payments", async () => {
    const ip = '203.0.113.3'
    await attemptAt(await offer(trial), ip)
    expect(await pointsOf(`pin ${ip}/32`)).to.equal(undefined)
    await counts().updateOne({ _id: `test-pin ${trial.businessId} ${ip}/32` }, { used: 600 * 3 })
    expect((await attemptAt(await offer(trial), ip)).status).to.equal(429)
    expect((await attemptAt(await offer(await service.merchant()), ip)).status).to.equal(422)
    expect((await attemptAt(await offer(live), ip)).status).to.equal(422)
  })

  it('counts declined test payments like refused PINs, because each one creates an event', async () => {
    const ip = '203.0.113.7'
    outcome = poor
    expect((await attemptAt(await offer(trial), ip)).status).to.equal(422)
    await waitFor('it counts', async () => (await pointsOf(`test-pin ${trial.businessId} ${ip}/32`)) === 3)
  })

  it("does not refuse a form that was already submitted, because it doesn't call the wallet again", async () => {
    const ip = '203.0.113.6'
    outcome = poor
    const [path, from] = [await offer(live), { 'X-Forwarded-For': ip }]
    const form = await open(service, path, from)
    const sent = () => fill(form, { phone: '22111111', pin: '1234' }, from)
    expect((await sent()).status).to.equal(422)
    await waitFor('the count is taken back', async () => (await pointsOf(`pin ${ip}/32`)) === 0)
    await counts().updateOne({ _id: `pin ${ip}/32` }, { used: 60 * 3 })
    expect((await attemptAt(await offer(live), ip)).status).to.equal(429)
    expect((await sent()).status).to.equal(422)
  })

  for (const [what, result, status] of [
    ['is paid', { outcome: 'done' }, 303],
    ['is declined', poor, 422],
    ['fails', { outcome: 'failed', reason: 'technical_error' }, 303],
    ['was not executed', { outcome: 'not-executed' }, 422],
  ] as [string, WalletOutcome, number][])
    it(`does not count a refused PIN if the payment ${what}, even if the form is submitted twice`, async () => {
      const ip = '203.0.113.4'
      outcome = result
      const [path, from] = [await offer(live), { 'X-Forwarded-For': ip }]
      const form = await open(service, path, from)
      const sent = () => fill(form, { phone: '22111111', pin: '1234' }, from)
      expect((await sent()).status).to.equal(status)
      await waitFor('the count is taken back', async () => (await pointsOf(`pin ${ip}/32`)) === 0)
      expect((await sent()).status).to.equal(status)
      await waitFor('the count is taken back', async () => (await pointsOf(`pin ${ip}/32`)) === 0)
    })
})
