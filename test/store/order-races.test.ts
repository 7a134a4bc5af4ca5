import { expect } from 'chai'
import { unavailable } from '../../src/errors.ts'
import { newId } from '../../src/security/ids.ts'
import { giveBack } from '../../src/store/orders/give-back.ts'
import { findLines } from '../../src/store/orders/lines.ts'
import { placeOrder } from '../../src/store/orders/place.ts'
import { sweepReservations } from '../../src/store/orders/reservations.ts'
import { planReservations, reserve } from '../../src/store/orders/reserve.ts'
import { settle } from '../../src/store/orders/settle.ts'
import { post } from '../support/actions.ts'
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

  /** Every other one at the other process. Answers 'placed', or the code of the refusal. */
  async function order(items: object[], index: number): Promise<string> {
    const at = index % 2 === 0 ? service : beside
    const { status, body } = await post(at, merchant, '/store/orders/simulate', JSON.stringify({ items }))
    return status === 201 ? 'placed' : body.error.code
  }

  const count = (answers: string[], answer: string) => answers.filter((each) => each === answer).length

  /** What is left of a product, once nobody holds anything of it. */
  async function leftOf({ _id }: { _id: string }): Promise<number> {
    await waitFor('no reservation', async () => {
      const product = await service.deps.Product.findById(_id).orFail().lean()
      return product.reservations.length === 0
    })
    return (await readProduct(service, merchant, _id)).variants[0].stock
  }

  it('sell five units five times if ten are requested', async () => {
    const product = await createProduct(service, merchant, { stock: 5 })
    const answers = await times(10, (index) => order([{ productId: product._id, quantity: 1 }], index))
    expect([count(answers, 'placed'), count(answers, 'INSUFFICIENT_STOCK')]).to.deep.equal([5, 5])
    expect(await leftOf(product)).to.equal(0)
  })

  it('add up with changes of stock, price and label', async () => {
    const product = await createProduct(service, merchant, { stock: 12 })
    const items = [{ productId: product._id, quantity: 1 }]
    const path = `/api/v1/dev/store/products/${product._id}`
    const [answers, changed] = await Promise.all([
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
    expect(count(answers, 'placed') + changed.filter((status) => status === 200).length).to.equal(12)
    expect(await leftOf(product)).to.equal(0)
    const orders = await service.deps.Order.find({ businessId: merchant.businessId, status: 'PLACED' }).lean()
    for (const {
      items: [item],
    } of orders)
      expect(item?.variantLabel).to.equal(item?.unitPrice === 1000 ? 'Default' : `L${item?.unitPrice}`)
  })

  it('run one at a time for one merchant, and delay no other', async () => {
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
    const body = ({ _id: productId }: ProductResponse) =>
      JSON.stringify({ items: [{ productId, quantity: 1 }] })
    const path = '/store/orders/simulate'
    const answers = times(5, () => post(service, merchant, path, body(product)))
    await waitFor('the first takes its unit', () => held > 0)
    expect((await post(service, other, path, body(theirs))).status).to.equal(201)
    expect(held).to.equal(1)
    gate.open()
    expect((await answers).map(({ status }) => status)).to.deep.equal([201, 201, 201, 201, 201])
    batchers.updateProduct = updateProduct
    expect(await leftOf(product)).to.equal(0)
  })

  it('of two products in either order sell all stock of both without a deadlock or loss', async () => {
    const [many, few] = [
      await createProduct(service, merchant, { stock: 30 }),
      await createProduct(service, merchant, { stock: 20 }),
    ]
    const items = [many, few].map(({ _id }) => ({ productId: _id, quantity: 1 }))
    const answers = await times(100, (index) => order(index % 3 === 0 ? items : items.toReversed(), index))
    expect([count(answers, 'placed'), count(answers, 'INSUFFICIENT_STOCK')]).to.deep.equal([20, 80])
    expect([await leftOf(many), await leftOf(few)]).to.deep.equal([10, 0])
    const orders = await service.deps.Order.find({ businessId: merchant.businessId, status: 'PLACED' }).lean()
    expect(orders.map(({ outbox }) => outbox.map(({ event }) => event))).to.deep.equal(
      Array.from({ length: 20 }, () => ['order.new']),
    )
  })

  /** Another order takes units of a product, and is not written down yet. */
  async function hold({ _id: productId, variants: [{ _id: variantId }] }: ProductResponse, quantity: number) {
    const [attemptId, items] = [newId(), [{ variantId, quantity }]]
    const reservations = { orderId: newId(), attemptId, reservedAt: service.clock.now(), items }
    const change = { $inc: { 'variants.0.stock': -quantity }, $push: { reservations } }
    await service.deps.Product.updateOne({ _id: productId }, change)
    return {
      attemptId,
      giveBack: () => giveBack(service.deps, attemptId, [{ productId, items }]),
      settle: () => settle(service.deps, attemptId, [{ productId }]),
    }
  }

  /** A try that has looked at these products, and takes a unit of each only when it is told to. */
  async function look(...products: ProductResponse[]) {
    const { businessId } = merchant
    const items = products.map(({ _id: productId }) => ({ productId, quantity: 1 }))
    const lines = await findLines(service.deps, { businessId, sandbox: true } as never, items)
    const takings = planReservations(lines)
    const mine = { orderId: newId(), attemptId: newId(), businessId, sandbox: true }
    return { takings, take: () => reserve(service.deps, mine, takings, performance.now() + 10_000) }
  }

  const change = (id: string, fields: object) =>
    service.http.put(`/api/v1/dev/store/products/${id}`).set(merchant.write()).send(fields).expect(200)

  /** What is in stock of a product and who holds units of it, at this moment. */
  async function heldOf(id: string) {
    const { variants, reservations } = await service.deps.Product.findById(id).orFail().lean()
    return { stock: variants[0]?.stock, by: reservations.map(({ attemptId }) => attemptId) }
  }

  for (const field of ['price', 'label', 'sku', 'name', 'active'])
    it(`take nothing of a product whose ${field} changed after it was read`, async () => {
      const variant = { label: 'S', price: 300, sku: 'tee-s' }
      const product = await createProduct(service, merchant, { variants: [{ ...variant, stock: 5 }] })
      const { take } = await look(product)
      const { _id } = product.variants[0]
      const changed = { price: 301, label: 'M', sku: 'tee-m', name: 'Other', active: false }
      const to = { [field]: changed[field as keyof typeof changed] }
      await change(product._id, field in variant ? { variants: [{ _id, ...variant, ...to }] } : to)
      expect([await take(), await heldOf(product._id)]).to.deep.equal([false, { stock: 5, by: [] }])
    })

  it('return at once what they took of products before the changed one', async () => {
    const { takings, take } = await look(
      await createProduct(service, merchant),
      await createProduct(service, merchant),
    )
    const [first, second] = takings.map(({ productId }) => productId) as [string, string]
    await change(second, { name: 'Other' })
    expect([await take(), await heldOf(first)]).to.deep.equal([false, { stock: 5, by: [] }])
  })

  it('lose only old holds to the sweep', async () => {
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

  it('are left to the next sweep if MongoDB does not respond in time, without an error in the log', async () => {
    const product = await createProduct(service, merchant)
    const held = await hold(product, 2)
    service.clock.advance(20_000)
    const batchers = { ...service.deps.batchers, updateProduct: () => Promise.reject(unavailable()) }
    const heard = await sweepReservations({ ...service.deps, batchers }).catch((error: unknown) => error)
    expect(heard).to.have.property('code', 'SERVICE_UNAVAILABLE')
    expect(await heldOf(product._id)).to.deep.equal({ stock: 3, by: [held.attemptId] })
    expect(await sweepReservations(service.deps)).to.equal(1)
    expect(await heldOf(product._id)).to.deep.equal({ stock: 5, by: [] })
  })

  it('return no more stock than the maximum allows', async () => {
    const product = await createProduct(service, merchant)
    const held = await hold(product, 5)
    const stock = 1_000_000_000
    const path = `/api/v1/dev/store/products/${product._id}/variants/${product.variants[0]._id}/stock`
    await service.http.patch(path).set(merchant.write()).send({ stock }).expect(200)
    await held.giveBack()
    expect(await heldOf(product._id)).to.deep.equal({ stock, by: [] })
  })

  /** An order past the API, whose merchant waits for so long. */
  function ask(items: { productId: string; quantity: number }[] | null, timeoutMs: number) {
    let looks = 0
    const now = () => {
      looks += 1
      return service.clock.now()
    }
    const effect = { id: newId(), deadlineAt: performance.now() + timeoutMs, cause: null, seal: () => '' }
    const placing = placeOrder(
      { ...service.deps, now },
      callerOf(merchant),
      { items, customer: null },
      effect,
    )
    return {
      answer: placing.then(
        () => 'placed',
        (error: { code: string }) => error.code,
      ),
      lookedAgain: () => waitFor('it looks at the stock once more', () => looks > 1),
    }
  }

  it('are refused only for sold stock, not for stock that others hold', async () => {
    const [back, gone] = [await createProduct(service, merchant), await createProduct(service, merchant)]
    const [mayComeBack, isSold] = [await hold(back, 5), await hold(gone, 4)]
    const waiting = ask([{ productId: back._id, quantity: 5 }], 10_000)
    const refused = ask([{ productId: gone._id, quantity: 2 }], 10_000)
    await Promise.all([waiting.lookedAgain(), refused.lookedAgain()])
    await Promise.all([mayComeBack.giveBack(), isSold.settle()])
    expect([await waiting.answer, await refused.answer]).to.deep.equal(['placed', 'INSUFFICIENT_STOCK'])
    expect([await leftOf(back), await leftOf(gone)]).to.deep.equal([0, 1])
  })

  it('return an unknown outcome if stock is held until the deadline', async () => {
    const product = await createProduct(service, merchant)
    await hold(product, 5)
    const soon = 1100
    expect(await ask([{ productId: product._id, quantity: 1 }], soon).answer).to.equal('SERVICE_UNAVAILABLE')
    expect(await ask(null, soon).answer).to.equal('SERVICE_UNAVAILABLE')
    expect(await ask([{ productId: product._id, quantity: 6 }], soon).answer).to.equal('INSUFFICIENT_STOCK')
  })
})
