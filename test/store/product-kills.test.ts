import { expect } from 'chai'
import type { Product } from '../../src/store/products/product.ts'
import { closeInBackground } from '../support/closing.ts'
import { killAtEveryStep, landDuringRetry, type Operation } from '../support/kill-at-every-step.ts'
import { type Merchant, withService } from '../support/service.ts'
import { createProduct } from '../support/store.ts'

interface Case {
  merchant: Merchant
  method: 'POST' | 'PUT' | 'DELETE'
  path: string
  body: object
  answers: string[]
}

describe('A process that is killed between any two steps', function () {
  this.timeout(60_000)
  const service = withService()
  const closings: Promise<unknown>[] = []
  after(() => closeInBackground(closings))

  const send = (origin: string, { merchant, method, path, body }: Case) =>
    fetch(`${origin}/api/v1/dev/store/products${path}`, {
      method,
      headers: { ...merchant.write('the-same-key'), 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })

  /** A request that must have one effect and one answer, however often it is sent; `check` judges the one product there is. */
  const request = (
    status: number,
    prepare: () => Promise<Omit<Case, 'answers'>>,
    check: (product: Product, data: Record<string, unknown>, label: string) => void,
  ): Operation<Case> => ({
    prepare: async () => ({ ...(await prepare()), answers: [] }),
    async run(victim, each) {
      const response = await send(victim.origin, each)
      const answer = await response.text()
      // What a process said after its database was gone is no answer that the merchant could go by.
      if (response.status < 500) each.answers.push(answer)
    },
    async repeat(each) {
      const response = await send(service.origin, each)
      each.answers.push(await response.text())
      expect(response.status, each.answers.at(-1)).to.equal(status)
    },
    async check({ merchant: { businessId }, answers }, label) {
      expect(new Set(answers), label).to.have.property('size', 1)
      const [product, ...more] = await service.deps.Product.find({ businessId }).lean<Product[]>()
      if (product === undefined) return expect.fail(label)
      expect(more, label).to.deep.equal([])
      check(product, JSON.parse(answers[0] ?? '').data, label)
      const shops = await service.deps.Shop.find({ businessId }).lean()
      expect(
        shops.map(({ sandbox }) => sandbox),
        label,
      ).to.deep.equal([true])
    },
  })

  const made = async () => {
    const merchant = await service.merchant()
    const { _id } = await createProduct(service, merchant, { sku: 'A' })
    return { merchant, path: `/${_id}` }
  }

  it('of the creation of a product loses and doubles nothing', async () => {
    const create = request(
      201,
      async () => ({
        merchant: await service.merchant(),
        method: 'POST',
        path: '',
        body: { name: 'x', price: 1, sku: 'A' },
      }),
      ({ _id, skus }, data, label) => expect([_id, skus], label).to.deep.equal([data._id, ['A']]),
    )
    const steps = await killAtEveryStep(service, create, closings, 0)
    // Key, claim, the shop looked for and made, product.
    const [find, ...inserts] = ['mongodb find', 'mongodb insert', 'mongodb insert']
    expect(steps).to.deep.equal(['mongodb aggregate', 'mongodb insert', find, ...inserts])
  })

  it('of a change of a product loses and doubles nothing', async () => {
    const change = request(
      200,
      async () => ({
        ...(await made()),
        method: 'PUT',
        body: {
          variants: [
            { label: 'Default', sku: null },
            { label: 'New', price: 1, sku: 'B' },
          ],
        },
      }),
      ({ variants, skus, effects, revision }, data, label) => {
        expect(variants, label).to.deep.equal(data.variants)
        expect([skus, effects.length, revision], label).to.deep.equal([['B'], 1, 1])
      },
    )
    const steps = await killAtEveryStep(service, change, closings, 0)
    await landDuringRetry(service, change, closings, steps.indexOf('mongodb findAndModify') + 1)
    expect(steps.slice(2)).to.deep.equal(['mongodb find', 'mongodb findAndModify', 'mongodb update'])
  })

  it('of a deletion of a product loses and doubles nothing', async () => {
    const remove = request(
      200,
      async () => ({ ...(await made()), method: 'DELETE', body: {} }),
      ({ _id, listed, skus, handle, effects }, data, label) => {
        expect(data, label).to.deep.equal({ _id, deleted: true })
        expect([listed, skus, handle, effects.length], label).to.deep.equal([false, [], undefined, 1])
      },
    )
    const steps = await killAtEveryStep(service, remove, closings, 0)
    expect(steps.slice(2)).to.deep.equal(['mongodb update', 'mongodb update'])
  })
})
