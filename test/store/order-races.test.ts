import { expect } from 'chai'
import { unavailable } from '../../src/errors.ts'
import { newId } from '../../src/security/ids.ts'
import { giveBack } from '../../src/store/orders/give-back.ts'
import { findLines } from '../../src/store/orders/lines.ts'
import { placeOrder } from '../../src/store/orders/place.ts'
import { sweepReservations } from '../../src/store/orders/reservations.ts'
import { planReservations, reserve } from '../../src/store/orders/reserve.ts'
import { settle } from '../../src/store/orders/settle.ts'
import { excuse } from '../invariants/expect-invariants.ts'
import { outboxEvents, post } from '../support/actions.ts'
import { callerOf } from '../support/caller.ts'
import { createGate } from '../support/gate.ts'
import { withMerchantPerTest, withSecondProcess, withService } from '../support/service.ts'
import { createProduct, type ProductResponse, readProduct } from '../support/store.ts'
import { waitFor } from '../support/wait-for.ts'

describe('Concurrent orders', () => {
  const service = withService()
  const beside = withSecondProcess(service)
  const merchant = withMerchantPerTest(service)

  const times = <T>(count: number, make: (index: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, index) => make(index)))

  /** Sends every second order to the other process. Returns 'placed' or the error code. */
  async function order(items: object[], index: number): Promise<string> {
    const at = index % 2 === 0 ? service : beside
    const { status, body } = await post(at, merchant, '/store/orders/simulate', JSON.stringify({ items }))
    return status === 201 ? 'placed' : body.error.code
  }

  const count = (responses: string[], response: string) => responses.filter((each) => each === response).length

  /** Returns the stock of a product when no order holds units of it. */
  async function stockOf({ _id }: { _id: string }): Promise<number> {
    await waitFor('no reservation', async () => {
      const product = await service.deps.Product.findById(_id).orFail().lean()
      return product.reservations.length === 0
    })
    return (await readProduct(service, merchant, _id)).variants[0].stock
  }

  it('make one sample product for all of them if the sandbox has no product', async () => {
    const outcomes = await times(8, async (index) => {
      const at = index % 2 === 0 ? service : beside
      return (await post(at, merchant, '/store/orders/simulate', '{}')).status
    })
    const products = await service.deps.Product.find({ businessId: merchant.businessId }).lean()
    expect([new Set(outcomes), products.length]).to.deep.equal([new Set([201]), 1])
    expect(await stockOf(products[0] ?? { _id: '' })).to.equal(100_000 - outcomes.length)
  })

  it('remain consistent with concurrent changes to stock, price and label', async () => {
    const product = await createProduct(service, merchant, { stock: 12 })
    const items = [{ productId: product._id, quantity: 1 }]
    const path = `/api/v1/dev/store/products/${product._id}`
    const [outcomes, changed] = await Promise.all([
      times(10, (index) => order(items, index)),
      times(10, async () => {
        const patch = service.http.patch(`${path}/variants/${product.variants[0]._id}/stock`)
        return (await patch.set(merchant.write()).send({ delta: -1 })).status
      }),
      times(5, async (index) => {
        const label = `L${index}`
        const variants = [{ _id: product.variants[0]._id, price: index, label }]
        await service.http.put(path).set(merchant.write()).send({ variants }).expect(200)
      }),
    ])
    expect(count(outcomes, 'placed') + changed.filter((status) => status === 200).length).to.equal(12)
    expect(await stockOf(product)).to.equal(0)
    const orders = await service.deps.Order.find({ businessId: merchant.businessId, status: 'PLACED' }).lean()
    for (const item of orders.flatMap(({ items: [first] }) => first))
      expect(item?.variantLabel).to.equal(item?.unitPrice === 1000 ? 'Default' : `L${item?.unitPrice}`)
  })

  it('are placed one at a time for each merchant, without delaying other merchants', async () => {
    const product = await createProduct(service, merchant)
    const other = await service.merchant()
    const theirs = await createProduct(service, other)
    const { batchers } = service.deps
    const { updateProduct } = batchers
    const gate = createGate()
    let held = 0
    batchers.updateProduct = async (...args) => {
      if (args[0].filter._id === product._id) {
        held += 1
        await gate.passed
      }
      return updateProduct(...args)
    }
    const body = ({ _id: productId }: ProductResponse) => JSON.stringify({ items: [{ productId, quantity: 1 }] })
    const path = '/store/orders/simulate'
    const responses = times(5, () => post(service, merchant, path, body(product)))
    await waitFor('the first takes its unit', () => held > 0)
    expect((await post(service, other, path, body(theirs))).status).to.equal(201)
    expect(held).to.equal(1)
    gate.open()
    expect((await responses).map(({ status }) => status)).to.deep.equal([201, 201, 201, 201, 201])
    batchers.updateProduct = updateProduct
    expect(await stockOf(product)).to.equal(0)
  })

  it('sell two products together until one is sold out, and never deadlock, even if the orders list the products in different sequences', async () => {
    const [many, few] = [
      await createProduct(service, merchant, { stock: 12 }),
      await createProduct(service, merchant, { stock: 8 }),
    ]
    const items = [many, few].map(({ _id }) => ({ productId: _id, quantity: 1 }))
    const outcomes = await times(20, (index) => order(index % 3 === 0 ? items : items.toReversed(), index))
    expect([count(outcomes, 'placed'), count(outcomes, 'INSUFFICIENT_STOCK')]).to.deep.equal([8, 12])
    expect([await stockOf(many), await stockOf(few)]).to.deep.equal([4, 0])
    expect(await outboxEvents(service, merchant)).to.deep.equal(Array(8).fill('order.new'))
  })

  /** Reserves units for another order, which is not stored yet. */
  async function hold({ _id: productId, variants: [{ _id: variantId }] }: ProductResponse, quantity: number) {
    const [attemptId, items] = [newId(), [{ variantId, quantity }]]
    const reservations = { orderId: newId(), attemptId, reservedAt: service.clock.now(), items }
    const change = { $inc: { 'variants.0.stock': -quantity }, $push: { reservations } }
    await service.deps.Product.updateOne({ _id: productId }, change)
    return {
      attemptId,
      giveBack: () => giveBack(service.deps, attemptId, [{ productId, items }]),
      settle() {
        excuse([productId], 'stock conserved')
        return settle(service.deps, attemptId, [{ productId }])
      },
    }
  }

  /** An attempt that has read these products. `take` reserves a unit of each. */
  async function readFor(...products: ProductResponse[]) {
    const { businessId } = merchant
    const items = products.map(({ _id: productId }) => ({ productId, quantity: 1 }))
    const lines = await findLines(service.deps, { businessId, sandbox: true } as never, items)
    const planned = planReservations(lines)
    const attempt = { orderId: newId(), attemptId: newId(), businessId, sandbox: true }
    return { planned, take: () => reserve(service.deps, attempt, planned, performance.now() + 10_000) }
  }

  const pathOf = (id: string) => `/api/v1/dev/store/products/${id}`
  const change = (id: string, fields: object) =>
    service.http.put(pathOf(id)).set(merchant.write()).send(fields).expect(200)
  const remove = (id: string) => service.http.delete(pathOf(id)).set(merchant.write()).expect(200)

  /** Returns the current stock of a product, and the attempts that hold units of it. */
  async function heldOf(id: string) {
    const { variants, reservations } = await service.deps.Product.findById(id).orFail().lean()
    return { stock: variants[0]?.stock, by: reservations.map(({ attemptId }) => attemptId) }
  }

  const shirt = { label: 'S', price: 300, sku: 'tee-s' }
  for (const [what, fields, response] of [
    ['price', { variants: [{ ...shirt, price: 301 }] }, { unitPrice: 301 }],
    ['label', { variants: [{ ...shirt, label: 'M' }] }, { variantLabel: 'M' }],
    ['sku', { variants: [{ ...shirt, sku: 'tee-m' }] }, { sku: 'tee-m' }],
    ['name', { name: 'Other' }, { name: 'Other' }],
    ['active', { active: false }, { code: 'VALIDATION_ERROR' }],
    ['deleted', null, { code: 'PRODUCT_NOT_FOUND' }],
  ] as const)
    it(`sell a product only as it is now, even if it changed after an order read it: ${what}`, async () => {
      const product = await createProduct(service, merchant, { variants: [{ ...shirt, stock: 5 }] })
      const { _id: productId, variants } = product
      const { batchers } = service.deps
      const { updateProduct } = batchers
      batchers.updateProduct = async (...reservation) => {
        batchers.updateProduct = updateProduct
        const [{ _id }] = variants
        if (fields === null) await remove(productId)
        else await change(productId, 'variants' in fields ? { variants: [{ _id, ...fields.variants[0] }] } : fields)
        return updateProduct(...reservation)
      }
      const items = JSON.stringify({ items: [{ productId, quantity: 1 }] })
      const { body } = await post(service, merchant, '/store/orders/simulate', items)
      const [item] = (body.data?.['items'] ?? []) as object[]
      expect(item ?? body.error).to.include(response)
      expect(await heldOf(productId)).to.include({ stock: item === undefined ? 5 : 4 })
    })

  it('immediately release the units that they have already taken when they find that another ordered product has changed', async () => {
    const products = [await createProduct(service, merchant), await createProduct(service, merchant)]
    const { planned, take } = await readFor(...products)
    const [first, second] = planned.map(({ productId }) => productId) as [string, string]
    await change(second, { name: 'Other' })
    expect([await take(), await heldOf(first)]).to.deep.equal([false, { stock: 5, by: [] }])
  })

  it('keep their recent reservations when the sweep releases old reservations', async () => {
    const product = await createProduct(service, merchant)
    await hold(product, 2)
    service.clock.advance(10_000)
    const young = await hold(product, 1)
    expect(await sweepReservations(service.deps)).to.equal(0)
    expect(await heldOf(product._id))
      .to.have.property('by')
      .with.length(2)
    service.clock.advance(10_000)
    expect(await sweepReservations(service.deps)).to.equal(1)
    expect(await heldOf(product._id)).to.deep.equal({ stock: 4, by: [young.attemptId] })
    await young.giveBack()
  })

  it('keep old reservations until the next sweep if MongoDB does not respond to a sweep in time', async () => {
    const product = await createProduct(service, merchant)
    const held = await hold(product, 2)
    service.clock.advance(20_000)
    const batchers = { ...service.deps.batchers, updateProduct: () => Promise.reject(unavailable()) }
    const thrown = await sweepReservations({ ...service.deps, batchers }).catch((error: unknown) => error)
    expect(thrown).to.have.property('code', 'SERVICE_UNAVAILABLE')
    expect(await heldOf(product._id)).to.deep.equal({ stock: 3, by: [held.attemptId] })
    expect(await sweepReservations(service.deps)).to.equal(1)
    expect(await heldOf(product._id)).to.deep.equal({ stock: 5, by: [] })
  })

  it("do not raise a variant's stock above the maximum when they release units", async () => {
    const product = await createProduct(service, merchant)
    const held = await hold(product, 5)
    const stock = 1_000_000_000
    const path = `/api/v1/dev/store/products/${product._id}/variants/${product.variants[0]._id}/stock`
    await service.http.patch(path).set(merchant.write()).send({ stock }).expect(200)
    await held.giveBack()
    expect(await heldOf(product._id)).to.deep.equal({ stock, by: [] })
  })

  /** Places an order without HTTP. `readAgain` resolves when it has read the stock again. */
  function placeDirectly(items: { productId: string; quantity: number }[] | null, timeoutMs: number) {
    let reads = 0
    const now = () => {
      reads += 1
      return service.clock.now()
    }
    const effect = { id: newId(), deadlineAt: performance.now() + timeoutMs, cause: null, seal: () => '' }
    const placing = placeOrder({ ...service.deps, now }, callerOf(merchant), { items, customer: null }, effect)
    return {
      outcome: placing.then(
        () => 'placed',
        (error: { code: string }) => error.code,
      ),
      readAgain: () => waitFor('it reads the stock again', () => reads > 1),
    }
  }

  it('are rejected if the stock has been sold, but wait while other orders are only holding the stock', async () => {
    const [back, gone] = [await createProduct(service, merchant), await createProduct(service, merchant)]
    const [returned, sold] = [await hold(back, 5), await hold(gone, 4)]
    const waiting = placeDirectly([{ productId: back._id, quantity: 5 }], 10_000)
    const refused = placeDirectly([{ productId: gone._id, quantity: 2 }], 10_000)
    await Promise.all([waiting.readAgain(), refused.readAgain()])
    await Promise.all([returned.giveBack(), sold.settle()])
    expect([await waiting.outcome, await refused.outcome]).to.deep.equal(['placed', 'INSUFFICIENT_STOCK'])
    expect([await stockOf(back), await stockOf(gone)]).to.deep.equal([0, 1])
  })

  it('fail with SERVICE_UNAVAILABLE if other orders hold the stock until the deadline', async () => {
    const product = await createProduct(service, merchant)
    await hold(product, 5)
    const outcomeOf = (quantity: number) => placeDirectly([{ productId: product._id, quantity }], 1100).outcome
    expect(await outcomeOf(1)).to.equal('SERVICE_UNAVAILABLE')
    expect(await placeDirectly(null, 1100).outcome).to.equal('SERVICE_UNAVAILABLE')
    expect(await outcomeOf(6)).to.equal('INSUFFICIENT_STOCK')
  })
})
