import { newId } from '../../src/platform/ids.ts'
import { post, subscribe } from '../support/actions.ts'
import { isSignedWith, withEndpointServer } from '../support/endpoint-server.ts'
import { storeOrder } from '../support/orders.ts'
import { schemaErrorsOf } from '../support/payment-events.ts'
import { withAnotherKey, withServiceAndMerchantPerTest } from '../support/service.ts'
import { createProduct, openLiveShop, productRequests, readProduct } from '../support/store.ts'

const highest = 1_000_000

describe('An order', () => {
  const { service, merchant } = withServiceAndMerchantPerTest({ MAX_AMOUNT: String(highest) })
  const endpointServer = withEndpointServer()

  const order = (body: object, by = merchant) =>
    post(service, by, '/store/orders/simulate', JSON.stringify(body))
  const read = (path: string, by = merchant) => service.http.get(`/api/v1/dev/store${path}`).set(by.read())
  const { remove } = productRequests(service, merchant)
  const stocksOf = async (id: string) =>
    (await readProduct(service, merchant, id)).variants.map(({ stock }) => stock)
  const sized = [
    { label: 'S', price: 300, stock: 4, sku: 'tee-s' },
    { label: 'M', price: 400, stock: 2 },
    { label: 'M', price: 500, stock: 0 },
  ]

  it('keeps an immutable copy of what was sold and reduces the stock accordingly', async () => {
    const [tea, tee] = [
      await createProduct(service, merchant, { name: 'Thé', price: 1000, stock: 5 }),
      await createProduct(service, merchant, { name: 'T-shirt', variants: sized }),
    ]
    const [s, m] = tee.variants
    const placed = await order({
      items: [
        { productId: tea._id, quantity: 2, note: 'ignored' },
        { productId: tee._id, variantLabel: 'S', quantity: 1 },
        { productId: tee._id, variantId: m?._id, quantity: 2 },
        { productId: tee._id, variantId: s._id, quantity: 3 },
      ],
      customer: { name: 'Aïcha', phone: '+222 22 00 00 01', email: 'aicha@example.com' },
    })
    const line = (product: typeof tea, at: number, quantity: number) => {
      const { _id: variantId, label, sku, price } = product.variants[at] ?? tea.variants[0]
      const { _id: productId, name } = product
      const [unitPrice, total] = [price, price * quantity]
      return { productId, variantId, name, variantLabel: label, sku, unitPrice, quantity, total }
    }
    const { _id, number, createdAt } = placed.body.data
    expect(placed.status).to.equal(201)
    expect(number).to.match(/^OR-[0-9A-Z]{16}$/)
    expect(placed.body.data).to.deep.equal({
      _id,
      number,
      status: 'PLACED',
      items: [line(tea, 0, 2), line(tee, 0, 1), line(tee, 1, 2), line(tee, 0, 3)],
      total: 2000 + 300 + 800 + 900,
      currency: 'MRU',
      customer: { name: 'Aïcha', phone: '22000001', email: 'aicha@example.com' },
      sandbox: true,
      createdAt,
    })
    expect([await stocksOf(tea._id), await stocksOf(tee._id)]).to.deep.equal([[3], [0, 0, 0]])
    const path = `/api/v1/dev/store/products/${tea._id}`
    await service.http.put(path).set(merchant.write()).send({ name: 'Café', price: 7 }).expect(200)
    await service.http.delete(`/api/v1/dev/store/products/${tee._id}`).set(merchant.write()).expect(200)
    expect((await read(`/orders/${String(_id)}`)).body.data).to.deep.equal(placed.body.data)
    expect((await read('/orders')).body.data.items).to.deep.equal([placed.body.data])
  })

  it('consists of one unit of the newest active product in stock if it names no product', async () => {
    await createProduct(service, merchant, { stock: 3 })
    const large = { label: 'L', price: 5, stock: 1 }
    const newest = await createProduct(service, merchant, { variants: [sized[2], large] })
    await createProduct(service, merchant, { active: false })
    await createProduct(service, merchant, { stock: 0 })
    await remove((await createProduct(service, merchant))._id).expect(200)
    const { status, body } = await order({})
    expect([status, body.data.customer]).to.deep.equal([201, null])
    const [, inStock] = newest.variants
    expect(body.data.items).to.have.length(1)
    const line = { productId: newest._id, variantId: inStock?._id, quantity: 1, total: 5 }
    expect(body.data.items).to.have.nested.property('[0]').that.includes(line)
  })

  it('creates a sample product if it names no product and the sandbox is empty', async () => {
    await openLiveShop(service, merchant)
    const live = await withAnotherKey(service, merchant, { mode: 'live' })
    await createProduct(service, live)
    for (const round of [1, 2]) {
      const { status, body } = await order({})
      const [{ productId, ...line }, ...others] = body.data.items as [{ productId: string }]
      expect([status, others], `round ${round}`).to.deep.equal([201, []])
      expect(line).to.include({
        name: 'Sample product',
        variantLabel: 'Default',
        quantity: 1,
        unitPrice: 10_000,
      })
      expect((await read('/products')).body.data.items).to.have.length(1)
      await service.http.delete(`/api/v1/dev/store/products/${productId}`).set(merchant.write()).expect(200)
    }
    for (const unavailable of [{ stock: 0 }, { active: false }]) {
      const { _id } = await createProduct(service, merchant, unavailable)
      const { status, body } = await order({})
      expect([status, body.error.code]).to.deep.equal([400, 'INSUFFICIENT_STOCK'])
      await remove(_id).expect(200)
    }
    const { items } = (await read('/products', live)).body.data
    expect([items.length, items[0].variants[0].stock]).to.deep.equal([1, 5])
  })

  it("fails with a reason and takes no stock if it can't be fulfilled", async () => {
    const tea = await createProduct(service, merchant, { price: 1000, stock: 5 })
    const tee = await createProduct(service, merchant, { variants: sized })
    const off = await createProduct(service, merchant, { active: false })
    const dear = await createProduct(service, merchant, { price: highest, stock: 5 })
    const gone = await createProduct(service, merchant)
    await remove(gone._id).expect(200)
    const one = { productId: tea._id, quantity: 1 }
    const [productId, teeId] = [tea._id, tee._id]
    const tight = { productId: teeId, quantity: 1 }
    const items = (...some: object[]) => ({ items: [one, ...some] })
    type Refused = [body: unknown, code: string, param: string]
    const invalid = 'VALIDATION_ERROR'
    const cases: Refused[] = [
      [[{}], invalid, 'body'],
      [{ items: [] }, invalid, 'items'],
      [{ items: Array.from({ length: 101 }, () => one) }, invalid, 'items'],
      [items({ quantity: 1 }), invalid, 'items[1].productId'],
      [items({ productId }), invalid, 'items[1].quantity'],
      ...['1', 0, 1.5, 1_000_001, null].map((quantity): Refused => {
        return [items({ productId, quantity }), invalid, 'items[1].quantity']
      }),
      [items({ productId: '\ud800', quantity: 1 }), invalid, 'items[1].productId'],
      [
        items({ productId, variantId: 'a', variantLabel: 'b', quantity: 1 }),
        invalid,
        'items[1].variantLabel',
      ],
      [{ customer: { name: ' ' } }, invalid, 'customer.name'],
      [{ customer: { phone: '12' } }, invalid, 'customer.phone'],
      [{ customer: { email: 'a b@c' } }, invalid, 'customer.email'],
      [items({ productId: newId(), quantity: 1 }), 'PRODUCT_NOT_FOUND', 'items[1].productId'],
      [items({ productId: gone._id, quantity: 1 }), 'PRODUCT_NOT_FOUND', 'items[1].productId'],
      [items({ productId, variantId: newId(), quantity: 1 }), 'VARIANT_NOT_FOUND', 'items[1].variantId'],
      [items({ productId, variantLabel: 'S', quantity: 1 }), 'VARIANT_NOT_FOUND', 'items[1].variantLabel'],
      [items({ ...tight, variantLabel: 'M' }), 'VARIANT_LABEL_AMBIGUOUS', 'items[1].variantLabel'],
      [items({ productId: teeId, quantity: 1 }), invalid, 'items[1].variantId'],
      [items({ productId: off._id, quantity: 1 }), invalid, 'items[1].productId'],
      [items({ productId: dear._id, quantity: 2 }), 'AMOUNT_OUT_OF_RANGE', 'items[1].quantity'],
      [items({ productId: dear._id, quantity: 1 }), 'AMOUNT_OUT_OF_RANGE', 'items'],
    ]
    for (const [body, code, param] of cases) {
      expect((await order(body as object)).body.error, JSON.stringify(body)).to.include({ code, param })
    }
    expect([await stocksOf(productId), await stocksOf(teeId)]).to.deep.equal([[5], [4, 2, 0]])
    expect((await read('/orders')).body.data.total).to.equal(0)
  })

  it('reports every shortage and adds up lines for the same variant', async () => {
    const tea = await createProduct(service, merchant, { stock: 5 })
    const tee = await createProduct(service, merchant, { variants: sized })
    const [, m, soldOut] = tee.variants
    const { body } = await order({
      items: [
        { productId: tea._id, quantity: 3 },
        { productId: tee._id, variantId: m?._id, quantity: 2 },
        { productId: tee._id, variantId: soldOut?._id, quantity: 1 },
        { productId: tea._id, quantity: 3 },
      ],
    })
    const [teaId, soldOutId] = [tea.variants[0]._id, soldOut?._id]
    const items = [
      { param: 'items[0]', productId: tea._id, variantId: teaId, requested: 6, available: 5 },
      { param: 'items[2]', productId: tee._id, variantId: soldOutId, requested: 1, available: 0 },
    ]
    expect(body.error).to.deep.include({ code: 'INSUFFICIENT_STOCK', details: { items } })
    expect([await stocksOf(tea._id), await stocksOf(tee._id)]).to.deep.equal([[5], [4, 2, 0]])
  })

  it('is listed newest first in its environment and can be filtered by time', async () => {
    const stranger = await service.merchant()
    const now = new Date('2026-03-01T12:00:00Z')
    const made: string[] = []
    for (const [hours, of, sandbox] of [
      [0, merchant, true],
      [1, merchant, true],
      [1, merchant, false],
      [2, merchant, true],
      [1, stranger, true],
    ] as const) {
      service.clock.freeze(new Date(now.getTime() + hours * 3_600_000))
      made.push((await storeOrder(service, of, sandbox))._id)
    }
    service.clock.freeze(null)
    const [oldest, middle, , newest] = made
    const cases: [string, (string | undefined)[]][] = [
      ['', [newest, middle, oldest]],
      ['?limit=2', [newest, middle]],
      ['?limit=2&page=2', [oldest]],
      ['?from=2026-03-01T13:00:00Z', [newest, middle]],
      ['?from=2026-03-01&to=2026-03-01T13:00:00Z', [middle, oldest]],
      ['?to=2026-02-28', []],
    ]
    for (const [query, expected] of cases) {
      const ids = (await read(`/orders${query}`)).body.data.items.map((each: { _id: string }) => each._id)
      expect(ids, query).to.deep.equal(expected)
    }
    const page = { page: 1, limit: 2, total: 3, hasMore: true }
    expect((await read('/orders?limit=2')).body.data).to.include(page)
    const { error } = (await read('/orders?from=2026-03-02&to=2026-03-01')).body
    expect(error).to.include({ code: 'VALIDATION_ERROR', param: 'from' })
  })

  it('triggers an order.new webhook with the documented body and a valid signature', async () => {
    service.startWorkers()
    const { secret } = await subscribe(service, merchant, endpointServer.url, ['order.new'])
    await createProduct(service, merchant, { name: 'Thé', price: 0 })
    const { data } = (await order({ customer: { name: 'Aïcha' } })).body
    const [arrived = expect.fail('nothing arrived')] = await endpointServer.atLeast(1)
    expect(isSignedWith(secret, arrived)).to.equal(true)
    expect(schemaErrorsOf(arrived.json)).to.deep.equal([])
    expect(arrived.json).to.deep.include({ event: 'order.new', sandbox: true, created_at: data.createdAt })
    const { _id, number, total, customer } = data
    expect(arrived.json.data).to.deep.include({ _id, number, reference_number: number, total, customer })
    const listed = await service.http.get('/api/v1/dev/webhooks/events').set(merchant.read())
    expect(listed.body.data.items[0]).to.include({ event: 'order.new', referenceNumber: number })
  })
})
