import { expect } from 'chai'
import { newId } from '../../src/security/ids.ts'
import { placeOrder } from '../../src/store/orders/place.ts'
import { releaseAttempt } from '../../src/store/orders/release.ts'
import { sweepReservations } from '../../src/store/orders/reservations.ts'
import { finishLeftovers } from '../../workers/run/poll.ts'
import { callerOf } from '../support/caller.ts'
import { closeInBackground } from '../support/closing.ts'
import { killAtEveryStep } from '../support/kill-at-every-step.ts'
import { rounds } from '../support/machine.ts'
import { type Merchant, type Service, withService } from '../support/service.ts'
import { createProduct, type ProductResponse, readProduct } from '../support/store.ts'
import { behindMs, openVictim, type Victim } from '../support/victim.ts'
import { waitFor } from '../support/wait-for.ts'

/** By then a sweep resolves a reservation. */
const abandonedAfterMs = 20_000

/** An order of one unit of each product, and its responses. */
interface Case {
  merchant: Merchant
  products: ProductResponse[]
  responses: string[]
}

describe('An order that a process is placing when it is killed or frozen', function () {
  this.timeout(60_000)
  const service = withService()
  const cases: Case[] = []

  const prepareOf = (stocks: number[]) => async (): Promise<Case> => {
    const merchant = await service.merchant()
    const products = await Promise.all(stocks.map((stock) => createProduct(service, merchant, { stock })))
    const each = { merchant, products, responses: [] }
    cases.push(each)
    return each
  }
  /** The last unit of one product, and one of ten of another. */
  const prepare = prepareOf([1, 10])

  /** Sends the request, always with the same key. Returns the status. */
  async function send(at: Service | Victim, { merchant, products, responses }: Case): Promise<number> {
    const response = await fetch(`${at.origin}/api/v1/dev/store/orders/simulate`, {
      method: 'POST',
      headers: { ...merchant.write('the-same-key'), 'Content-Type': 'application/json' },
      body: JSON.stringify(
        products.length === 0 ? {} : { items: products.map(({ _id }) => ({ productId: _id, quantity: 1 })) },
      ),
    })
    const text = await response.text()
    // A process that has lost its database returns an error, which the merchant repeats.
    if (response.status < 500) responses.push(text)
    return response.status
  }

  const ordersOf = ({ merchant: { businessId } }: Case) =>
    service.deps.Order.find({ businessId, status: 'PLACED' }).lean()
  const stocksOf = async ({ products }: Case) => {
    const found = await service.deps.Product.find({ _id: { $in: products.map(({ _id }) => _id) } }).lean()
    return products.map(({ _id }) => found.find((each) => each._id === _id)?.variants[0]?.stock)
  }

  const afterOne = ({ products }: Case) => products.map(({ variants: [{ stock }] }) => stock - 1)

  const ordering = {
    prepare,
    async run(victim: Victim, each: Case) {
      if ((await send(victim, each)) !== 201) return
      const settled = waitFor('the steps after the response', () => victim.steps.length === steps.length)
      await Promise.race([settled, victim.died])
    },
    async repeat(each: Case) {
      expect(await send(service, each), each.responses.at(-1)).to.equal(201)
    },
    async check(each: Case, label: string) {
      expect(await ordersOf(each), label).to.have.length(1)
      expect(new Set(each.responses), label).to.have.property('size', 1)
    },
  }

  const mongodb = (...names: string[]) => names.map((name) => `mongodb ${name}`)
  const beforeOrder = mongodb('aggregate', 'insert', 'find', 'update', 'update')
  const steps = [...beforeOrder, 'mongodb insert', 'enqueue outbox-relay', 'mongodb update']
  const placing = 6

  it('is placed once by a retry, and the stock that the crashed process took is released', async () => {
    expect(await killAtEveryStep(service, ordering, 0)).to.deep.equal(steps)
    service.clock.advance(abandonedAfterMs)
    expect(await finishLeftovers(service.deps)).to.be.greaterThan(0)
    for (const each of cases) expect(await stocksOf(each)).to.deep.equal(afterOne(each))
    expect(await service.deps.Product.countDocuments({ 'reservations.0': { $exists: true } })).to.equal(0)
  })

  it('is placed once, from one sample product, if the sandbox had no product', async () => {
    const owners: Case[] = []
    const bare = {
      ...ordering,
      prepare: async () => {
        const each = await prepareOf([])()
        owners.push(each)
        return each
      },
      run: async (victim: Victim, each: Case) => void (await send(victim, each)),
    }
    const names = await killAtEveryStep(service, bare, 0)
    expect(names.filter((name) => name === 'mongodb insert').length).to.be.above(2)
    service.clock.advance(abandonedAfterMs)
    await finishLeftovers(service.deps)
    for (const { merchant } of owners) {
      const products = await service.deps.Product.find({ businessId: merchant.businessId }).lean()
      expect(products.map(({ variants }) => variants[0]?.stock)).to.deep.equal([99_999])
    }
  })

  it("is placed once even if the crashed process's insert arrives during a retry", async () => {
    const moments = [
      [1, 6, 'mongodb find', 'after the retry has looked for the order'],
      [1, 9, 'mongodb update', 'after the dead attempt is released, before its stock is returned'],
      [10, 8, 'mongodb insert', 'before the retry places the order with stock of its own'],
      [1, 4, 'mongodb find', 'before the retry looks for the order'],
      [1, 8, 'mongodb update', 'before the dead attempt is released'],
    ] as const
    const late = moments.slice(0, rounds(moments.length, 3)).map(async ([stock, step, name, when]) => {
      const each = await prepareOf([stock])()
      const dead = await openVictim(service, { step: placing - 1, fate: 'late', lateMs: behindMs })
      closeInBackground(send(dead, each).catch(() => undefined))
      await dead.died
      const retry = await openVictim(service, { step, fate: 'paused', lateMs: 0 })
      const retried = send(retry, each)
      await retry.died
      expect(retry.steps.at(-1), when).to.equal(name)
      await dead.release()
      await retry.release()
      expect(await retried, when).to.equal(201)
      await ordering.check(each, when)
      closeInBackground(dead.close(), retry.close())
      return each
    })
    const all = await Promise.all(late)
    service.clock.advance(abandonedAfterMs)
    // Two processes sweep at once, and a second sweep in the same process does nothing.
    const beside = { ...service.deps }
    const [, , again] = await Promise.all([service.deps, beside, service.deps].map(sweepReservations))
    expect(again).to.equal(0)
    for (const each of all) expect(await stocksOf(each)).to.deep.equal(afterOne(each))
  })

  /** A process that is paused just before it inserts the order. */
  async function frozen(each: Case, lateMs: number) {
    const victim = await openVictim(service, { step: placing, fate: 'paused', lateMs })
    const sent = send(victim, each)
    await victim.died
    expect(victim.steps.at(-1)).to.equal('mongodb insert')
    const wake = async () => {
      await victim.release()
      const status = await sent
      closeInBackground(victim.close())
      return status
    }
    return { wake }
  }

  it('is not placed if its reserved stock was released while the process was frozen', async () => {
    const each = await prepare()
    const frozenProcess = await frozen(each, 0)
    expect(await stocksOf(each)).to.deep.equal([0, 9])
    service.clock.advance(abandonedAfterMs)
    expect(await sweepReservations(service.deps)).to.equal(2)
    expect(await stocksOf(each)).to.deep.equal([1, 10])
    expect(await frozenProcess.wake()).to.equal(503)
    expect([await ordersOf(each), await stocksOf(each)]).to.deep.equal([[], [1, 10]])
    await ordering.repeat(each)
    await ordering.check(each, 'again')
    expect(await stocksOf(each)).to.deep.equal([0, 9])
  })

  it('is not stored, and takes no stock, if a retry was rejected while the process was frozen', async () => {
    const each = await prepare()
    const frozenProcess = await frozen(each, behindMs)
    const path = `/api/v1/dev/store/products/${each.products[1]?._id}`
    await service.http.put(path).set(each.merchant.write()).send({ active: false }).expect(200)
    expect(await send(service, each)).to.equal(400)
    expect(await frozenProcess.wake()).to.equal(503)
    expect([await ordersOf(each), await stocksOf(each)]).to.deep.equal([[], [1, 10]])
    expect([await send(service, each), new Set(each.responses).size]).to.deep.equal([400, 1])
  })

  it('can still be placed by a retry if the process died before it returned a rejection', async () => {
    const each = await prepare()
    const path = `/api/v1/dev/store/products/${each.products[1]?._id}`
    const change = (active: boolean) => service.http.put(path).set(each.merchant.write()).send({ active }).expect(200)
    await change(false)
    const victim = await openVictim(service, { step: 6, fate: 'lost', lateMs: behindMs })
    const sent = send(victim, each).catch(() => undefined)
    await victim.died
    expect(victim.steps.slice(3)).to.deep.equal(mongodb('find', 'update', 'update'))
    closeInBackground(sent, victim.close())
    await change(true)
    await ordering.repeat(each)
    await ordering.check(each, 'again')
    expect(await stocksOf(each)).to.deep.equal([0, 9])
  })

  it("is not placed if its reservations are released just before the order's placeholder is replaced", async () => {
    const each = await prepareOf([5])()
    const { businessId } = each.merchant
    const [{ _id: productId }] = each.products as [ProductResponse]
    const ids = { orderId: newId(), businessId, sandbox: true }
    await releaseAttempt(service.deps, { ...ids, attemptId: newId() })
    const victim = await openVictim(service, { step: 5, fate: 'paused', lateMs: 0 })
    const effect = { id: ids.orderId, deadlineAt: performance.now() + 10_000, cause: null, seal: () => '' }
    const request = { items: [{ productId, quantity: 1 }], customer: null }
    const outcome = placeOrder(victim.deps, callerOf(each.merchant), request, effect).then(
      () => 'placed',
      (error: { code: string }) => error.code,
    )
    await victim.died
    expect(victim.steps.slice(2)).to.deep.equal(mongodb('insert', 'find', 'update'))
    const { reservations } = await service.deps.Product.findById(productId).orFail().lean()
    const attemptId = reservations[0]?.attemptId ?? expect.fail('it took nothing')
    expect(await releaseAttempt(service.deps, { ...ids, attemptId })).to.equal(null)
    await victim.release()
    expect(await outcome).to.equal('SERVICE_UNAVAILABLE')
    closeInBackground(victim.close())
    expect([await ordersOf(each), await stocksOf(each)]).to.deep.equal([[], [5]])
  })

  it('is not placed if the deadline passes between its insert and the replacement of its placeholder', async () => {
    const each = await prepareOf([5])()
    const { businessId } = each.merchant
    const ids = { orderId: newId(), businessId, sandbox: true }
    await releaseAttempt(service.deps, { ...ids, attemptId: newId() })
    const { now } = performance
    const insertOrder: typeof service.deps.batchers.insertOrder = async (...order) => {
      const inserted = await service.deps.batchers.insertOrder(...order)
      performance.now = () => now.call(performance) + 10_000
      return inserted
    }
    const deps = { ...service.deps, batchers: { ...service.deps.batchers, insertOrder } }
    const deadlineAt = now.call(performance) + 10_000
    const effect = { id: ids.orderId, deadlineAt, cause: null, seal: () => '' }
    const items = each.products.map(({ _id }) => ({ productId: _id, quantity: 1 }))
    const request = { items, customer: null }
    const outcome = await placeOrder(deps, callerOf(each.merchant), request, effect)
      .catch((error: { code: string }) => error.code)
      .finally(() => void (performance.now = now))
    expect(outcome).to.equal('SERVICE_UNAVAILABLE')
    expect([await ordersOf(each), await stocksOf(each)]).to.deep.equal([[], [5]])
  })

  it('returns its stock to a deleted product, but not to a deleted variant', async () => {
    const each = await prepare()
    const frozenProcess = await frozen(each, 0)
    const { merchant, products } = each
    const [last, many] = products as [ProductResponse, ProductResponse]
    const path = (id: string) => `/api/v1/dev/store/products/${id}`
    await service.http.delete(path(many._id)).set(merchant.write()).expect(200)
    const other = { removeMissingVariants: true, variants: [{ label: 'Other', price: 1, stock: 7 }] }
    await service.http.put(path(last._id)).set(merchant.write()).send(other).expect(200)
    service.clock.advance(abandonedAfterMs)
    expect(await sweepReservations(service.deps)).to.equal(2)
    expect(await frozenProcess.wake()).to.equal(503)
    const { variants } = await readProduct(service, merchant, last._id)
    expect(variants.map(({ label, stock }) => [label, stock])).to.deep.equal([['Other', 7]])
    const deleted = await service.deps.Product.findById(many._id).orFail().lean()
    expect([deleted.variants.map(({ stock }) => stock), deleted.reservations]).to.deep.equal([[10], []])
  })
})
