import { expect } from 'chai'
import { expectRefused } from '../api/refused.ts'
import { asMerchant, type Merchant, withMerchantPerTest, withService } from '../support/service.ts'
import { createProduct, openLiveShop, productRequests, readProduct } from '../support/store.ts'

const body = { name: 'x', price: 1 }

describe('A shop', () => {
  const service = withService()
  const test = withMerchantPerTest(service)
  let live: Merchant
  beforeEach(async () => {
    live = asMerchant(test.businessId, await service.key(test.businessId, { mode: 'live' }))
  })

  const shops = () => service.deps.Shop.find({ businessId: test.businessId }).lean()
  const by = (as: Merchant) => productRequests(service, as)

  it("is created only once with a test key's first product, even for ten concurrent requests", async () => {
    const { create, read, list, remove } = by(test)
    await list().expect(200)
    for (const request of [read('x'), remove('x')]) await expectRefused(request, 404, 'PRODUCT_NOT_FOUND')
    await create({}).expect(400)
    expect(await shops()).to.deep.equal([])
    const responses = await Promise.all(Array.from({ length: 10 }, () => create(body)))
    expect(responses.map(({ status }) => status)).to.deep.equal(Array(10).fill(201))
    expect((await shops()).map(({ sandbox }) => sandbox)).to.deep.equal([true])
  })

  it('is never created by a live key, which gets SHOP_NOT_FOUND for a valid request instead', async () => {
    const { _id } = await createProduct(service, test)
    const { create, read, list, change, remove } = by(live)
    const about = (id: string) => [read(id), change(id, { active: true }), change(id, {}), remove(id)]
    const requests = [create(body), list(), ...about(_id), ...about('none')]
    for (const request of requests) await expectRefused(request, 404, 'SHOP_NOT_FOUND')
    for (const invalid of [create({}), list({ q: '' }), change(_id, { name: '' })])
      await expectRefused(invalid, 400, 'VALIDATION_ERROR')
    expect((await shops()).map(({ sandbox }) => sandbox)).to.deep.equal([true])
  })

  it('has separate products in each environment', async () => {
    await openLiveShop(service, test)
    const sold = await createProduct(service, live, { sku: 'A' })
    const tried = await createProduct(service, test, { sku: 'A' })
    expect([sold.sandbox, tried.sandbox]).to.deep.equal([false, true])
    for (const [as, own, other] of [
      [live, sold, tried],
      [test, tried, sold],
    ] as const) {
      const { read, list, change, remove } = by(as)
      expect((await list()).body.data.items).to.deep.equal([own])
      const { _id } = other
      for (const request of [read(_id), change(_id, { price: 7 }), remove(_id)])
        await expectRefused(request, 403, 'SANDBOX_MISMATCH')
    }
    expect(await readProduct(service, live, sold._id)).to.deep.equal(sold)
  })
})
