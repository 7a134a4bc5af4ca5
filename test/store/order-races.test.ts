import { expect } from 'chai'
import { openBeside, post } from '../support/acts.ts'
import { type House, type Merchant, openHouse } from '../support/house.ts'
import { createProduct, readProduct } from '../support/store.ts'
import { until } from '../support/until.ts'

describe('Orders at the same time', () => {
  let house: House
  let beside: House
  let merchant: Merchant
  before(async () => {
    house = await openHouse({ RATE_LIMIT_PER_SECOND: '10000' })
    beside = await openBeside(house, { RATE_LIMIT_PER_SECOND: '10000' })
  })
  beforeEach(async () => {
    merchant = await house.merchant()
  })
  after(async () => {
    await beside.close()
    await house.close()
  })

  const times = <T>(count: number, make: (index: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, index) => make(index)))

  /** Every other one at the other process. Answers 'placed', or the code of the refusal. */
  async function order(items: object[], index: number): Promise<string> {
    const at = index % 2 === 0 ? house : beside
    const { status, body } = await post(at, merchant, '/store/orders/simulate', JSON.stringify({ items }))
    return status === 201 ? 'placed' : body.error.code
  }

  const count = (answers: string[], answer: string) => answers.filter((each) => each === answer).length

  /** What is left of a product, once nobody holds anything of it. */
  async function leftOf({ _id }: { _id: string }): Promise<number> {
    await until('no reservation', async () => {
      const product = await house.deps.Product.findById(_id).orFail().lean()
      return product.reservations.length === 0
    })
    return (await readProduct(house, merchant, _id)).variants[0].stock
  }

  it('sell five units five times, though ten want one', async () => {
    const product = await createProduct(house, merchant, { stock: 5 })
    const answers = await times(10, (index) => order([{ productId: product._id, quantity: 1 }], index))
    expect([count(answers, 'placed'), count(answers, 'INSUFFICIENT_STOCK')]).to.deep.equal([5, 5])
    expect(await leftOf(product)).to.equal(0)
  })

  it('and changes of stock, price and label add up', async () => {
    const product = await createProduct(house, merchant, { stock: 12 })
    const items = [{ productId: product._id, quantity: 1 }]
    const path = `/api/v1/dev/store/products/${product._id}`
    const [answers, changed] = await Promise.all([
      times(10, (index) => order(items, index)),
      times(10, async () => {
        const patch = house.http.patch(`${path}/variants/${product.variants[0]._id}/stock`)
        return (await patch.set(merchant.write()).send({ delta: -1 })).status
      }),
      times(5, async (index) => {
        const label = `L${index}`
        const variants = [{ _id: product.variants[0]._id, price: index, label }]
        await house.http.put(path).set(merchant.write()).send({ variants }).expect(200)
      }),
    ])
    expect(count(answers, 'placed') + changed.filter((status) => status === 200).length).to.equal(12)
    expect(await leftOf(product)).to.equal(0)
    const orders = await house.deps.Order.find({ businessId: merchant.businessId, status: 'PLACED' }).lean()
    for (const {
      items: [item],
    } of orders)
      expect(item?.variantLabel).to.equal(item?.unitPrice === 1000 ? 'Default' : `L${item?.unitPrice}`)
  })

  it('take two products in either order: as many as there is of both, none stuck, nothing lost', async () => {
    const [many, few] = [
      await createProduct(house, merchant, { stock: 30 }),
      await createProduct(house, merchant, { stock: 20 }),
    ]
    const items = [many, few].map(({ _id }) => ({ productId: _id, quantity: 1 }))
    const answers = await times(100, (index) => order(index % 3 === 0 ? items : items.toReversed(), index))
    expect([count(answers, 'placed'), count(answers, 'INSUFFICIENT_STOCK')]).to.deep.equal([20, 80])
    expect([await leftOf(many), await leftOf(few)]).to.deep.equal([10, 0])
    const orders = await house.deps.Order.find({ businessId: merchant.businessId, status: 'PLACED' }).lean()
    expect(orders.map(({ outbox }) => outbox.map(({ event }) => event))).to.deep.equal(
      Array.from({ length: 20 }, () => ['order.new']),
    )
  })
})
