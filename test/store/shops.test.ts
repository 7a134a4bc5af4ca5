import { expect } from 'chai'
import { expectRefused } from '../api/refused.ts'
import { asMerchant, type Merchant, withMerchantPerTest, withService } from '../support/service.ts'
import { createProduct, openLiveShop, readProduct } from '../support/store.ts'

const path = '/api/v1/dev/store/products'
const body = { name: 'x', price: 1 }

describe('A shop', () => {
  const service = withService()
  const test = withMerchantPerTest(service)
  let live: Merchant
  beforeEach(async () => {
    live = asMerchant(test.businessId, await service.key(test.businessId, { mode: 'live' }))
  })

  const shops = () => service.deps.Shop.find({ businessId: test.businessId }).lean()
  const create = (as: Merchant, input: object = body) => service.http.post(path).set(as.write()).send(input)
  const read = (as: Merchant, id = '') => service.http.get(path + id).set(as.read())
  const change = (as: Merchant, id: string, input: object) =>
    service.http.put(`${path}/${id}`).set(as.write()).send(input)
  const remove = (as: Merchant, id: string) => service.http.delete(`${path}/${id}`).set(as.write())

  it("is created with a test key's first product, once even for ten competing requests", async () => {
    await read(test).expect(200)
    await expectRefused(read(test, '/x'), 404, 'PRODUCT_NOT_FOUND')
    await expectRefused(remove(test, 'x'), 404, 'PRODUCT_NOT_FOUND')
    await create(test, {}).expect(400)
    expect(await shops()).to.deep.equal([])
    const responses = await Promise.all(Array.from({ length: 10 }, () => create(test)))
    expect(responses.map(({ status }) => status)).to.deep.equal(Array(10).fill(201))
    expect((await shops()).map(({ sandbox }) => sandbox)).to.deep.equal([true])
  })

  it('is never created by a live key: without it, valid requests get SHOP_NOT_FOUND, and invalid ones VALIDATION_ERROR', async () => {
    const { _id } = await createProduct(service, test)
    const requests = [
      create(live),
      read(live),
      ...[_id, 'none'].flatMap((id) => [
        read(live, `/${id}`),
        change(live, id, { active: true }),
        change(live, id, {}),
        remove(live, id),
      ]),
    ]
    for (const request of requests) await expectRefused(request, 404, 'SHOP_NOT_FOUND')
    for (const invalid of [create(live, {}), read(live, '?q='), change(live, _id, { name: '' })])
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
      expect((await read(as)).body.data.items).to.deep.equal([own])
      const { _id } = other
      for (const request of [read(as, `/${_id}`), change(as, _id, { price: 7 }), remove(as, _id)])
        await expectRefused(request, 403, 'SANDBOX_MISMATCH')
    }
    expect(await readProduct(service, live, sold._id)).to.deep.equal(sold)
  })
})
