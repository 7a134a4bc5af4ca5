import { expectRefused } from '../api/refused.ts'
import { asMerchant, withServiceAndMerchantPerTest } from '../support/service.ts'
import { createProduct, openLiveShop, productRequests } from '../support/store.ts'

const image = 'https://shop.example/thé.jpg?size=2'

const variants = (...list: unknown[]) => ({ name: 'x', variants: list })

describe('A product', () => {
  const { service, merchant } = withServiceAndMerchantPerTest()

  const { create, read, list, change, remove } = productRequests(service, merchant)
  const count = () => service.deps.Product.countDocuments({ businessId: merchant.businessId })

  it('is created exactly as sent and read back the same', async () => {
    const sent = {
      name: 'شاي أخضر 🍵',
      description: '=1+1\r\n"d\'Atar"',
      images: [image, image],
      active: false,
      variants: [
        { label: '250 g', sku: 'THÉ-250', price: 15_000, stock: 7 },
        { label: '250 g', price: 0 },
        { label: 'Kilo', sku: null, price: 1_000_000_000, stock: 1_000_000_000 },
      ],
    }
    const { status, body } = await create({ ...sent, _id: 'x', handle: 'x', sandbox: false, skus: ['y'] })
    expect(status).to.equal(201)
    const { variants: made, ...rest } = body.data
    const { _id, createdAt, updatedAt } = rest
    const { variants: sentVariants, ...kept } = sent
    expect(rest).to.deep.equal({ ...kept, _id, handle: _id, sandbox: true, createdAt, updatedAt })
    expect(made.map(({ _id: _own, ...variant }: { _id: string }) => variant)).to.deep.equal(
      sentVariants.map((variant) => ({ sku: null, stock: 0, ...variant })),
    )
    expect(new Set([_id, ...made.map((variant: { _id: string }) => variant._id)])).to.have.property('size', 4)
    expect([createdAt, updatedAt]).to.deep.equal([new Date(createdAt).toISOString(), createdAt])
    expect((await read(_id)).body).to.deep.equal(body)
  })

  it('gets one variant called Default if price, stock and SKU are outside `variants`', async () => {
    const made = await createProduct(service, merchant, { price: 0, stock: 3, sku: 'A' })
    expect(made).to.deep.include({ description: '', images: [], active: true })
    expect(made.variants).to.have.length(1)
    expect(made.variants[0]).to.include({ label: 'Default', price: 0, stock: 3, sku: 'A' })
    const { body } = await create({ name: 'x', price: 5 })
    expect(body.data.variants[0]).to.include({ label: 'Default', price: 5, stock: 0, sku: null })
  })

  it('is not created from invalid input, and the error names the field', async () => {
    const some = { label: 'x', price: 1 }
    const out = 'AMOUNT_OUT_OF_RANGE'
    const cases: [unknown, string, code?: string][] = [
      [[], 'body'],
      [{}, 'name'],
      [{ name: ' \t\u00a0', price: 1 }, 'name'],
      [{ name: 'é'.repeat(201), price: 1 }, 'name'],
      [{ name: 'a\0', price: 1 }, 'name'],
      ['{"name": "\\ud800", "price": 1}', 'name'],
      [{ name: 'x', price: 1, description: 'x'.repeat(5001) }, 'description'],
      [{ name: 'x', price: 1, description: '\n' }, 'description'],
      [{ name: 'x', price: 1, images: ['http://shop.example/a.jpg'] }, 'images[0]'],
      [{ name: 'x', price: 1, images: [image, 'https://xn--a.com/a.jpg'] }, 'images[1]'],
      [{ name: 'x', price: 1, images: [image, `https://x.example/${'a'.repeat(2048)}`] }, 'images[1]'],
      [{ name: 'x', price: 1, images: [`https://x.example/${'💰'.repeat(2031)}`] }, 'images[0]'],
      [{ name: 'x', price: 1, images: Array(11).fill(image) }, 'images'],
      [{ name: 'x' }, 'price'],
      [{ name: 'x', price: 1.5 }, 'price'],
      [{ name: 'x', price: -1 }, 'price', out],
      [{ name: 'x', price: 1_000_000_001 }, 'price', out],
      ['{"name": "x", "price": 1e400}', 'price', out],
      [{ name: 'x', price: 1, stock: -1 }, 'stock'],
      [{ name: 'x', price: 1, stock: 1_000_000_001 }, 'stock'],
      [{ name: 'x', price: 1, sku: '' }, 'sku'],
      [{ name: 'x', price: 1, sku: 'x'.repeat(65) }, 'sku'],
      [{ ...variants(some), price: 1 }, 'price'],
      [{ ...variants(some), sku: null }, 'sku'],
      [variants(), 'variants'],
      [variants(...Array.from({ length: 101 }, () => some)), 'variants'],
      [variants(some, { label: 'x' }), 'variants[1].price'],
      [variants(some, { price: 1 }), 'variants[1].label'],
      [variants({ label: ' ', price: 1 }), 'variants[0].label'],
      [variants({ label: 'x'.repeat(101), price: 1 }), 'variants[0].label'],
      [variants(some, some, { label: 'x', price: -1 }), 'variants[2].price', out],
      [variants({ ...some, stock: 0.5 }), 'variants[0].stock'],
      [variants({ ...some, sku: 'A' }, { ...some, sku: 'B' }, { ...some, sku: 'A' }), 'variants[2].sku'],
    ]
    for (const [body, param, code = 'VALIDATION_ERROR'] of cases)
      await expectRefused(create(body), 400, code, { param })
    expect(await count()).to.equal(0)
  })

  it('is rejected with a list of all its errors, in the order of its fields', async () => {
    const first = { label: 5, stock: 'x' }
    const second = { label: 'x', price: -1, sku: '' }
    const { body } = await create({ variants: [first, second], images: [1, image], price: 1 })
    expect(body.error).to.include({ code: 'VALIDATION_ERROR', param: 'name' })
    const ofVariants = ['[0].label', '[0].price', '[0].stock', '[1].price', '[1].sku']
    const params = ['name', 'images[0]', 'price', ...ofVariants.map((name) => `variants${name}`)]
    expect(body.error.details.map(({ param }: { param: string }) => param)).to.deep.equal(params)
    const message = 'price cannot be combined with variants: set it in each variant.'
    expect(body.error.details[2].message).to.equal(message)
  })

  it('is rejected if it is over 64 KiB, both when created and when changed', async () => {
    const tea = (length: number) => '🍵'.repeat(length)
    const many = Array.from({ length: 100 }, (_, index) => ({ label: `${tea(97)} ${index}`, price: 1 }))
    const [fits, long] = [tea(3000), tea(5000)]
    const large = create({ name: 'x', description: long, variants: many })
    const refused = await expectRefused(large, 413, 'PAYLOAD_TOO_LARGE')
    expect(refused.body.error.message).to.match(/would take up 6\d{4} bytes. It can take up at most 65536/)
    const { body } = await create({ name: 'x', description: fits, variants: many }).expect(201)
    await expectRefused(change(body.data._id, { description: long }), 413, 'PAYLOAD_TOO_LARGE')
    expect((await read(body.data._id)).body.data.description).to.equal(fits)
    const one = { variants: [{ label: 'One more', price: 1 }], removeMissingVariants: true }
    await change(body.data._id, { description: 'short', ...one }).expect(200)
    await change(body.data._id, { description: long }).expect(200)
  })

  it('is rejected with only the first hundred errors if it has more, e.g. in too many variants', async () => {
    const { body } = await create({ ...variants(...Array.from({ length: 80_000 }, () => ({}))), name: '' })
    const { details } = body.error
    expect(details).to.have.length(100)
    expect(details[0].param).to.equal('name')
    const message = 'variants can have at most 100 items.'
    expect(details[1]).to.deep.equal({ param: 'variants', code: 'VALIDATION_ERROR', message })
    expect(details[2].param).to.equal('variants[0].label')
  })

  it('is rejected if its SKU is in use in the shop, but accepted in another shop', async () => {
    await createProduct(service, merchant, { variants: [{ label: 'x', price: 1, sku: 'A' }] })
    const inside = variants({ label: 'x', price: 1, sku: 'B' }, { label: 'y', price: 1, sku: 'A' })
    const cases = { sku: { name: 'x', price: 1, sku: 'A' }, 'variants[1].sku': inside }
    for (const [param, body] of Object.entries(cases))
      await expectRefused(create(body), 400, 'VALIDATION_ERROR', { param })
    expect(await count()).to.equal(1)
    await createProduct(service, merchant, { sku: 'a' })
    await createProduct(service, await service.merchant(), { sku: 'A' })
  })

  it('is rejected with an error naming the SKU in use, even if the live shop uses its other SKU', async () => {
    const { businessId } = merchant
    await openLiveShop(service, merchant)
    const live = asMerchant(businessId, await service.key(businessId, { mode: 'live' }))
    await createProduct(service, live, { sku: 'A' })
    await createProduct(service, merchant, { sku: 'B' })
    const both = variants({ label: 'x', price: 1, sku: 'A' }, { label: 'y', price: 1, sku: 'B' })
    await expectRefused(create(both), 400, 'VALIDATION_ERROR', { param: 'variants[1].sku' })
  })

  it('is created by exactly one of ten concurrent requests with the same SKU', async () => {
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, index) => create({ name: `${index}`, price: 1, sku: 'A' })),
    )
    const counts = [201, 400].map((code) => responses.filter(({ status }) => status === code).length)
    expect(counts).to.deep.equal([1, 9])
    expect(await count()).to.equal(1)
  })

  it("creates its sandbox's shop only once, even for ten concurrent requests", async () => {
    const shops = () => service.deps.Shop.find({ businessId: merchant.businessId }).lean()
    await list().expect(200)
    for (const request of [read('x'), remove('x')]) await expectRefused(request, 404, 'PRODUCT_NOT_FOUND')
    await create({}).expect(400)
    expect(await shops()).to.deep.equal([])
    const responses = await Promise.all(Array.from({ length: 10 }, () => create({ name: 'x', price: 1 })))
    expect(responses.map(({ status }) => status)).to.deep.equal(Array(10).fill(201))
    expect((await shops()).map(({ sandbox }) => sandbox)).to.deep.equal([true])
  })

  it('is returned by DELETE as {_id, deleted: true}, is then not found, and frees its SKU', async () => {
    const { _id } = await createProduct(service, merchant, { sku: 'A' })
    const kept = await createProduct(service, merchant)
    const { status, body } = await remove(_id, 'first')
    expect([status, body.data]).to.deep.equal([200, { _id, deleted: true }])
    await expectRefused(read(_id), 404, 'PRODUCT_NOT_FOUND')
    expect((await list()).body.data).to.deep.include({ items: [kept], total: 1 })
    await expectRefused(change(_id, { active: true }), 404, 'PRODUCT_NOT_FOUND')
    await expectRefused(remove(_id), 404, 'PRODUCT_NOT_FOUND')
    expect((await remove(_id, 'first')).body).to.deep.equal(body)
    await createProduct(service, merchant, { sku: 'A' })
  })
})
