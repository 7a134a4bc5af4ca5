import { expect } from 'chai'
import type { Claim } from '../../src/idempotency/claim.ts'
import { refundIntent } from '../../src/intents/refunds/refund.ts'
import type { Batchers } from '../../src/mongo/batchers.ts'
import type { Batcher } from '../../src/mongo/batching/batcher.ts'
import { newId } from '../../src/security/ids.ts'
import type { Wallet, WalletOutcome } from '../../src/wallets/wallet.ts'
import { createIntent } from '../support/actions.ts'
import { callerOf } from '../support/caller.ts'
import { createGate, type Gate } from '../support/gate.ts'
import { simulate, storedIntent } from '../support/pay.ts'
import { withMerchantPerTest, withService } from '../support/service.ts'
import { createProduct } from '../support/store.ts'
import { waitFor } from '../support/wait-for.ts'

const api = '/api/v1/dev'
const day = 24 * 3_600_000
const done: WalletOutcome = { outcome: 'done' }

type Held = 'insertIntent' | 'insertEndpoint' | 'insertOrder' | 'updateClaim'

/** An operation that is ready to send, and whose effects can be counted. */
interface Ready {
  method: 'post' | 'patch'
  path: string
  body: object
  effects(): Promise<number>
}

const readyToPost = (path: string, body: object, effects: Ready['effects']): Ready => ({
  method: 'post',
  path,
  body,
  effects,
})

describe('A write', () => {
  const service = withService()
  const merchant = withMerchantPerTest(service)
  const cleanUps: (() => void)[] = []
  beforeEach(() => service.deps.Claim.deleteMany({}))
  afterEach(() => {
    for (const cleanUp of cleanUps.splice(0)) cleanUp()
  })

  const claim = () => service.deps.Claim.findOne().orFail().lean()
  const changeClaim = (change: Partial<Claim>) => service.deps.Claim.updateOne({}, { $set: change })
  const ago = (ms: number) => new Date(service.deps.now().getTime() - ms)
  const send = ({ method, path, body }: Ready, key = 'one') =>
    service.http[method](`${api}${path}`)
      .set(merchant.write(key))
      .send(body)
      .then((response) => response)

  /** Removes the claims that are due, as MongoDB does by itself. */
  const removeDue = (at: Date) => service.deps.Claim.deleteMany({ removeAt: { $lte: at } })
  async function removeClaim(): Promise<void> {
    await changeClaim({ removeAt: ago(1) })
    await removeDue(service.deps.now())
  }

  /** Replaces functions of an object until the test ends. */
  function replace<Target extends object>(target: Target, changes: Partial<Target>): void {
    const names = Object.keys(changes) as (keyof Target)[]
    const original = Object.fromEntries(names.map((name) => [name, target[name]]))
    Object.assign(target, changes)
    cleanUps.push(() => Object.assign(target, original))
  }

  /** Holds the next calls to a batcher, each until its own gate opens. */
  function hold(name: Held, count: number): { arrived(): number; gates: Gate[] } {
    const batchers: Pick<Batchers, Held> = service.deps.batchers
    const batcher = batchers[name] as Batcher<unknown, unknown>
    const gates = Array.from({ length: count }, createGate)
    let arrived = 0
    const held: Batcher<unknown, unknown> = async (...args) => {
      const gate = gates[arrived]
      arrived += 1
      await gate?.passed
      return batcher(...args)
    }
    replace(batchers, { [name]: held })
    cleanUps.push(() => gates.forEach((gate) => gate.open()))
    return { arrived: () => arrived, gates }
  }

  /** Replaces the behaviour of every wallet. Returns the keys of the refunds that were ordered. */
  function wallets(work: Pick<Wallet, 'refund' | 'status'>): string[] {
    const orders: string[] = []
    const wallet: Wallet = {
      name: 'simulation',
      authorise: async () => done,
      refund: (order) => (orders.push(order.key), work.refund(order)),
      status: work.status,
    }
    replace(service.deps.wallets, { named: () => wallet })
    return orders
  }

  async function refundOf(amount: number): Promise<Ready> {
    const { referenceNumber } = await createIntent(service, merchant, { amount: 100 })
    await simulate(service, merchant, referenceNumber)
    await service.deps.Claim.deleteMany({})
    const effects = async () => (await storedIntent(service, referenceNumber)).refunds.length
    return readyToPost(`/intents/${referenceNumber}/refund`, { amount }, effects)
  }

  const changes: Record<string, () => Promise<Ready>> = {
    'partial refund': () => refundOf(10),
    'full refund': () => refundOf(100),
    async cancel() {
      const { referenceNumber } = await createIntent(service, merchant)
      await service.deps.Claim.deleteMany({})
      const effects = async () => (await storedIntent(service, referenceNumber)).effects.length
      return readyToPost(`/intents/${referenceNumber}/cancel`, {}, effects)
    },
    async 'stock change'() {
      const product = await createProduct(service, merchant)
      await service.deps.Claim.deleteMany({})
      const stored = () => service.deps.Product.findById(product._id).orFail().lean()
      return {
        method: 'patch',
        path: `/store/products/${product._id}/variants/${product.variants[0]._id}/stock`,
        body: { delta: -2 },
        effects: async () => (5 - ((await stored()).variants[0]?.stock ?? 0)) / 2,
      }
    },
  }

  const deps = () => service.deps
  const own = () => ({ businessId: merchant.businessId })
  const endpoint = { url: 'https://shop.example/hook', events: ['payment.created'] }

  const creates: Record<string, { insert: Held; ready(): Promise<Ready> }> = {
    'creation of an intent': {
      insert: 'insertIntent',
      ready: async () => readyToPost('/intents', { amount: 5 }, () => deps().Intent.countDocuments(own())),
    },
    'creation of an endpoint': {
      insert: 'insertEndpoint',
      ready: async () => readyToPost('/webhooks/endpoints', endpoint, () => deps().Endpoint.countDocuments(own())),
    },
    order: {
      insert: 'insertOrder',
      async ready() {
        const { _id: productId } = await createProduct(service, merchant)
        await service.deps.Claim.deleteMany({})
        const placed = () => deps().Order.countDocuments({ ...own(), status: 'PLACED' })
        return readyToPost('/store/orders/simulate', { items: [{ productId, quantity: 1 }] }, placed)
      },
    },
  }

  /** Sends a request that is held at a batcher until `finish`. */
  async function sendHeld(makeReady: () => Promise<Ready>, at: Held) {
    const ready = await makeReady()
    const { arrived, gates } = hold(at, 1)
    const sent = send(ready)
    await waitFor(`the request to reach ${at}`, () => arrived() === 1)
    return { ready, sent, finish: () => gates[0]?.open() }
  }

  for (const [name, readied] of Object.entries(changes)) {
    it(`returns its own result and takes effect once if MongoDB removed its claim: ${name}`, async () => {
      const { ready, sent, finish } = await sendHeld(readied, 'updateClaim')
      await removeClaim()
      finish()
      const { status, text, headers } = await sent
      expect(status, text).to.equal(200)
      expect(headers).not.to.have.property('idempotent-replayed')
      expect([await ready.effects(), await service.deps.Claim.countDocuments()]).to.deep.equal([1, 0])
    })

    it(`returns its own result if a new request has taken its claim: ${name}`, async () => {
      const { ready, sent, finish } = await sendHeld(readied, 'updateClaim')
      const other = { effectId: 'of another', token: 'of another' }
      await changeClaim(other)
      finish()
      const { status, text } = await sent
      expect(status, text).to.equal(200)
      expect(await ready.effects()).to.equal(1)
      expect(await claim()).to.include(other)
    })

    it(`replays the response of the retry that took over its claim: ${name}`, async () => {
      const { ready, sent, finish } = await sendHeld(readied, 'updateClaim')
      await changeClaim({ leaseEndsAt: ago(1) })
      const second = await send(ready)
      expect(second.status, second.text).to.equal(200)
      finish()
      const { status, text, headers } = await sent
      expect([status, text, headers['idempotent-replayed']]).to.deep.equal([200, second.text, 'true'])
      expect(await ready.effects()).to.equal(1)
    })
  }

  for (const [name, { insert, ready: readied }] of Object.entries(creates)) {
    it(`replays the earlier attempt's response if MongoDB removed the later attempt's claim: ${name}`, async () => {
      const ready = await readied()
      const { arrived, gates } = hold(insert, 2)
      const first = send(ready)
      await waitFor('the insert of the first', () => arrived() === 1)
      await changeClaim({ leaseEndsAt: ago(1) })
      const { token } = await claim()
      const second = send(ready)
      await waitFor('the second request to hold the claim', async () => (await claim()).token !== token)
      gates[0]?.open()
      const one = await first
      expect(one.status, one.text).to.equal(201)
      // The process places the orders of a business one at a time.
      await waitFor('the insert of the second', () => arrived() === 2)
      await removeClaim()
      gates[1]?.open()
      const two = await second
      expect([two.status, two.text]).to.deep.equal([201, one.text])
      expect(two.headers['idempotent-replayed']).to.equal('true')
      expect([await ready.effects(), await service.deps.Claim.countDocuments()]).to.deep.equal([1, 0])
    })

    it(`returns its own result if MongoDB removed its claim before the insert: ${name}`, async () => {
      const { ready, sent, finish } = await sendHeld(readied, insert)
      await removeClaim()
      finish()
      const { status, text } = await sent
      expect(status, text).to.equal(201)
      expect([await ready.effects(), await service.deps.Claim.countDocuments()]).to.deep.equal([1, 0])
    })
  }

  it('refunds once if it is retried just before its key expires and the wallet responds slowly', async () => {
    const ready = await refundOf(10)
    const gate = createGate()
    const orders = wallets({
      refund: async () => ({ outcome: 'unknown', why: 'timeout' }),
      status: () => gate.passed.then(() => done),
    })
    service.clock.freeze(new Date())
    cleanUps.push(() => service.clock.freeze(null))
    expect((await send(ready)).status).to.equal(503)
    const { expiresAt, effectId, token } = await claim()
    service.clock.freeze(new Date(expiresAt.getTime() - 1500))
    const retry = send(ready)
    await waitFor('the retry to hold the claim', async () => (await claim()).token !== token)
    service.clock.freeze(expiresAt)
    await removeDue(expiresAt)
    gate.open()
    const { status, text } = await retry
    expect(status, text).to.equal(200)
    expect([orders.length, await ready.effects()]).to.deep.equal([1, 1])
    expect(await claim()).to.deep.include({ expiresAt, effectId })
  })

  it('starts no refund after its deadline, because a retry may already have received a response', async () => {
    const { path, effects } = await refundOf(10)
    const reference = path.split('/')[2] as string
    const { findIntentToChange } = service.deps.batchers
    const effect = { id: newId(), deadlineAt: performance.now() + 200, cause: null, seal: String }
    // As if the process were frozen between its read and its write.
    replace(service.deps.batchers, {
      async findIntentToChange(...args) {
        const intent = await findIntentToChange(...args)
        await waitFor('the deadline', () => performance.now() >= effect.deadlineAt)
        return intent
      },
    })
    const caller = callerOf(merchant)
    const input = { amount: 10, reason: null, expectedRefundable: null }
    const refusal = await refundIntent(service.deps, caller, reference, input, effect).catch((error) => error)
    expect(refusal).to.include({ code: 'SERVICE_UNAVAILABLE' })
    expect(await effects()).to.equal(0)
  })

  describe('that is running when its idempotency key expires after 24 hours', () => {
    it('counts as running until its lease ends, so that a duplicate waits for its response', async () => {
      const ready = await refundOf(10)
      const gate = createGate()
      const orders = wallets({ refund: () => gate.passed.then(() => done), status: async () => done })
      const first = send(ready)
      await waitFor('the order to the wallet', () => orders.length === 1)
      await changeClaim({ expiresAt: ago(1) })
      const lookups = countLookups()
      const second = send(ready)
      await waitFor('the duplicate to look twice', () => lookups() >= 2)
      gate.open()
      const [one, two] = await Promise.all([first, second])
      expect([one.status, two.status, two.text]).to.deep.equal([200, 200, one.text])
      expect(two.headers['idempotent-replayed']).to.equal('true')
      expect([orders.length, await ready.effects()]).to.deep.equal([1, 1])
    })

    it('returns its own result even if a new request with the same key starts after the lease has ended, and neither request runs twice', async () => {
      const ready = await refundOf(10)
      const gates = [createGate(), createGate()]
      const orders = wallets({
        refund: () => (gates[orders.length - 1] as Gate).passed.then(() => done),
        status: async () => done,
      })
      const first = send(ready)
      await waitFor('the first order', () => orders.length === 1)
      await changeClaim({ expiresAt: ago(1), leaseEndsAt: ago(1) })
      const second = send(ready)
      await waitFor('the second order', () => orders.length === 2)
      for (const gate of gates) gate.open()
      const [one, two] = await Promise.all([first, second])
      expect([one.status, two.status], one.text).to.deep.equal([200, 200])
      expect(one.body.data.refund.id).not.to.equal(two.body.data.refund.id)
      expect([orders.length, await ready.effects()]).to.deep.equal([2, 2])
      expect((await send(ready)).text).to.equal(two.text)
    })

    it('counts as a new request if it is retried after both its idempotency key and its lease have expired', async () => {
      const ready = await refundOf(10)
      const orders = wallets({
        refund: async () => ({ outcome: 'unknown', why: 'timeout' }),
        status: async () => done,
      })
      service.clock.freeze(new Date())
      cleanUps.push(() => service.clock.freeze(null))
      expect((await send(ready)).status).to.equal(503)
      const { effectId } = await claim()
      service.clock.advance(day)
      await send(ready)
      expect((await claim()).effectId).to.not.equal(effectId)
      expect(orders).to.have.lengthOf(2)
    })
  })

  function countLookups(): () => number {
    const { findClaim } = service.deps.batchers
    let lookups = 0
    replace(service.deps.batchers, { findClaim: (...args) => (++lookups, findClaim(...args)) })
    return () => lookups
  }
})
