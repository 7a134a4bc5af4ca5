import { expectRefused } from '../api/refused.ts'
import { openSecondProcess } from '../support/actions.ts'
import { type Service, withServiceAndMerchant } from '../support/service.ts'
import type { ProductResponse } from '../support/store.ts'
import { createProduct, productRequests, productsPath, readProduct } from '../support/store.ts'

const highest = 1_000_000_000

describe('A stock change', () => {
  const { service, merchant } = withServiceAndMerchant()

  const requests = productRequests(service, merchant)
  const change = (
    { _id }: Pick<ProductResponse, '_id'>,
    vid: string,
    body: string | object,
    at: Service = service,
  ) =>
    at.http
      .patch(`${productsPath}/${_id}/variants/${encodeURIComponent(vid)}/stock`)
      .set({ ...merchant.write(), 'Content-Type': 'application/json' })
      .send(typeof body === 'string' ? body : JSON.stringify(body))
  const read = ({ _id }: ProductResponse) => readProduct(service, merchant, _id)
  const stockOf = async (product: ProductResponse) => (await read(product)).variants[0].stock
  const withVariants = (...labels: string[]) =>
    createProduct(service, merchant, { variants: labels.map((label) => ({ label, price: 1000, stock: 5 })) })

  it('sets the stock or adds a delta and returns 200 with the changed variant', async () => {
    const product = await createProduct(service, merchant, {
      variants: [
        { label: 'S', price: 1000, stock: 5, sku: 'S-1' },
        { label: 'M', price: 2000, stock: 7 },
      ],
    })
    const [small] = product.variants
    service.clock.advance(1000)
    expect((await change(product, small._id, { delta: -2 }).expect(200)).body).to.deep.equal({
      success: true,
      data: { productId: product._id, _id: small._id, label: 'S', sku: 'S-1', price: 1000, stock: 3 },
    })
    for (const [input, stock] of [
      [{ stock: 40 }, 40],
      [{ delta: 2 }, 42],
      [{ delta: 0 }, 42],
      [{ stock: 0 }, 0],
    ] as const)
      expect((await change(product, small._id, input).expect(200)).body.data.stock).to.equal(stock)
    const after = await read(product)
    expect(after.updatedAt > product.updatedAt).to.equal(true)
    expect({ ...after, updatedAt: null }).to.deep.equal({
      ...product,
      updatedAt: null,
      variants: [{ ...small, stock: 0 }, product.variants[1]],
    })
  })

  it("accepts the variant's label instead of its id, whatever characters the label contains", async () => {
    const labels = ['Rouge / XL', '100 % coton', '50%25', 'أحمر', 'S', 'a?b#c', 'é'.repeat(100), '..%2F']
    const product = await withVariants(...labels)
    await Promise.all(labels.map((label, index) => change(product, label, { stock: index }).expect(200)))
    expect((await read(product)).variants.map(({ label, stock }) => [label, stock])).to.deep.equal(
      labels.map((label, index) => [label, index]),
    )
  })

  it('prefers a variant whose id matches over one whose label matches', async () => {
    const product = await withVariants('S', 'M')
    const [small] = product.variants
    const unused = 'f'.repeat(24)
    const named = [small._id, unused].map((label) => ({ label, price: 1, stock: 9 }))
    await requests.change(product._id, { variants: named }).expect(200)
    await change(product, small._id, { delta: -5 }).expect(200)
    await expectRefused(change(product, small._id, { delta: -1 }), 400, 'INSUFFICIENT_STOCK')
    await change(product, unused, { delta: -4 }).expect(200)
    expect((await read(product)).variants.map(({ stock }) => stock)).to.deep.equal([0, 5, 9, 5])
  })

  it('is rejected if the variant is unknown or its label is ambiguous', async () => {
    const product = await withVariants('S', 'M', 'S')
    const [first, , third] = product.variants
    for (const vid of ['L', 's', 'S.', '\0', first._id.toUpperCase(), '0'.repeat(24), '{"$ne":1}'])
      await expectRefused(change(product, vid, { stock: 1 }), 404, 'VARIANT_NOT_FOUND')
    const details = { variantIds: [first._id, third?._id] }
    await expectRefused(change(product, 'S', { stock: 1 }), 400, 'VARIANT_LABEL_AMBIGUOUS', { details })
    await change(product, third?._id ?? '', { stock: 1 }).expect(200)
    expect((await read(product)).variants.map(({ stock }) => stock)).to.deep.equal([5, 5, 1])
  })

  it('has no effect if its body is invalid, and the error names the field', async () => {
    const product = await createProduct(service, merchant)
    const cases: [body: string, param: string][] = [
      ['', 'stock'],
      ['{}', 'stock'],
      ['{"quantity":1}', 'quantity'],
      ['{"stock":1,"delta":1}', 'delta'],
      ['{"stock":-1}', 'stock'],
      ['{"stock":1000000001}', 'stock'],
      ['{"stock":1.5}', 'stock'],
      ['{"stock":1e400}', 'stock'],
      ['{"stock":null}', 'stock'],
      ['{"stock":true,"delta":1}', 'stock'],
      ['{"delta":0.1}', 'delta'],
      ['{"delta":-1e400}', 'delta'],
      ['{"delta":9007199254740993}', 'delta'],
      ['[]', 'body'],
    ]
    for (const [body, param] of cases)
      await expectRefused(change(product, 'Default', body), 400, 'VALIDATION_ERROR', { param })
    expect(await read(product)).to.deep.equal(product)
  })

  it('is rejected if the stock would be below 0 or above the maximum', async () => {
    const product = await createProduct(service, merchant)
    const [{ _id: variantId }] = product.variants
    for (const vid of [variantId, 'Default']) {
      await change(product, vid, { stock: 5 }).expect(200)
      const details = { productId: product._id, variantId, requested: 6, available: 5 }
      await expectRefused(change(product, vid, { delta: -6 }), 400, 'INSUFFICIENT_STOCK', { details })
      await change(product, vid, { delta: -5 }).expect(200)
      await change(product, vid, { delta: highest }).expect(200)
      await expectRefused(change(product, vid, { delta: 1 }), 400, 'VALIDATION_ERROR', { param: 'delta' })
      expect(await stockOf(product)).to.equal(highest)
    }
  })

  it('takes exactly the five units in stock when two processes run ten requests at once', async () => {
    const beside = await openSecondProcess(service)
    const product = await createProduct(service, merchant)
    const [{ _id }] = product.variants
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        change(product, index % 2 ? _id : 'Default', { delta: -1 }, index % 3 ? service : beside),
      ),
    )
    const refused = responses.filter(({ status }) => status !== 200)
    expect(refused.map(({ body }) => [body.error.code, body.error.details.available])).to.deep.equal(
      Array.from({ length: 5 }, () => ['INSUFFICIENT_STOCK', 0]),
    )
    expect(await stockOf(product)).to.equal(0)
    await beside.close()
  })
})
