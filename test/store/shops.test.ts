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
  const create = (as: Merchant, asked: object = body) => service.http.post(path).set(as.write()).send(asked)

  it('is created with the first product of a test key, once under ten concurrent requests', async () => {
    await service.http.get(path).set(test.read()).expect(200)
    await expectRefused(service.http.get(`${path}/x`).set(test.read()), 404, 'PRODUCT_NOT_FOUND')
    await expectRefused(service.http.delete(`${path}/x`).set(test.write()), 404, 'PRODUCT_NOT_FOUND')
    await create(test, {}).expect(400)
    expect(await shops()).to.deep.equal([])
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(test)))
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(10).fill(201))
    expect((await shops()).map(({ sandbox }) => sandbox)).to.deep.equal([true])
  })

  it('returns SHOP_NOT_FOUND to a live key if it does not exist, after faults of the request', async () => {
    const { _id } = await createProduct(service, test)
    const asking = [
      create(live),
      service.http.get(path).set(live.read()),
      ...[_id, 'none'].flatMap((id) => [
        service.http.get(`${path}/${id}`).set(live.read()),
        service.http.put(`${path}/${id}`).set(live.write()).send({ active: true }),
        service.http.put(`${path}/${id}`).set(live.write()).send({}),
        service.http.delete(`${path}/${id}`).set(live.write()),
      ]),
    ]
    for (const request of asking) await expectRefused(request, 404, 'SHOP_NOT_FOUND')
    await expectRefused(create(live, {}), 400, 'VALIDATION_ERROR')
    await expectRefused(service.http.get(path).query({ q: '' }).set(live.read()), 400, 'VALIDATION_ERROR')
    await expectRefused(
      service.http.put(`${path}/${_id}`).set(live.write()).send({ name: '' }),
      400,
      'VALIDATION_ERROR',
    )
    expect((await shops()).map(({ sandbox }) => sandbox)).to.deep.equal([true])
  })

  it('is separate in each environment', async () => {
    await openLiveShop(service, test)
    const sold = await createProduct(service, live, { sku: 'A' })
    const tried = await createProduct(service, test, { sku: 'A' })
    expect([sold.sandbox, tried.sandbox]).to.deep.equal([false, true])
    for (const [as, own, other] of [
      [live, sold, tried],
      [test, tried, sold],
    ] as const) {
      const list = await service.http.get(path).set(as.read())
      expect(list.body.data.items).to.deep.equal([own])
      await expectRefused(service.http.get(`${path}/${other._id}`).set(as.read()), 403, 'SANDBOX_MISMATCH')
      const change = service.http.put(`${path}/${other._id}`).set(as.write())
      await expectRefused(change.send({ price: 7 }), 403, 'SANDBOX_MISMATCH')
      await expectRefused(
        service.http.delete(`${path}/${other._id}`).set(as.write()),
        403,
        'SANDBOX_MISMATCH',
      )
    }
    expect(await readProduct(service, live, sold._id)).to.deep.equal(sold)
  })
})
