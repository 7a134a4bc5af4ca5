import { outboxEvents, post, sendJson } from '../support/actions.ts'
import { overtake } from '../support/kill-at-every-step.ts'
import { lockDocument } from '../support/lock.ts'
import { withSecondProcess, withServiceAndMerchantPerTest } from '../support/service.ts'
import { createProduct, productRequests, productsPath, readProduct } from '../support/store.ts'

describe('An order that is placed alongside other requests', () => {
  const { service, merchant } = withServiceAndMerchantPerTest()
  const beside = withSecondProcess(service)
  const { change, remove } = productRequests(service, merchant)

  const times = <T>(count: number, make: (index: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, index) => make(index)))

  /** Alternates between both processes. Returns 'placed' or the error code. */
  async function order(items: object[], index: number): Promise<string> {
    const at = index % 2 === 0 ? service : beside
    const { status, body } = await post(at, merchant, '/store/orders/simulate', JSON.stringify({ items }))
    return status === 201 ? 'placed' : body.error.code
  }

  const count = (responses: string[], response: string) =>
    responses.filter((each) => each === response).length
  const one = ({ _id: productId }: { _id: string }) => ({ productId, quantity: 1 })
  const stockOf = async ({ _id }: { _id: string }) =>
    (await readProduct(service, merchant, _id)).variants[0].stock

  it('shares one new sample product with the others if the sandbox has no product', async () => {
    const outcomes = await times(8, async (index) => {
      return (await post(index % 2 === 0 ? service : beside, merchant, '/store/orders/simulate', '{}')).status
    })
    const products = await service.deps.Product.find({ businessId: merchant.businessId }).lean()
    expect([new Set(outcomes), products.length]).to.deep.equal([new Set([201]), 1])
    expect(await stockOf(products[0] ?? { _id: '' })).to.equal(100_000 - outcomes.length)
  })

  it('stays consistent with concurrent changes to stock, price and label', async () => {
    const product = await createProduct(service, merchant, { stock: 12 })
    const path = `${productsPath}/${product._id}`
    const [outcomes, changed] = await Promise.all([
      times(10, (index) => order([one(product)], index)),
      times(10, async () => {
        const patch = service.http.patch(`${path}/variants/${product.variants[0]._id}/stock`)
        return (await patch.set(merchant.write()).send({ delta: -1 })).status
      }),
      times(5, async (index) => {
        const variants = [{ _id: product.variants[0]._id, price: index, label: `L${index}` }]
        await change(product._id, { variants }).expect(200)
      }),
    ])
    expect(count(outcomes, 'placed') + changed.filter((status) => status === 200).length).to.equal(12)
    expect(await stockOf(product)).to.equal(0)
    const orders = await service.deps.Order.find({ businessId: merchant.businessId }).lean()
    for (const item of orders.flatMap(({ items: [first] }) => first))
      expect(item?.variantLabel).to.equal(item?.unitPrice === 1000 ? 'Default' : `L${item?.unitPrice}`)
  })

  it("waits while another transaction has locked its product but doesn't delay orders for other products", async () => {
    const [locked, free] = [await createProduct(service, merchant), await createProduct(service, merchant)]
    const unlock = await lockDocument(service, service.deps.Product, locked._id)
    let isDone = false
    const waiting = times(4, (index) => order([one(locked)], index)).then((outcomes) => {
      isDone = true
      return outcomes
    })
    expect(await times(4, (index) => order([one(free)], index))).to.deep.equal(Array(4).fill('placed'))
    expect(isDone).to.equal(false)
    await unlock()
    expect(await waiting).to.deep.equal(Array(4).fill('placed'))
    expect([await stockOf(locked), await stockOf(free)]).to.deep.equal([1, 1])
  })

  it('never deadlocks with the others, whatever the sequence in which they list two products', async () => {
    const [many, few] = [
      await createProduct(service, merchant, { stock: 12 }),
      await createProduct(service, merchant, { stock: 8 }),
    ]
    const items = [many, few].map(one)
    const outcomes = await times(20, (index) => order(index % 3 === 0 ? items : items.toReversed(), index))
    expect([count(outcomes, 'placed'), count(outcomes, 'INSUFFICIENT_STOCK')]).to.deep.equal([8, 12])
    expect([await stockOf(many), await stockOf(few)]).to.deep.equal([4, 0])
    expect(await outboxEvents(service, merchant)).to.deep.equal(Array(8).fill('order.new'))
  })

  const shirt = { label: 'S', price: 300, sku: 'tee-s' }
  for (const [what, fields, response] of [
    ['price', { variants: [{ ...shirt, price: 301 }] }, { unitPrice: 301 }],
    ['label', { variants: [{ ...shirt, label: 'M' }] }, { variantLabel: 'M' }],
    ['sku', { variants: [{ ...shirt, sku: 'tee-m' }] }, { sku: 'tee-m' }],
    ['name', { name: 'Other' }, { name: 'Other' }],
    ['active', { active: false }, { code: 'VALIDATION_ERROR' }],
    ['deleted', null, { code: 'PRODUCT_NOT_FOUND' }],
  ] as const)
    it(`uses a product's current data, even if the product changed after the order read it: ${what}`, async () => {
      const product = await createProduct(service, merchant, { variants: [{ ...shirt, stock: 5 }] })
      const { _id: productId, variants } = product
      const items = [one(product)]
      const sent = await overtake(service, 4, [
        (_, { origin }) => sendJson(origin, merchant.write(), '/store/orders/simulate', { items }),
        async () => {
          const [{ _id }] = variants
          if (fields === null) return void (await remove(productId).expect(200))
          const changed = 'variants' in fields ? { variants: [{ _id, ...fields.variants[0] }] } : fields
          await change(productId, changed).expect(200)
        },
      ])
      const body = JSON.parse(await sent.text())
      const [item] = (body.data?.['items'] ?? []) as object[]
      expect(item ?? body.error).to.include(response)
      const stored = await service.deps.Product.findById(productId).orFail().lean()
      expect(stored.variants[0]?.stock).to.equal(item === undefined ? 5 : 4)
    })
})
